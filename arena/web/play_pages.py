"""The pages on which people play against bots: choose a bot, play, see how it ended, keep the record.

Authors can play. If the organiser allows it, guests can, too: a cookie says whose a game is.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route

from arena.league import versions
from arena.league.settings import LeagueError
from arena.league.store import League
from arena.results.records import RecordLine, StoredGame
from arena.web.accounts import Account, SignIn, Stores, fingerprint, form_text
from arena.web.backend import (
    backend_of,
    check_form,
    client_address,
    cookie_name,
    see_other,
    set_cookie,
    signed_in,
)
from arena.web.play_tables import GUEST, CannotPlay, PlayTable
from arena.web.public import NoPage, Site, render, viewer_page

MAX_KEPT_GAMES = 50
_MOVE_WAIT_S = 3.0  # most bots have moved by then, so the page that follows a move shows their move
_POLL_WAIT_S = 20.0
_GUEST_NAME = "visitor"


@dataclass(frozen=True)
class Visitor:
    """Who plays: an author, or a guest with an `account` of number 0. `cookie` is a new one, to be set."""

    owner: str
    session: SignIn
    cookie: str | None = None

    @property
    def account(self) -> Account:
        """The account."""
        return self.session.account

    @property
    def is_guest(self) -> bool:
        """Whether nobody is signed in."""
        return self.owner.startswith(GUEST)


async def visitor(request: Request) -> Visitor:
    """Who asks; a 401 for those who may not play."""
    backend = backend_of(request)
    try:
        session = await signed_in(request)
    except HTTPException:
        if not backend.settings.play.guests:
            raise HTTPException(401, "Sign in first: here only authors play against bots.") from None
        return _guest(request.cookies.get(_guest_cookie(request)))
    return Visitor(f"account {session.account.number}", session)


def _guest(known: str | None = None) -> Visitor:
    """The guest with a cookie, or a new one.

    Whoever begins a game gets a new cookie, so a cookie that somebody else has chosen opens no game.
    """
    secret = known or secrets.token_urlsafe(32)
    session = SignIn(Account(0, _GUEST_NAME, False), form_text(secret))
    return Visitor(GUEST + fingerprint(secret), session, None if known else secret)


def _guest_cookie(request: Request) -> str:
    return f"{cookie_name(backend_of(request).settings)}-guest"


def _with_cookie(request: Request, who: Visitor, response: Response) -> Response:
    """The response, with the cookie of a new guest."""
    if who.cookie is not None:
        set_cookie(response, backend_of(request).settings, _guest_cookie(request), who.cookie)
    return response


def _shown(request: Request, who: Visitor, template: str, status: int = 200, **values: Any) -> Response:
    path, league = request.url.path.strip("/"), backend_of(request).league_name
    page = render(template, path, league=league, live=False, form=who.session.form, guest=who.is_guest, **values)
    return _with_cookie(request, who, HTMLResponse(page, status))


async def _fields(request: Request, who: Visitor) -> Mapping[str, str]:
    """The fields of a form of ours; a 403 for any other form."""
    async with request.form(max_files=0, max_fields=8) as form:
        check_form(who.session, form.get("form"))
        return {key: value for key, value in form.items() if isinstance(value, str)}


# ---------------------------------------------------------------- choosing


async def _choose(request: Request) -> Response:
    backend = backend_of(request)
    try:
        who = await visitor(request)
    except HTTPException:
        page = render("play.html", "play", league=backend.league_name, live=False, may=False, game=None, kept=[])
        return HTMLResponse(page)
    try:
        backend.tables.check(who.owner, client_address(request))
        fault = ""
    except CannotPlay as error:
        fault = str(error)
    return _shown(
        request,
        who,
        "play.html",
        bots=await backend.site(opponents),
        chosen=request.query_params.get("bot", ""),
        kept=[] if who.is_guest else await backend.read(lambda stores: _kept_games(stores, who.account)),
        game=backend.tables.of(who.owner),
        fault=fault,
        may=True,
    )


def opponents(site: Site) -> list[tuple[str, str]]:
    """The bots in the table, best first: the name, and a description."""
    listed = []
    for row in site.table.rows:
        author = f" by {row.version.author}" if row.version.author else ""
        listed.append((row.version.name, f"{row.rank}. {row.version.label}{author}"))
    return listed


def opponent(league: League, name: str) -> versions.Version:
    """A bot in the table to play against. NoPage if there is none."""
    for version in versions.in_state(league, versions.ACTIVE):
        if version.name == name:
            return version
    raise NoPage("there is no such bot in the table")


async def _begin(request: Request) -> Response:
    who, tables = await visitor(request), backend_of(request).tables
    fields, address = await _fields(request, who), client_address(request)
    bot = await backend_of(request).read(lambda stores: opponent(stores.league, fields.get("bot", "")))
    begins = {"you": True, "bot": False}.get(fields.get("begins", ""), secrets.randbelow(2) == 0)
    reveals = who.account.admin or (not who.is_guest and bot.author == who.account.author)
    try:
        tables.check(who.owner, address)
        if who.is_guest:
            who = _guest()
        table = await tables.begin(who.owner, address, bot, who.account.author, begins, "claims" in fields, reveals)
    except CannotPlay as error:
        return _shown(request, who, "page.html", 429, title="Not now", text=str(error), back=("play",))
    await table.later_than(0, _MOVE_WAIT_S)
    return _with_cookie(request, who, see_other(request, f"play/games/{table.key}"))


# ---------------------------------------------------------------- playing


def _table(request: Request, who: Visitor) -> PlayTable:
    table = backend_of(request).tables.get(request.path_params["key"], who.owner)
    if table is None:
        raise NoPage(
            "this game no longer exists, or it is not yours. Games end when the server stops or nobody moves;"
            " the games that you keep are listed under Play."
        )
    return table


async def _game(request: Request) -> Response:
    """The table; with `after`, as soon as there is something newer."""
    who = await visitor(request)
    table = _table(request, who)
    after = request.query_params.get("after", "")
    if after.isdecimal() and len(after) < 10:
        await table.later_than(int(after), _POLL_WAIT_S)
    return _shown(request, who, "table.html", table=table, game=table.shown)


async def _act(request: Request) -> Response:
    """A move, resigning, or keeping the record."""
    who, backend = await visitor(request), backend_of(request)
    fields = await _fields(request, who)
    table = _table(request, who)
    number, index = (
        int(text) if text.isdecimal() and len(text) < 10 else -1
        for text in (fields.get("number", ""), fields.get("move", ""))
    )
    if "resign" in fields:
        backend.tables.resign(table)
        await table.later_than(table.number, _MOVE_WAIT_S)
    elif "keep" in fields:
        shown = table.shown
        if not who.is_guest and table.kept is None and shown["record"]:
            table.kept = await backend.write(
                lambda stores: _keep(stores, who.account, table.bot, shown["result"], shown["record"])
            )
    else:
        backend.tables.move(table, number, index)
        await table.later_than(number, _MOVE_WAIT_S)
    return see_other(request, f"play/games/{table.key}")


# ---------------------------------------------------------------- afterwards


def _record(table: PlayTable) -> str:
    """The record of a game that is over; earlier it would reveal the cards."""
    if not table.shown["record"]:
        raise NoPage("there is a record when the game is over")
    return str(table.shown["record"])


def _download(record: str, name: str) -> Response:
    headers = {"content-disposition": f'attachment; filename="{name}.txt"'}
    return PlainTextResponse(f"{record}\n", headers=headers)


async def _game_record(request: Request) -> Response:
    return _download(_record(_table(request, await visitor(request))), "game")


async def _game_replay(request: Request) -> Response:
    return await _replay(request, _record(_table(request, await visitor(request))))


async def _replay(request: Request, record: str) -> Response:
    game, path = StoredGame.of_line(RecordLine("the record", record, {})), request.url.path.strip("/")
    return HTMLResponse(await backend_of(request).site(viewer_page, game, "1", path))


@dataclass(frozen=True)
class KeptGame:
    """A game that an author keeps: when it was kept, against which bot, how it ended, and its record."""

    number: int
    kept: float
    bot: str
    result: str
    record: str


def _keep(stores: Stores, account: Account, bot: str, result: str, record: str) -> int:
    """Keep a record; its number. LeagueError if there are too many."""
    with stores.web.change():
        if len(_kept_games(stores, account)) >= MAX_KEPT_GAMES:
            raise LeagueError(f"you can keep {MAX_KEPT_GAMES} games: remove one, or download this one")
        kept = stores.web.run(
            "INSERT INTO kept_games (account, kept, bot, result, record) VALUES (?, ?, ?, ?, ?)",
            account.number,
            time.time(),
            bot,
            result,
            record,
        )
        return int(kept.lastrowid or 0)


def _kept_games(stores: Stores, account: Account) -> list[KeptGame]:
    """The games that an author keeps, newest first."""
    rows = stores.web.query(
        "SELECT game, kept, bot, result, record FROM kept_games WHERE account = ? ORDER BY game DESC", account.number
    )
    return [KeptGame(*row) for row in rows]


async def _kept(request: Request) -> KeptGame:
    who = await visitor(request)
    games = await backend_of(request).read(lambda stores: _kept_games(stores, who.account))
    for game in games:
        if game.number == request.path_params["number"]:
            return game
    raise NoPage("you keep no such game")


async def _kept_replay(request: Request) -> Response:
    return await _replay(request, (await _kept(request)).record)


async def _kept_record(request: Request) -> Response:
    game = await _kept(request)
    return _download(game.record, f"game-{game.number}")


async def _kept_remove(request: Request) -> Response:
    who = await visitor(request)
    await _fields(request, who)
    number, sql = request.path_params["number"], "DELETE FROM kept_games WHERE game = ? AND account = ?"
    await backend_of(request).write(lambda stores: stores.web.run(sql, number, who.account.number))
    return see_other(request, "play")


ROUTES = [
    Route("/play", _choose),
    Route("/play", _begin, methods=["POST"]),
    Route("/play/games/{key}", _game),
    Route("/play/games/{key}", _act, methods=["POST"]),
    Route("/play/games/{key}/record", _game_record),
    Route("/play/games/{key}/replay", _game_replay),
    Route("/play/kept/{number:number}", _kept_replay),
    Route("/play/kept/{number:number}", _kept_remove, methods=["POST"]),
    Route("/play/kept/{number:number}/record", _kept_record),
]
