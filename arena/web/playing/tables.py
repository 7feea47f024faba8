"""The games in hand, as the web process sees them: each is a process; how many there are, whose, how long is bounded.

Nothing of them is stored. They end with the server; what an author wants to have is kept (`kept`) or downloaded.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import secrets
import shutil
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from arena.bots.processes.procfs import start_time
from arena.errors import ArenaError
from arena.lab.tournament import drawn_seed
from arena.league.settings import LeagueError
from arena.web.guard import Attempts
from arena.web.playing.child import DECISION, FAILED, WAITS, Order

log = logging.getLogger("arena.web")

FOLDER = ".visitors"
_LOOK_S = 1.0
_LONGEST_LINE = 1 << 20
_ENDING_S = 5.0
_HOUR_S = 3600.0
_WAITING = 4
"""Requests that may wait for a game at a time."""
_PER_ADDRESS = 2


@dataclass(frozen=True)
class PlayLimits:
    """What people who play may use: games at once (0: nobody plays), half of them for those who are not signed in.

    guests   may those who are not signed in play at all?
    idle_s   seconds after which a game ends in which nobody makes a move, and after which one that is over is forgotten
    starts   games that one may begin in an hour
    """

    games: int = 8
    guests: bool = False
    idle_s: float = 900.0
    starts: int = 30


_NOTHING: Mapping[str, Any] = {
    "kind": WAITS,
    "stones": (),
    "news": "",
    "asks": "",
    "groups": (),
    "result": "",
    "text": "",
    "detail": "",
    "record": "",
}


class CannotPlay(ArenaError):
    """There is no room for another game now; the text says when there is."""


@dataclass
class Table:
    """A game, in hand or over.

    `owner` is who may see it and play, `shown` what the process has told last (see `child`), `number` how often it has
    told something. `reveals`: the owner may read what the bot has raised. `kept` is the number of its kept record.
    """

    key: str
    owner: str
    address: str
    bot: str
    author: str | None
    place: Path
    reveals: bool = False
    shown: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)
    number: int = 0
    kept: int | None = None
    touched: float = field(default_factory=time.monotonic)
    process: asyncio.subprocess.Process | None = None
    reader: asyncio.Task[None] | None = None
    stopping: asyncio.Task[None] | None = None
    waiting: int = 0
    resigning: bool = False
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def in_hand(self) -> bool:
        """Does it go on?"""
        return self.shown["kind"] in (DECISION, WAITS)

    @property
    def moves(self) -> int:
        """How many legal moves there are for the person now."""
        return sum(len(group["moves"]) for group in self.shown["groups"])

    def tell(self, shown: Mapping[str, Any]) -> None:
        """Something new is to be seen."""
        self.shown = {**_NOTHING, **shown}
        self.number += 1
        self.touched = time.monotonic()
        self._news.set()
        self._news = asyncio.Event()

    def end(self, text: str) -> None:
        """It cannot go on."""
        if self.in_hand:
            self.tell({**self.shown, "kind": FAILED, "text": text, "groups": []})

    async def later_than(self, number: int, seconds: float) -> None:
        """Wait until there is something newer than `number` to be seen, where it is not the person's turn."""
        if self.waiting >= _WAITING:
            return
        end = time.monotonic() + seconds
        self.waiting += 1
        try:
            while self.in_hand and (self.number <= number or self.shown["kind"] == WAITS):
                left = end - time.monotonic()
                if left <= 0:
                    return
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._news.wait(), left)
        finally:
            self.waiting -= 1


