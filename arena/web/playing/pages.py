"""The addresses of games of people: choose a bot, play, look at the end, keep what was played.

Authors play; those who are not signed in only where the organiser lets them, and then a cookie says whose a game is.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route

from arena.results.pages.game_data import game_data
from arena.results.pages.words import VIEWER
from arena.results.reading.game import game_of_line
from arena.results.records import RecordLine
from arena.web.accounts import SESSION_S, Account, Session, fingerprint, form_text
from arena.web.desk import Office
from arena.web.playing import kept
from arena.web.playing.tables import GUEST, Bot, CannotPlay, Table
from arena.web.public import NoPage, Site
from arena.web.render import render
from arena.web.state import address, check_form, see_other, session, state_of

_FIRST_S = 3.0
"""Seconds in which most bots have answered: the page that follows a move shows it."""
_LATER_S = 20.0
_GUEST = "visitor"
_LONGEST_SECRET = 100


@dataclass(frozen=True)
class Visitor:
    """Who plays: an author, or a guest with an `account` of number 0. `cookie` is new, to be sent."""

    owner: str
    session: Session
    cookie: str | None = None

    @property
    def account(self) -> Account:
        """The account."""
        return self.session.account

    @property
    def is_guest(self) -> bool:
        """Is nobody signed in?"""
        return self.owner.startswith(GUEST)


async def visitor(request: Request) -> Visitor:
    """Who asks; a 401 for those who may not play."""
    state = state_of(request)
    try:
        found, _ = await session(request)
    except HTTPException:
        if not state.settings.play.guests:
            raise HTTPException(401, "Sign in first: here only authors play against bots.") from None
    else:
        return Visitor(f"account {found.account.number}", found)
    known = request.cookies.get(f"{state.cookie}-guest", "")
    secret = known if 20 <= len(known) <= _LONGEST_SECRET else secrets.token_urlsafe(32)
    guest = Session(Account(0, _GUEST, False), form_text(secret))
    return Visitor(GUEST + fingerprint(secret), guest, None if secret == known else secret)


def _shown(request: Request, who: Visitor, template: str, status: int = 200, **given: Any) -> Response:
    state, path = state_of(request), request.url.path.strip("/")
    values: dict[str, Any] = {"live": False, "form": who.session.form, "guest": who.is_guest} | given
    answer = HTMLResponse(render(template, path, league=state.league, **values), status)
    if who.cookie is not None:
        answer.set_cookie(
            f"{state.cookie}-guest",
            who.cookie,
            max_age=int(SESSION_S),
            secure=state.settings.secure,
            httponly=True,
            samesite="lax",
        )
    return answer


async def _fields(request: Request, who: Visitor) -> Mapping[str, str]:
    """What a form of ours says; a 403 for any other form."""
    async with request.form(max_files=0, max_fields=8) as form:
        check_form(who.session, form.get("form"))
        return {key: value for key, value in form.items() if isinstance(value, str)}


# ---------------------------------------------------------------- choosing


async def _choose(request: Request) -> Response:
    state = state_of(request)
    try:
        who = await visitor(request)
    except HTTPException:
        return HTMLResponse(render("play.html", "play", league=state.league, live=False, may=False, game=None, kept=[]))
    bots = await state.desk.read(opponents)
    games = [] if who.is_guest else await state.desk.office(_kept_games, who.account)
    table, fault = state.tables.of(who.owner), ""
    try:
        state.tables.check(who.owner, address(request))
    except CannotPlay as error:
        fault = str(error)
    return _shown(
        request,
        who,
        "play.html",
        bots=bots,
        chosen=request.query_params.get("bot", ""),
        kept=games,
        game=table,
        fault=fault,
        may=True,
    )


def opponents(site: Site) -> list[tuple[str, str]]:
    """The bots in the table, best first: name, and what is said of it."""
    return [
        (one.name, f"{row.rank}. {one.label}" + (f" by {one.author}" if one.author else ""))
        for row in site.table.rows
        for one in (row.version,)
    ]


def opponent(site: Site, name: str) -> Bot:
    """A bot in the table to play against. NoPage if there is none."""
    for row in site.table.rows:
        if row.version.name == name:
            return Bot(row.version.id, row.version.label, row.version.author)
    raise NoPage("there is no such bot in the table")


async def _begin(request: Request) -> Response:
    who, state = await visitor(request), state_of(request)
    fields = await _fields(request, who)
    bot = await state.desk.read(opponent, fields.get("bot", ""))
    begins = {"you": True, "bot": False}.get(fields.get("begins", ""), secrets.randbelow(2) == 0)
    reveals = who.account.admin or (not who.is_guest and bot.author == who.account.author)
    try:
        table = await state.tables.begin(
            who.owner, address(request), bot, who.account.author, begins, "claims" in fields, reveals
        )
    except CannotPlay as error:
        return _shown(request, who, "message.html", 429, title="Not now", text=str(error), back=("play",))
    await table.later_than(0, _FIRST_S)
    return see_other(request, f"play/games/{table.key}")


# ---------------------------------------------------------------- playing


def _table(request: Request, who: Visitor) -> Table:
    found = state_of(request).tables.get(request.path_params["key"], who.owner)
    if found is None:
        raise NoPage(
            "this game is not there any more, or it is somebody else's. Games end with the server, and when"
            " nobody makes a move; what was kept is under Play."
        )
    return found


async def _game(request: Request) -> Response:
    """The table; with `after`, not before there is something newer."""
    who = await visitor(request)
    table = _table(request, who)
    after = request.query_params.get("after", "")
    if after.isdecimal() and len(after) < 10:
        await table.later_than(int(after), _LATER_S)
    return _shown(request, who, "table.html", table=table, game=table.shown, viewer=VIEWER)


async def _act(request: Request) -> Response:
    """A move, resigning, or keeping the record."""
    who, state = await visitor(request), state_of(request)
    fields = await _fields(request, who)
    table = _table(request, who)
    number, at = (
        int(text) if text.isdecimal() and len(text) < 10 else -1
        for text in (fields.get("number", ""), fields.get("move", ""))
    )
    if "resign" in fields:
        state.tables.resign(table)
        await table.later_than(table.number, _FIRST_S)
    elif "keep" in fields:
        if not who.is_guest and table.kept is None and table.shown["record"]:
            shown = table.shown
            table.kept = await state.desk.office(_keep, who.account, table.bot, shown["result"], shown["record"])
    else:
        state.tables.move(table, number, at)
        await table.later_than(number, _FIRST_S)
    return see_other(request, f"play/games/{table.key}")


def _keep(office: Office, account: Account, bot: str, result: str, record: str) -> int:
    return kept.keep(office.store, account, bot, result, record)


# ---------------------------------------------------------------- afterwards


def _record(table: Table) -> str:
    """The record of a game that is over; before, it would tell the cards."""
    if not table.shown["record"]:
        raise NoPage("there is a record when the game is over")
    return str(table.shown["record"])


def _download(record: str, name: str) -> Response:
    headers = {"content-disposition": f'attachment; filename="{name}.txt"'}
    return PlainTextResponse(f"{record}\n", headers=headers)


async def _game_record(request: Request) -> Response:
    return _download(_record(_table(request, await visitor(request))), "game")


async def _game_replay(request: Request) -> Response:
    return await _replayed(request, _record(_table(request, await visitor(request))))


async def _replayed(request: Request, record: str) -> Response:
    path = request.url.path.strip("/")
    return HTMLResponse(await state_of(request).desk.read(record_page, record, path))


def record_page(site: Site, record: str, path: str) -> str:
    """A record in the viewer."""
    found = game_data(game_of_line(RecordLine("the record", record, {})), "1")
    first = found["starter"]
    title = f"{found['names'][first]} – {found['names'][1 - first]}"
    return site.render(
        "game.html", path, title=title, about=found["result"], record=record, live=False, data={"games": [found]}
    )


def _kept_games(office: Office, account: Account) -> list[kept.KeptGame]:
    return kept.kept_games(office.store, account)


async def _kept(request: Request, who: Visitor) -> kept.KeptGame:
    found = await state_of(request).desk.office(_kept_game, who.account, request.path_params["number"])
    if found is None:
        raise NoPage("you keep no such game")
    return found


def _kept_game(office: Office, account: Account, number: int) -> kept.KeptGame | None:
    return kept.kept_game(office.store, account, number)


async def _kept_replay(request: Request) -> Response:
    return await _replayed(request, (await _kept(request, await visitor(request))).record)


async def _kept_record(request: Request) -> Response:
    found = await _kept(request, await visitor(request))
    return _download(found.record, f"game-{found.number}")


async def _kept_remove(request: Request) -> Response:
    who = await visitor(request)
    await _fields(request, who)
    await state_of(request).desk.office(_remove, who.account, request.path_params["number"])
    return see_other(request, "play")


def _remove(office: Office, account: Account, number: int) -> None:
    kept.remove(office.store, account, number)


ROUTES = [
    Route("/play", _choose),
    Route("/play", _begin, methods=["POST"]),
    Route("/play/games/{key}", _game),
    Route("/play/games/{key}", _act, methods=["POST"]),
    Route("/play/games/{key}/record", _game_record),
    Route("/play/games/{key}/replay", _game_replay),
    Route("/play/kept/{number:int}", _kept_replay),
    Route("/play/kept/{number:int}", _kept_remove, methods=["POST"]),
    Route("/play/kept/{number:int}/record", _kept_record),
]
