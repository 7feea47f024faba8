"""Helpers for tests of isolated bots: processes that run a piece of Python, and isolated bots at a table."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from arena.bots.bot import TimeLeft
from arena.bots.isolation.process import BotProcess
from arena.bots.isolation.remote_bot import RemoteBot
from arena.bots.limits import BotLimits, Launch
from arena.bots.loading import load_bot
from arena.bots.processes import is_running
from arena.bots.spec import BotSpec, find_bot
from arena.game.rules import load_rules
from arena.tournament.games import PairTask, Row
from arena.tournament.referee import Player, Referee
from arena.tournament.rows import GameSettings
from tests.bots.isolation.inside import need_sandbox

ROOT = Path(__file__).resolve().parents[3]
BOTS = ROOT / "tests" / "data" / "bots"
both = pytest.mark.parametrize("level", ["process", pytest.param("sandbox", marks=pytest.mark.sandbox)])
"""For what the sandbox must not change. What goes through the pipes is tested at the level `process` only."""

_BEGINNING = """
import os, sys, time
def hear(size):
    data = b""
    while len(data) < size:
        piece = os.read(0, min(size - len(data), 65536))
        if not piece:
            sys.exit(99)
        data += piece
    return data
def say(data):
    at = 0
    while at < len(data):
        at += os.write(1, data[at:at + 65536])
"""


def soon(seconds: float = 30.0) -> float:
    """Return a deadline that should not pass."""
    return time.monotonic() + seconds


class HeardProcess(BotProcess):
    """A process of which all that it has written to stderr is kept."""

    def __init__(self, launch: Launch) -> None:
        self.said = bytearray()
        super().__init__(launch, self.said.extend)


@contextlib.contextmanager
def started(
    code: str, folder: Path, level: str = "process", limits: BotLimits | None = None, *words: str, **more: Any
) -> Iterator[HeardProcess]:
    """Start a process that runs a piece of Python, with `hear(size)` and `say(data)`."""
    if level == "sandbox":
        need_sandbox()
    argv = (sys.executable, "-I", "-S", "-c", _BEGINNING + code, *words)
    process = HeardProcess(Launch(argv, folder, level, limits or BotLimits(), **more))
    try:
        yield process
    finally:
        process.close()


def heard(process: BotProcess, size: int) -> bytes:
    """Receive `size` bytes from a process."""
    data = b""
    while len(data) < size:
        data += process.receive(soon())
    assert len(data) == size
    return data


def line_of(process: BotProcess) -> str:
    """Receive one line from a process."""
    data = b""
    while not data.endswith(b"\n"):
        data += process.receive(soon())
    return data.decode().strip()


def bot_spec(text: str, name: str) -> BotSpec:
    """Return the spec of a bot of tests/data/bots (`raises:hook=begin`), of the program (`greedy`) or of a file."""
    stem, colon, params = text.partition(":")
    own = BOTS / f"{stem}.py"
    return find_bot(f"{own}{colon}{params}" if own.is_file() else text, name=name)


def isolated(
    text: str,
    name: str = "a",
    rules: str = "base",
    level: str = "process",
    limits: BotLimits | None = None,
) -> RemoteBot:
    """Return an isolated bot, which the test must close."""
    if level == "sandbox":
        need_sandbox()
    return RemoteBot(bot_spec(text, name), load_rules(rules), level, limits or BotLimits())


def player_of(bot: RemoteBot) -> Player:
    """Return the player of this bot."""
    return Player(bot.name, lambda: bot)


@contextlib.contextmanager
def at_table(
    texts: Sequence[str],
    rules: str = "base",
    level: str = "process",
    clock: TimeLeft | None = None,
    limits: BotLimits | None = None,
) -> Iterator[Referee]:
    """A referee for isolated bots, which are called a, b, c ..."""
    players = [player_of(isolated(text, name, rules, level, limits)) for text, name in zip(texts, "abcdefgh")]
    try:
        yield Referee(GameSettings(load_rules(rules), 1, clock), players)
    finally:
        for player in players:
            player.close()


def games(referee: Referee, deals: Iterable[int], a: str = "a", b: str = "b") -> list[Row]:
    """Play two bots on some deals."""
    return [row for deal in deals for row in referee.play_unit(PairTask(0, deal, a, b))]


def marked(mark: str) -> list[int]:
    """Return other processes with this string in their command lines."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            with contextlib.suppress(OSError):
                if mark.encode() in (entry / "cmdline").read_bytes() and is_running(int(entry.name)):
                    found.append(int(entry.name))
    return found


def inside(texts: Sequence[str], rules: str = "base") -> Referee:
    """Return a referee for the same bots inside this process."""
    players = [Player.of(load_bot(bot_spec(text, name))) for text, name in zip(texts, "abcdefgh")]
    return Referee(GameSettings(load_rules(rules), 1), players)


def bot_file(folder: Path, code: str, name: str = "bot") -> str:
    path = folder / f"{name}.py"
    path.write_text(code)
    return str(path)