class Tables:
    """All games of a server; an asynchronous context manager."""

    def __init__(self, folder: Path, level: str, limits: PlayLimits) -> None:
        self.limits = limits
        self._folder, self._level = folder.resolve(), level  # bots are started elsewhere
        self._place = self._folder / FOLDER / _own_name()
        self._tables: dict[str, Table] = {}
        self._starts = Attempts(limits.starts, _HOUR_S)
        self._watch: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Tables:
        _sweep(self._folder / FOLDER)
        self._watch = asyncio.create_task(self._look())
        return self

    async def __aexit__(self, *error: object) -> None:
        if self._watch is not None:
            self._watch.cancel()
        await asyncio.gather(*(self._close(table) for table in list(self._tables.values())))
        shutil.rmtree(self._place, ignore_errors=True)
        with contextlib.suppress(OSError):  # another server has folders there
            self._place.parent.rmdir()

    # ------------------------------------------------------------ asking

    def of(self, owner: str) -> Table | None:
        """The game of somebody, in hand or the last one."""
        return next((one for one in self._tables.values() if one.owner == owner), None)

    def get(self, key: str, owner: str) -> Table | None:
        """A game by its key, for its owner only."""
        found = self._tables.get(key)
        return found if found is not None and found.owner == owner else None

    @property
    def in_hand(self) -> int:
        """How many games go on."""
        return sum(one.in_hand for one in self._tables.values())

    # ------------------------------------------------------------ playing

    def check(self, owner: str, address: str) -> None:
        """CannotPlay if somebody cannot begin a game now."""
        guest = owner.startswith(GUEST)
        going = [one for one in self._tables.values() if one.in_hand]
        if not self.limits.games:
            raise CannotPlay("nobody plays against bots here: the organiser has set up no tables")
        if any(one.owner == owner for one in going):
            raise CannotPlay("you have a game in hand: play it to its end, or give it up, before you begin another")
        guests = [one for one in going if one.owner.startswith(GUEST)]
        if guest and sum(one.address == address for one in guests) >= _PER_ADDRESS:
            raise CannotPlay(f"{_PER_ADDRESS} games are being played from your address; sign in, or wait for their end")
        if len(going) >= self.limits.games or (guest and len(guests) >= max(self.limits.games // 2, 1)):
            raise CannotPlay("all tables are taken; try again in some minutes")
        if self._starts.blocked(_starter(owner, address)):
            raise CannotPlay(f"you have begun {self.limits.starts} games within an hour; try again later")

    async def begin(
        self, owner: str, address: str, bot: Bot, person: str, begins: bool, claims: bool, reveals: bool
    ) -> Table:
        """Begin a game. CannotPlay if there is no room for it."""
        self.check(owner, address)
        self._starts.note(_starter(owner, address))
        before = self.of(owner)
        key = secrets.token_urlsafe(12)
        place = self._place / key
        table = self._tables[key] = Table(key, owner, address, bot.label, bot.author, place, reveals)
        if before is not None:
            await self._forget(before)
        try:
            place.mkdir(mode=0o700, parents=True)
            table.process = await _start()
        except BaseException as error:
            del self._tables[key]
            shutil.rmtree(place, ignore_errors=True)
            if isinstance(error, OSError):
                raise CannotPlay("a game cannot be begun now; try again in some minutes") from error
            raise
        order = Order(
            str(self._folder), bot.version, str(place), self._level, drawn_seed(isolated=True), person, begins, claims
        )
        table.reader = asyncio.create_task(self._read(table))
        self._send(table, order.line())
        return table

    def move(self, table: Table, number: int, at: int) -> None:
        """Make a move: number `at` of those shown when `number` was told. Whatever comes too late changes nothing."""
        if table.shown["kind"] == DECISION and table.number == number and 0 <= at < table.moves:
            self._answer(table, {"move": at})

    def resign(self, table: Table) -> None:
        """Give a game up."""
        if table.shown["kind"] == DECISION:
            self._answer(table, {"resign": True})
        else:
            table.resigning = True  # as soon as the bot has moved

    def _answer(self, table: Table, answer: Mapping[str, Any]) -> None:
        table.tell({**table.shown, "kind": WAITS, "groups": []})
        self._send(table, json.dumps(answer) + "\n")

    @staticmethod
    def _send(table: Table, line: str) -> None:
        assert table.process is not None
        assert table.process.stdin is not None
        with contextlib.suppress(OSError):  # it has ended; the reader sees that, too
            table.process.stdin.write(line.encode())

    async def _read(self, table: Table) -> None:
        """Take in what a process tells, until its end."""
        assert table.process is not None
        assert table.process.stdout is not None
        try:
            while table.in_hand and (line := await table.process.stdout.readline()):
                if not table.in_hand:  # it was ended meanwhile
                    break
                table.tell(json.loads(line))
                if table.resigning:
                    self.resign(table)
            table.end("The game has broken off: its process has ended. It was not your doing.")
        except Exception:
            log.exception("a game with %s", table.bot)
            table.end("The game has broken off. It was not your doing.")
        finally:
            await self._stop(table)

    async def _stop(self, table: Table) -> None:
        """End the process, and with it the bot's, and remove the files, also where whoever waits is cancelled."""
        if table.stopping is None:
            table.stopping = asyncio.create_task(self._stopped(table))
        await asyncio.shield(table.stopping)

    @staticmethod
    async def _stopped(table: Table) -> None:
        process = table.process
        if process is not None:
            assert process.stdin is not None
            process.stdin.close()
            try:
                await asyncio.wait_for(process.wait(), 0.0 if table.shown["kind"] == FAILED else _ENDING_S)
            except TimeoutError:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
                await process.wait()
        await asyncio.to_thread(shutil.rmtree, table.place, True)

    # ------------------------------------------------------------ ending

    async def _look(self) -> None:
        """End games in which nothing happens, and forget those that have been over for long."""
        while True:
            await asyncio.sleep(min(_LOOK_S, self.limits.idle_s / 4))
            for table in list(self._tables.values()):
                if table.in_hand and time.monotonic() - table.touched > self.limits.idle_s:
                    table.end(f"The game has ended: nobody made a move for {self.limits.idle_s / 60:.0f} minutes.")
                if table.shown["kind"] == FAILED and table.reader is not None and not table.reader.done():
                    table.reader.cancel()
                if not table.in_hand and time.monotonic() - table.touched > self.limits.idle_s:
                    await self._forget(table)

    async def _forget(self, table: Table) -> None:
        self._tables.pop(table.key, None)
        await self._close(table)

    async def _close(self, table: Table) -> None:
        table.end("The server was stopped.")
        if table.reader is not None:
            table.reader.cancel()
            await asyncio.wait([table.reader])
        await self._stop(table)


GUEST = "guest "
"""How the owner of a game begins who is not signed in."""


@dataclass(frozen=True)
class Bot:
    """A bot to play against: a version of the league, what it is called, and whose it is."""

    version: int
    label: str
    author: str | None


async def _start() -> asyncio.subprocess.Process:
    """The process of a game (`child`)."""
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "arena.web.playing.child",
        str(os.getpid()),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        limit=_LONGEST_LINE,
        start_new_session=True,
    )


def _starter(owner: str, address: str) -> str:
    """For whom begun games are counted: an author, or an address."""
    return address if owner.startswith(GUEST) else owner


def _own_name() -> str:
    return f"{os.getpid()}-{start_time(os.getpid())}"


def _sweep(folder: Path) -> None:
    """Remove what servers have left that were killed. LeagueError for anything else in the place of the folder."""
    if not folder.is_symlink() and not folder.exists():
        return
    if folder.is_symlink() or not folder.is_dir():
        raise LeagueError(f"{folder} is not a folder of ours, so nothing was done. Move it away")
    for path in folder.iterdir():
        pid, _, born = path.name.partition("-")
        if not (pid.isdecimal() and f"{start_time(int(pid))}" == born):
            shutil.rmtree(path, ignore_errors=True)
