"""Games of the bot under check, in fresh processes: against a bot of the program, and against itself.

A `Table` is one life of the bot: what is played at it is played in the same processes, another table has new ones.
"""

from __future__ import annotations

import contextlib
import functools
import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from arena.config.tournament import Clock
from arena.errors import ArenaError
from arena.game.rules import Rules
from arena.isolation.audit import Attempt, Ear
from arena.isolation.limits import BotLimits
from arena.isolation.process import BotProcess, Launch
from arena.isolation.python.bot import IsolatedBot
from arena.isolation.python.messages import ASKED
from arena.isolation.wire.bot import WireBot
from arena.match.results import GameResult, Row
from arena.match.tasks import GameId, GameTask, PairTask
from arena.paths import data_folder
from arena.players.bot import BotFault, TimeLeft
from arena.players.faults import BotError
from arena.players.loading import load_bot
from arena.players.spec import BotSpec, find_bot
from arena.referee.lockstep import Lockstep
from arena.referee.player import Player
from arena.referee.referee import Referee
from arena.referee.rows import GameSettings

AGAINST, ITSELF, STRONGER = 0, 1, 2
"""Pairings: against `random`, against itself, against `greedy`."""

STEADY, OTHER = "0", "4242"
"""Seeds of Python's hashes, which decide the order of sets: that of real games, and another one."""


