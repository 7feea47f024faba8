"""The pages for playing against bots: choose a bot, play, see how it ended.

Authors can play, and so can guests unless the organiser forbids it: a cookie identifies the owner of a game.
"""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from arena.game.record import parse_record
from arena.game.rules import Rules, load_rules
from arena.league import versions
from arena.league.store import League
from arena.results.records import game_of
from arena.text import one_line, whole_number
from arena.web.accounts import Account, fingerprint
from arena.web.backend import (
    backend_of,
    client_address,
    cookie,
    form_fields,
    see_other,
    set_cookie,
    shown_message,
    signed_in,
)
from arena.web.public import NoPage, Site, viewer_page
from arena.web.web_games import GUEST, CannotPlay, WebGame

_MOVE_WAIT_S = 3.0  # the process of a game has made the person's move by then
_POLL_WAIT_S = 20.0
_GUEST_NAME = "visitor"
_MAX_SCORES = 60
_MAX_COOKIE = 3800
_MAX_ABOUT = 110
_DOCSTRING = re.compile(r"""(?:\s|#[^\n]*\n)*[rR]?("{3}|'{3}|["'](?!["']))(.+?)\1""", re.DOTALL)


@dataclass(frozen=True)
class Visitor:
    """A player: an author, or a guest, whose `account` is none of ours."""

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
            raise HTTPException(401, "only authors can play against bots here") from None
        return _guest(cookie(request, "-guest"))
    return Visitor(f"author {account.author}", account)


def _guest(secret: str) -> Visitor:
    """Return the guest with this cookie."""
    return Visitor(GUEST + fingerprint(secret), Account(_GUEST_NAME, False))


# ---------------------------------------------------------------- choosing


async def _choose(request: Request) -> Response:
    backend = backend_of(request)
    try:
        who = await visitor(request)
    except HTTPException:
        return shown_message(request, "play.html", may=False, game=None, bots=(), rules=None)
    game, fault = backend.games.of(who.owner), ""
    try:
        backend.games.check(who.owner, client_address(request))
    except CannotPlay as error:
        fault = str(error)
    scores = _scores(request, game)
    bots, rules = await backend.site(opponents, scores)
    response = shown_message(request, "play.html", may=True, game=game, bots=bots, rules=rules, fault=fault)
    set_cookie(request, response, scores.text, "-scores")
    return response


@dataclass
class Scores:
    """What a visitor has scored, kept in a cookie: for each bot, games won and games played.

    `last` is the key of the last game that was counted.
    """

    last: str
    games: dict[str, tuple[int, int]]

    @classmethod
    def read(cls, text: str) -> Scores:
        """Read a cookie, which anybody can have written."""
        last, *games = text[:_MAX_COOKIE].split("~")
        found = [re.fullmatch(r"([\w.+-]+):(\d{1,4})-(\d{1,4})", game, re.ASCII) for game in games]
        return cls(last, {one[1]: (int(one[2]), int(one[3])) for one in found if one})

    @property
    def text(self) -> str:
        """The cookie, with the bots that were met last."""
        games = [f"{bot}:{won}-{played}" for bot, (won, played) in self.games.items()]
        return "~".join([self.last, *games[-_MAX_SCORES:]])

    def count(self, game: WebGame) -> None:
        """Count a game that is over, if it was not counted before and was played from its beginning."""
        record, bot = game.shown.get("record"), game.bot.rpartition(" v")[0]
        if record and game.key != self.last and not game.order.before:
            winner = game_of(record).winner
            won, played = self.games.pop(bot, (0, 0))
            self.last, self.games[bot] = game.key, (won + (winner not in (None, game.bot)), played + 1)


def _scores(request: Request, last: WebGame | None) -> Scores:
    """Return what the sender of a request has scored, with the last game."""
    scores = Scores.read(cookie(request, "-scores"))
    if last is not None:
        scores.count(last)
    return scores


def opponents(site: Site, scores: Scores) -> tuple[list[dict[str, Any]], Rules]:
    """Return the bots in the table, from easy to strong, and the rules they play.

    `strength` is in halves of a pebble, 1 to 10, `won` and `played` are the visitor's, and the weakest bot that the
    visitor has not beaten is `next`.
    """
    rows = site.table.rows[::-1]
    ratings = [row.elo for row in rows if row.elo is not None]
    low, range_ = min(ratings, default=0.0), max(ratings, default=0.0) - min(ratings, default=0.0)
    listed: list[dict[str, Any]] = []
    for row in rows:
        won, played = scores.games.get(row.version.name, (0, 0))
        part = (row.elo - low) / range_ if range_ and row.elo is not None else 0.5
        listed.append(
            {
                "name": row.version.name,
                "author": row.version.author,
                "about": first_sentence(site.league, row.version),
                "elo": row.elo,
                "strength": 1 + round(9 * part),
                "won": won,
                "played": played,
                "next": not won and all(one["won"] for one in listed),
            }
        )
    return listed, load_rules(site.settings.rules)


