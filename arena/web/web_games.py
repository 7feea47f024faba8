"""The games between visitors and bots, each in its own process: their number, owners and time limits.

They are not stored and end with the server; the record of a game can be downloaded.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import secrets
import sys
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from arena.bots.bundle import remove_bundles
from arena.errors import ArenaError
from arena.league.versions import Version
from arena.tournament.folders import drawn_seed
from arena.web.play_child import DECISION, FAILED, WAITS, GameOrder

_log = logging.getLogger("arena.web")

FOLDER = ".visitors"
_LOOK_S = 1.0
_LONGEST_LINE = 1 << 20
_ENDING_S = 5.0
_MAX_WAITING_REQUESTS = 4
_NICE = 10  # behind the server; workers are 5 behind it
_BEHIND = '{ nice >/proc/self/autogroup; } 2>/dev/null; exec "$0" "$@"'  # its session as well: see `lower_session`
GUEST = "guest "  # begins the owner of a game who is not signed in


@dataclass(frozen=True)
class PlayLimits:
    """Limits on games against bots.

    games    games at a time, at most half of them by guests; 0: nobody plays
    guests   visitors of one address who may play at a time without signing in; 0: only authors play
    idle_s   seconds without a move after which a game ends, and after which a finished one is forgotten
    """

    games: int = 8
    guests: int = 2
    idle_s: float = 900.0


_CHOICE = ("fresh", "choices", "lines", "hint")  # parts of a message that hold only until the next one
_KEPT_MESSAGES = 12  # a browser that missed more sees where the game is now


class CannotPlay(ArenaError):
    """A game that cannot begin now; the text says why."""


@dataclass
class WebGame:
    """A game that is being played or is over.

    key, owner   its part of the address; who may see it and play
    order        what is played
    shown        the last message of its process (see `play_child`)
    number       how many messages there have been; `told`: the last of them
    reveals      whether the owner may read exceptions that the bot has raised
    """

    key: str
    owner: str
    address: str
    bot: str
    order: GameOrder
    reveals: bool = False
    shown: Mapping[str, Any] = field(default_factory=lambda: {"kind": WAITS})
    number: int = 0
    told: deque[Mapping[str, Any]] = field(default_factory=lambda: deque(maxlen=_KEPT_MESSAGES))
    touched: float = field(default_factory=time.monotonic)
    process: asyncio.subprocess.Process | None = None
    reader: asyncio.Task[None] | None = None
    stopping: asyncio.Task[None] | None = None
    waiting: int = 0
    resigning: bool = False
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def in_hand(self) -> bool:
        """Whether the game is not over."""
        return self.shown["kind"] in (DECISION, WAITS)

    def since(self, number: int) -> list[Mapping[str, Any]]:
        """Return what the owner may see of the messages after a number."""
        hidden = {} if self.reveals else {"detail": ""}
        return [{**one, **hidden} for one in self.told if one["number"] > number]

    def tell(self, shown: Mapping[str, Any]) -> None:
        """Show something new."""
        self.number += 1
        self.shown = {**shown, "number": self.number}
        self.told.append(self.shown)
        self.touched = time.monotonic()
        self._news.set()
        self._news = asyncio.Event()

    def end(self, text: str) -> None:
        """End a game that cannot continue."""
        if self.in_hand:
            self.go_on(FAILED, text=text)

    def go_on(self, kind: str, **more: str) -> None:
        """Show the same table, without a choice."""
        self.tell({key: value for key, value in self.shown.items() if key not in _CHOICE} | {"kind": kind} | more)

    async def later_than(self, number: int, seconds: float) -> None:
        """Wait at most `seconds` until something newer than `number` is shown."""
        if self.waiting >= _MAX_WAITING_REQUESTS:
            return
        end = time.monotonic() + seconds
        self.waiting += 1
        try:
            while self.in_hand and self.number <= number:
                left = end - time.monotonic()
                if left <= 0:
                    return
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._news.wait(), left)
        finally:
            self.waiting -= 1


class WebGames:
    """The games played on a server; an asynchronous context manager."""

    def __init__(self, folder: Path, level: str, limits: PlayLimits) -> None:
        self.limits = limits
        self._folder, self._level = folder.resolve(), level  # bots are started elsewhere
        self._bots_folder = self._folder / FOLDER
        self._games: dict[str, WebGame] = {}
        self._watch: asyncio.Task[None] | None = None

    async def __aenter__(self) -> WebGames:
        remove_bundles(self._bots_folder)  # what a killed server has left
        self._watch = asyncio.create_task(self._look())
        return self

    async def __aexit__(self, *error: object) -> None:
        if self._watch is not None:
            self._watch.cancel()
        await asyncio.gather(*(self._close(game) for game in list(self._games.values())))
        remove_bundles(self._bots_folder)

    # ------------------------------------------------------------ asking

    def of(self, owner: str) -> WebGame | None:
        """Return the game that an owner is playing or has played last; None if there is none."""
        return next((game for game in self._games.values() if game.owner == owner), None)

    def get(self, key: str, owner: str) -> WebGame | None:
        """Return a game by its key; None if there is none or it belongs to somebody else."""
        game = self._games.get(key)
        return game if game is not None and game.owner == owner else None

    # ------------------------------------------------------------ playing

    def check(self, owner: str, address: str) -> None:
        """Raise CannotPlay if this owner cannot begin a game now."""
        guest = owner.startswith(GUEST)
        going = [game for game in self._games.values() if game.in_hand]
        guests = [game for game in going if game.owner.startswith(GUEST)]
        if not self.limits.games:
            raise CannotPlay("games against bots are switched off here")
        if any(game.owner == owner for game in going):
            raise CannotPlay("finish or resign your current game before you begin another")
        if guest and sum(game.address == address for game in guests) >= self.limits.guests:
            raise CannotPlay(
                f"{self.limits.guests} games are already being played from your address;"
                " sign in, or wait until one is over"
            )
        if len(going) >= self.limits.games or (guest and len(guests) >= max(self.limits.games // 2, 1)):
            raise CannotPlay("as many games are being played as this server allows; try again in a few minutes")

    async def begin(
        self, owner: str, address: str, bot: Version, person: str, begins: bool, claims: bool, reveals: bool
    ) -> WebGame:
        """Begin a game and return it. Raise CannotPlay if there is no room for it."""
        seed = drawn_seed(isolated=True)
        order = GameOrder(str(self._folder), bot.id, "", self._level, seed, person, begins, claims)
        return await self._open(owner, address, bot.label, order, reveals)

    async def again(self, game: WebGame, before: tuple[int, ...]) -> WebGame:
        """Begin a game from a position of one that is over, after the moves `before`. Raise CannotPlay if it cannot."""
        order = replace(game.order, before=before)
        return await self._open(game.owner, game.address, game.bot, order, game.reveals)

    async def _open(self, owner: str, address: str, bot: str, order: GameOrder, reveals: bool) -> WebGame:
        self.check(owner, address)
        earlier = self.of(owner)
        key = secrets.token_urlsafe(12)
        folder = self._bots_folder / key
        order = replace(order, bot_folder=str(folder))
        game = self._games[key] = WebGame(key, owner, address, bot, order, reveals)
        if earlier is not None:
            await self._forget(earlier)
        try:
            folder.mkdir(mode=0o700, parents=True)
            game.process = await _start()
        except BaseException as error:
            del self._games[key]
            remove_bundles(folder)
            if isinstance(error, OSError):
                raise CannotPlay("the game could not be started; try again in a few minutes") from error
            raise
        game.reader = asyncio.create_task(self._read(game))
        self._send(game, asdict(order))
        return game

    def move(self, game: WebGame, number: int, index: int) -> None:
        """Play the line with this index among those shown at `number`; ignore what comes too late."""
        if game.shown["kind"] == DECISION and game.number == number and 0 <= index < game.shown["lines"]:
            self._answer(game, {"move": index})

    def resign(self, game: WebGame) -> None:
        """Resign a game."""
        if game.shown["kind"] == DECISION:
            self._answer(game, {"resign": True})
        else:
            game.resigning = True  # takes effect when the bot has moved

    def _answer(self, game: WebGame, answer: Mapping[str, Any]) -> None:
        game.go_on(WAITS)
        self._send(game, answer)

    @staticmethod
    def _send(game: WebGame, message: Mapping[str, Any]) -> None:
        assert game.process is not None
        assert game.process.stdin is not None
        with contextlib.suppress(OSError):  # the process has ended, which the reader notices
            game.process.stdin.write(json.dumps(message).encode() + b"\n")

    async def _read(self, game: WebGame) -> None:
        """Show each message of a process until it ends."""
        assert game.process is not None
        assert game.process.stdout is not None
        try:
            while game.in_hand and (line := await game.process.stdout.readline()):
                if not game.in_hand:  # the game has ended meanwhile
                    break
                game.tell(json.loads(line))
                if game.resigning:
                    self.resign(game)
            game.end("The game ended early because its process stopped. It was not your fault.")
        except Exception:
            _log.exception("a game with %s", game.bot)
            game.end("The game ended early because of an error in the server. It was not your fault.")
        finally:
            await self._stop(game)

    async def _stop(self, game: WebGame) -> None:
        """End the process, and with it the bot's, and remove its files, even if the caller is cancelled."""
        if game.stopping is None:
            game.stopping = asyncio.create_task(self._stopped(game))
        await asyncio.shield(game.stopping)

    @staticmethod
    async def _stopped(game: WebGame) -> None:
        process = game.process
        if process is not None:
            assert process.stdin is not None
            process.stdin.close()
            try:
                await asyncio.wait_for(process.wait(), 0.0 if game.shown["kind"] == FAILED else _ENDING_S)
            except TimeoutError:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
                await process.wait()
        await asyncio.to_thread(remove_bundles, Path(game.order.bot_folder))

    # ------------------------------------------------------------ ending

    async def _look(self) -> None:
        """End games in which nothing happens, and forget those that ended long ago."""
        while True:
            await asyncio.sleep(min(_LOOK_S, self.limits.idle_s / 4))
            for game in list(self._games.values()):
                if game.in_hand and time.monotonic() - game.touched > self.limits.idle_s:
                    game.end(f"The game has ended: no move for {self.limits.idle_s / 60:.0f} minutes.")
                if game.shown["kind"] == FAILED and game.reader is not None and not game.reader.done():
                    game.reader.cancel()
                if not game.in_hand and time.monotonic() - game.touched > self.limits.idle_s:
                    await self._forget(game)

    async def _forget(self, game: WebGame) -> None:
        self._games.pop(game.key, None)
        await self._close(game)

    async def _close(self, game: WebGame) -> None:
        game.end("The server was stopped.")
        if game.reader is not None:
            game.reader.cancel()
            await asyncio.wait([game.reader])
        await self._stop(game)


async def _start() -> asyncio.subprocess.Process:
    """Start the process of a game (`play_child`), which comes after the league's workers from its first step on."""
    return await asyncio.create_subprocess_exec(
        *("nice", "-n", str(_NICE), "sh", "-c", _BEHIND, sys.executable),
        "-m",
        "arena.web.play_child",
        str(os.getpid()),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        limit=_LONGEST_LINE,
        start_new_session=True,
    )
