"""The pages for playing against bots: choose a bot, play, see how it ended.

Authors can play, and so can guests unless the organiser forbids it: a cookie identifies the owner of a game.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from arena.game.record import parse_record
from arena.league import versions
from arena.league.store import League
from arena.results.records import game_of
from arena.text import whole_number
from arena.web.accounts import Account, fingerprint
from arena.web.backend import (
    backend_of,
    client_address,
    cookie_name,
    see_other,
    set_cookie,
    shown_message,
    signed_in,
)
from arena.web.play_tables import GUEST, CannotPlay, PlayTable
from arena.web.public import NoPage, Site, lesson_board, viewer_page

_MOVE_WAIT_S = 3.0  # the process of a game has made the person's move by then
_POLL_WAIT_S = 20.0
_GUEST_NAME = "visitor"


@dataclass(frozen=True)
class Visitor:
    """A player: an author, or a guest with an `account` of number 0."""

    owner: str
    account: Account

    @property
    def is_guest(self) -> bool:
        """Whether nobody is signed in."""
        return self.owner.startswith(GUEST)


async def visitor(request: Request) -> Visitor:
    """Return the visitor who sent a request; raise HTTPException (401) for those who may not play."""
    backend = backend_of(request)
    try:
        account = await signed_in(request)
    except HTTPException:
        if not backend.settings.play.guests:
            raise HTTPException(401, "Sign in first: only authors can play against bots here.") from None
        return _guest(request.cookies.get(_guest_cookie(request), ""))
    return Visitor(f"account {account.number}", account)


def _guest(cookie: str) -> Visitor:
    """Return the guest with this cookie."""
    return Visitor(GUEST + fingerprint(cookie), Account(0, _GUEST_NAME, False))


def _guest_cookie(request: Request) -> str:
    return f"{cookie_name(backend_of(request).settings)}-guest"


async def _fields(request: Request) -> Mapping[str, str]:
    """Return the text fields of a form."""
    async with request.form(max_files=0, max_fields=8) as form:
        return {key: value for key, value in form.items() if isinstance(value, str)}


# ---------------------------------------------------------------- choosing


async def _choose(request: Request) -> Response:
    backend = backend_of(request)
    try:
        who = await visitor(request)
    except HTTPException:
        return shown_message(request, "play.html", may=False, game=None, example=lesson_board())
    try:
        backend.tables.check(who.owner, client_address(request))
        fault = ""
    except CannotPlay as error:
        fault = str(error)
    return shown_message(
        request,
        "play.html",
        bots=await backend.site(opponents),
        chosen=request.query_params.get("bot", ""),
        game=backend.tables.of(who.owner),
        fault=fault,
        may=True,
        example=lesson_board(),
    )


def opponents(site: Site) -> list[tuple[str, str]]:
    """Return the name and a description of each bot in the table, best first."""
    listed = []
    for row in site.table.rows:
        author = f" by {row.version.author}" if row.version.author else ""
        listed.append((row.version.name, f"{row.rank}. {row.version.label}{author}"))
    return listed


def opponent(league: League, name: str) -> versions.Version:
    """Return a bot in the table to play against. Raise NoPage if there is none."""
    for version in versions.in_state(league, versions.ACTIVE):
        if version.name == name:
            return version
    raise NoPage("there is no such bot in the table")


async def _begin(request: Request) -> Response:
    who, tables = await visitor(request), backend_of(request).tables
    fields, address = await _fields(request), client_address(request)
    bot = await backend_of(request).read(lambda stores: opponent(stores.league, fields.get("bot", "")))
    begins = {"you": True, "bot": False}.get(fields.get("begins", ""), secrets.randbelow(2) == 0)
    reveals = who.account.admin or (not who.is_guest and bot.author == who.account.author)
    cookie = secrets.token_urlsafe(32)  # new for each game of a guest, so that nobody else can have chosen it
    try:
        tables.check(who.owner, address)
        if who.is_guest:
            who = _guest(cookie)
        table = await tables.begin(who.owner, address, bot, who.account.author, begins, "claims" in fields, reveals)
    except CannotPlay as error:
        return shown_message(request, "page.html", 429, title="Not now", text=str(error), back=("play",))
    response = see_other(request, f"play/games/{table.key}")
    if who.is_guest:
        set_cookie(response, backend_of(request).settings, _guest_cookie(request), cookie)
    return response


# ---------------------------------------------------------------- playing


def _table(request: Request, who: Visitor) -> PlayTable:
    table = backend_of(request).tables.get(request.path_params["key"], who.owner)
    if table is None:
        raise NoPage(
            "this game is not yours, or it no longer exists: you began another, the server stopped, or nobody moved for"
            " a while"
        )
    return table


async def _game(request: Request) -> Response:
    """Return the page of a game; with `after`, its messages after that number, as soon as there is one."""
    who = await visitor(request)
    table = _table(request, who)
    after = whole_number(request.query_params.get("after", ""))
    if after >= 0:
        await table.later_than(after, _POLL_WAIT_S)
        return JSONResponse(table.since(after))
    now = table.since(table.number - 1)
    return shown_message(request, "table.html", table=table, data={"table": now[0] if now else None})


async def _act(request: Request) -> Response:
    """Handle a line of moves or a resignation, and return the messages that follow."""
    who, backend = await visitor(request), backend_of(request)
    fields = await _fields(request)
    table = _table(request, who)
    number = whole_number(fields.get("number", ""))
    if "again" in fields:
        return await _again(request, table, whole_number(fields["again"]))
    before = table.number
    if "resign" in fields:
        backend.tables.resign(table)
    else:
        backend.tables.move(table, number, whole_number(fields.get("move", "")))
    await table.later_than(table.number if table.number > before else number, _MOVE_WAIT_S)
    return JSONResponse(table.since(number))


async def _again(request: Request, table: PlayTable, number: int) -> Response:
    """Begin a game from the position before a move of one that is over."""
    record = table.shown["record"]
    if not record:
        raise NoPage("you can try moves again when the game is over")
    before = tuple(move.index for move in parse_record(record).moves[: max(number - 1, 0)])
    try:
        other = await backend_of(request).tables.again(table, before)
    except CannotPlay as error:
        return shown_message(request, "page.html", 429, title="Not now", text=str(error), back=("play",))
    return see_other(request, f"play/games/{other.key}")


# ---------------------------------------------------------------- afterwards


async def _game_replay(request: Request) -> Response:
    record = _table(request, await visitor(request)).shown["record"]
    if not record:  # during the game it would reveal the cards
        raise NoPage("you can watch the game when it is over")
    game, path = game_of(record), request.url.path.strip("/")
    return HTMLResponse(await backend_of(request).site(viewer_page, game, "1", path))


PLAY_ROUTES = [
    Route("/play", _choose),
    Route("/play", _begin, methods=["POST"]),
    Route("/play/games/{key}", _game),
    Route("/play/games/{key}", _act, methods=["POST"]),
    Route("/play/games/{key}/replay", _game_replay),
]