def first_sentence(league: League, version: versions.Version) -> str:
    """Return the first sentence of a bot's docstring, "" if it has none. Nothing of the bot is run or parsed."""
    text = league.value(
        "SELECT substr(f.content, 1, 2000) FROM version_files v JOIN files f ON f.hash = v.hash"
        " WHERE v.version = ? AND v.path = ?",
        version.id,
        version.entry.partition(":")[0],
    )
    found = _DOCSTRING.match((text or b"").decode(errors="replace"))
    if found is None:
        return ""
    sentence = re.split(r"(?<=[.!?])\s|\n\s*\n", found[2].strip())[0]
    return one_line(" ".join(sentence.split()), _MAX_ABOUT)


def opponent(league: League, name: str) -> versions.Version:
    """Return a bot in the table to play against. Raise NoPage if there is none."""
    for version in versions.in_state(league, versions.ACTIVE):
        if version.name == name:
            return version
    raise NoPage("there is no such bot in the table")


async def _begin(request: Request) -> Response:
    who, games = await visitor(request), backend_of(request).games
    fields, address = await form_fields(request), client_address(request)
    bot = await backend_of(request).read(lambda stores: opponent(stores.league, fields.get("bot", "")))
    begins = {"you": True, "bot": False}.get(fields.get("begins", ""), secrets.randbelow(2) == 0)
    reveals = who.account.admin or (not who.is_guest and bot.author == who.account.author)
    secret = secrets.token_urlsafe(32)  # new for each game of a guest, so that nobody else can have chosen it
    scores = _scores(request, games.of(who.owner))
    games.check(who.owner, address)
    if who.is_guest:
        who = _guest(secret)
    game = await games.begin(who.owner, address, bot, who.account.author, begins, "claims" in fields, reveals)
    response = see_other(request, f"play/games/{game.key}")
    set_cookie(request, response, scores.text, "-scores")
    if who.is_guest:
        set_cookie(request, response, secret, "-guest")
    return response


# ---------------------------------------------------------------- playing


def _game_of(request: Request, who: Visitor) -> WebGame:
    game = backend_of(request).games.get(request.path_params["key"], who.owner)
    if game is None:
        raise NoPage(
            "this game is not yours, or it no longer exists: you began another, the server stopped, or nobody moved for"
            " a while"
        )
    return game


async def _game(request: Request) -> Response:
    """Return the page of a game; with `after`, its messages after that number, as soon as there is one."""
    who = await visitor(request)
    game = _game_of(request, who)
    after = whole_number(request.query_params.get("after", ""))
    if after >= 0:
        await game.later_than(after, _POLL_WAIT_S)
        return JSONResponse(game.since(after))
    now = game.since(game.number - 1)
    return shown_message(request, "table.html", game=game, data={"table": now[0] if now else None})


async def _act(request: Request) -> Response:
    """Handle a line of moves or a resignation, and return the messages that follow."""
    who, backend = await visitor(request), backend_of(request)
    fields = await form_fields(request)
    game = _game_of(request, who)
    number = whole_number(fields.get("number", ""))
    if "again" in fields:
        return await _again(request, game, whole_number(fields["again"]))
    before = game.number
    if "resign" in fields:
        backend.games.resign(game)
    else:
        backend.games.move(game, number, whole_number(fields.get("move", "")))
    await game.later_than(game.number if game.number > before else number, _MOVE_WAIT_S)
    return JSONResponse(game.since(number))


async def _again(request: Request, game: WebGame, number: int) -> Response:
    """Begin a game from the position before a move of one that is over."""
    record = game.shown.get("record")
    if not record:
        raise NoPage("you can try moves again when the game is over")
    before = tuple(move.index for move in parse_record(record).moves[: max(number - 1, 0)])
    other = await backend_of(request).games.again(game, before)
    return see_other(request, f"play/games/{other.key}")


# ---------------------------------------------------------------- afterwards


async def _game_replay(request: Request) -> Response:
    record = _game_of(request, await visitor(request)).shown.get("record")
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