@dataclass(frozen=True)
class Setting:
    """What all games of a check share. `twin` is the bot once more, `house` the opponents by pairing."""

    spec: BotSpec
    level: str
    seed: int
    clock: Clock
    limits: BotLimits

    @property
    def twin(self) -> BotSpec:
        return replace(self.spec, name=f"{self.spec.name}2")

    @property
    def random(self) -> BotSpec:
        return house("random", {self.spec.name, self.twin.name})

    @property
    def greedy(self) -> BotSpec:
        return house("greedy", {self.spec.name, self.twin.name})

    @property
    def time_left(self) -> TimeLeft | None:
        """The clock as the referee wants it."""
        if self.clock.move_ms is None and self.clock.bank_ms is None:
            return None
        return TimeLeft(self.clock.move_ms, self.clock.bank_ms)

    def opponent(self, pairing: int) -> str:
        """The name of the other bot of a pairing."""
        return (self.random, self.twin, self.greedy)[pairing].name

    def unit(self, pairing: int, deal: int) -> PairTask:
        """Two games on one deal, seats swapped."""
        return PairTask(pairing, deal, self.spec.name, self.opponent(pairing))

    def results(self, rows: Iterable[Row]) -> list[GameResult]:
        """Rows of games, for reading."""
        return [
            GameResult.from_row(row, self.spec.name, self.opponent(GameId.from_key(row[0]).pairing))
            for row in rows
        ]

    def units(self, games: int) -> list[PairTask]:
        """So many games, by turns against `random` and against itself; at least two."""
        return [self.unit(number % 2, number // 2) for number in range(max((games + 1) // 2, 1))]


def house(name: str, taken: set[str]) -> BotSpec:
    """A bot of the program, under another name if that is taken."""
    chosen = name if name not in taken else f"{name}-of-the-house"
    return find_bot(str(data_folder("bots") / f"{name}.py"), name=chosen)


class Table(Protocol):
    """One life of the bot."""

    def ready(self) -> None:
        """Have all that is started which can be, so that no game has to wait for it."""

    def game(self, task: GameTask) -> GameResult:
        """Play one game."""

    def together(self, tasks: Sequence[PairTask], look: Callable[[], bool]) -> list[list[GameResult]] | None:
        """Play units in lock step, as far as that works; None if it is not done with this bot.

        `look` is called between two rounds of decisions, and says whether to begin no more games."""

    def close(self) -> None:
        """End the processes."""

    @property
    def pid(self) -> int | None:
        """The bot's process, if it has one of its own."""

    @property
    def attempts(self) -> list[Attempt]:
        """What it has tried, if that was listened to."""

    @property
    def printed(self) -> int:
        """Characters that it has written."""


class _Heard(BotProcess):
    """A process whose complaints go through an ear."""

    def __init__(self, launch: Launch, ear: Ear) -> None:
        self._ear = ear
        super().__init__(launch)

    def complaints(self) -> str:
        return self._ear.hear(super().complaints())


class ApartTable:
    """A bot in a process of its own; its twin in another."""

    def __init__(self, setting: Setting, rules: Rules, hash_seed: str = STEADY, audit: bool = False) -> None:
        self.rules = rules
        self._setting = setting
        self._hash_seed = hash_seed
        self._audit = audit
        self._ear = Ear(secrets.token_hex(8), str(folder_of(setting.spec)))
        self.bot, twin = self._bot(setting.spec), self._bot(setting.twin)
        self._bots = (self.bot, twin)
        players = [Player(bot.name, lambda bot=bot: bot) for bot in self._bots]  # type: ignore[misc]
        players += [Player.of(load_bot(one)) for one in (setting.random, setting.greedy)]
        settings = GameSettings(rules, setting.seed, setting.time_left)
        # nothing that is not ours runs in this process, so Ctrl-C is the user's
        self._referee = Referee(settings, players, passes=lambda error: isinstance(error, KeyboardInterrupt))

    def _bot(self, spec: BotSpec) -> IsolatedBot | WireBot:
        if spec.command:
            return WireBot(spec, self._setting.level, self._setting.limits, start=self._start)
        return IsolatedBot(spec, self.rules, self._setting.level, self._setting.limits, start=self._start)

    def _start(self, launch: Launch) -> BotProcess:
        environment = {**launch.environment, "PYTHONHASHSEED": self._hash_seed}
        if self._audit:
            environment[ASKED] = self._ear.mark
        return _Heard(replace(launch, environment=environment), self._ear)

    def load(self) -> None:
        """Start the bot and run its file, or have the command say hello; BotError if that fails."""
        self.bot.load()

    def prepare(self) -> None:
        """Have `__init__` called, too; BotError if that fails."""
        try:
            self.bot.prepare()
        except BotFault as fault:
            raise BotError(fault.detail) from None

    def ready(self) -> None:
        for bot in self._bots:
            with contextlib.suppress(BotFault):  # the game tells it
                bot.prepare()

    def game(self, task: GameTask) -> GameResult:
        return self._setting.results([self._referee.play(task)])[0]

    def together(self, tasks: Sequence[PairTask], look: Callable[[], bool]) -> list[list[GameResult]] | None:
        if not all(self._referee.players[bot.name].in_step for bot in self._bots):
            return None
        units = Lockstep(self._referee, look).play(tasks, 0)
        return [self._setting.results(rows) for rows in units]

    def close(self) -> None:
        for bot in self._bots:
            bot.close()

    @property
    def pid(self) -> int | None:
        process = self.bot.process
        return process.pid if isinstance(process, BotProcess) else None

    @property
    def attempts(self) -> list[Attempt]:
        return self._ear.attempts

    @property
    def printed(self) -> int:
        return self._ear.characters


@contextlib.contextmanager
def table(setting: Setting, rules: Rules, hash_seed: str = STEADY, audit: bool = False) -> Iterator[Table]:
    """A fresh table for the level of the check, closed at the end."""
    from arena.check.inside import InsideTable

    if setting.level == "none":
        made: Table = InsideTable(setting, rules)
    else:
        made = ApartTable(setting, rules, hash_seed, audit)
    try:
        yield made
    finally:
        made.close()


@dataclass(frozen=True)
class Start:
    """How long it took to start a bot: its process and file, and `__init__`; in seconds."""

    load_s: float
    init_s: float


def start_time(setting: Setting, rules: Rules) -> Start | None:
    """Start a bot in processes of its own once; BotError if it cannot be. None at the level `none`."""
    if setting.level == "none":
        return None
    made = ApartTable(setting, rules)
    try:
        begun = time.perf_counter()
        made.load()
        loaded = time.perf_counter()
        made.prepare()
        return Start(loaded - begun, time.perf_counter() - loaded)
    finally:
        made.close()


def minimal_start(setting: Setting, rules: Rules) -> Start | None:
    """The same for a bot that does nothing; None where it says nothing."""
    return None if setting.spec.command else _minimal_start(setting.level, rules)


@functools.cache
def _minimal_start(level: str, rules: Rules) -> Start | None:
    first = find_bot(str(data_folder("bots") / "first.py"))
    try:
        return start_time(Setting(first, level, 0, Clock(), BotLimits()), rules)
    except ArenaError:  # the program's own folder cannot be sandboxed where it lies
        return None


def folder_of(spec: BotSpec) -> Path:
    """The bot's own folder."""
    return Path(spec.path).parent
