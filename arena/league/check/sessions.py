"""Where the bot under check plays: in fresh processes, against a bot of the program and against itself.

A session is one life of the bot: its games are played in the same processes, and another session has new ones.
"""

from __future__ import annotations

import contextlib
import functools
import os
import re
import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from arena.bots.bot import BotFault, TimeLeft
from arena.bots.faults import BotError
from arena.bots.isolation.audit import Attempt, AuditReader
from arena.bots.isolation.launch import Launch
from arena.bots.isolation.process import BotProcess, left_behind, own_children
from arena.bots.isolation.python.bot import PythonBot
from arena.bots.isolation.python.messages import AUDIT_VARIABLE
from arena.bots.isolation.wire.bot import WireBot
from arena.bots.loading import load_bot
from arena.bots.processes.limits import BotLimits, Limits
from arena.bots.processes.procfs import children
from arena.bots.processes.tree import adopt_orphans, kill_orphans
from arena.bots.spec import BotSpec, find_bot
from arena.errors import ArenaError
from arena.game.rules import Rules
from arena.paths import data_folder
from arena.tournament.config.tournament import Clock
from arena.tournament.match.results import FAILED_AFTER, GameResult, Row
from arena.tournament.match.tasks import Chunk, GameId, GameTask, PairTask
from arena.tournament.referee.player import Player
from arena.tournament.referee.referee import Referee
from arena.tournament.referee.rows import GameSettings
from arena.tournament.runner.executors import Failed, Played, WorkerFault
from arena.tournament.runner.executors.local import LocalExecutor
from arena.tournament.runner.job import Job
from arena.tournament.runner.logs import PlainRecord

AGAINST, ITSELF, STRONGER = 0, 1, 2
"""Pairings: against `random`, against itself, against `greedy`."""

STEADY, OTHER = "0", str(secrets.randbelow(1 << 32) or 1)
"""Seeds of Python's hashes, which decide the order of sets: that of real games, and another one, drawn."""

_POLL_S = 0.25
_DYING_S = 0.02


@dataclass(frozen=True)
class CheckSettings:
    """What all games of a check share. `twin` is the bot once more."""

    spec: BotSpec
    level: str
    seed: int
    clock: Clock
    limits: BotLimits

    @functools.cached_property
    def twin(self) -> BotSpec:
        return replace(self.spec, name=f"{self.spec.name}2")

    @functools.cached_property
    def random(self) -> BotSpec:
        return self._house_bot("random")

    @functools.cached_property
    def greedy(self) -> BotSpec:
        return self._house_bot("greedy")

    def _house_bot(self, name: str) -> BotSpec:
        """A bot of the program, under another name if that is taken."""
        taken = name in (self.spec.name, self.twin.name)
        return find_bot(str(data_folder("bots") / f"{name}.py"), name=f"{name}-of-the-house" if taken else name)

    @property
    def folder(self) -> Path:
        """The bot's own."""
        return Path(self.spec.path).parent

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

    def units(self, games: int) -> list[PairTask]:
        """So many games, alternately against `random` and against itself; at least two."""
        return [self.unit(number % 2, number // 2) for number in range(max((games + 1) // 2, 1))]

    def results(self, rows: Iterable[Row]) -> list[GameResult]:
        """Rows of games, for reading."""
        return [
            _blamed(GameResult.from_row(row, self.spec.name, self.opponent(GameId.from_key(row[0]).pairing)))
            for row in rows
        ]


_AFTER = re.compile(rf"{FAILED_AFTER} ([a-z ]+): (.*)", re.DOTALL)


def _blamed(game: GameResult) -> GameResult:
    """A game after which the bot has failed, in `end`, as if it had lost it by that: its author is to know."""
    said = _AFTER.search(game.detail or "") if game.failed_after else None
    return game if said is None else replace(game, forfeit=said[1], forfeit_by=game.failed_after[0], detail=said[2])


class StartTime(NamedTuple):
    """Seconds that it took to start a bot: its process and file, and `__init__`."""

    load_s: float
    init_s: float


class CheckSession:
    """One life of the bot. What a level does not offer is left as it is here."""

    @property
    def pid(self) -> int | None:
        """The bot's process, if it has one of its own."""
        return None

    @property
    def flags(self) -> tuple[bool, bool] | None:
        """Its `auto_claim` and `ask_forced`, if they are known."""
        return None

    @property
    def attempts(self) -> list[Attempt]:
        """What it has tried, if that was listened to."""
        return []

    @property
    def printed(self) -> int:
        """Characters that it has written."""
        return 0

    def start(self) -> StartTime | None:
        """Start the bot alone; None where that is not measured. BotError if it fails."""
        return None

    def ready(self) -> None:
        """Start all that can be started, so that no game has to wait for it."""

    def game(self, task: GameTask) -> GameResult:
        """Play one game."""
        raise NotImplementedError

    def together(self, tasks: Sequence[PairTask], look: Callable[[], bool]) -> list[list[GameResult]] | None:
        """Play units in lock step, as far as that works; None if it is not done with this bot.

        `look` is called between two rounds of decisions, and says whether to begin no more games."""
        return None

    def close(self) -> None:
        """End the processes."""


OpenSession = Callable[[CheckSettings, Rules, str, bool], CheckSession]
"""Begins a session, with a seed of Python's hashes and whether to listen to what the bot asks the system for."""


def open_session(settings: CheckSettings, rules: Rules, hash_seed: str = STEADY, audit: bool = False) -> CheckSession:
    """A fresh session at the level of the check."""
    if settings.level == "none":
        return WorkerSession(settings, rules)
    return IsolatedSession(settings, rules, hash_seed, audit)


class _HeardProcess(BotProcess):
    """A process whose standard error goes through an AuditReader."""

    def __init__(self, launch: Launch, ear: AuditReader) -> None:
        self._ear = ear
        super().__init__(launch)

    def read_stderr(self) -> str:
        return self._ear.read(super().read_stderr())


class IsolatedSession(CheckSession):
    """The levels `process` and `sandbox`: the bot in a process of its own, its twin in another."""

    def __init__(self, settings: CheckSettings, rules: Rules, hash_seed: str = STEADY, audit: bool = False) -> None:
        self._rules = rules
        self._settings = settings
        self._hash_seed = hash_seed
        self._audit = audit
        self._ear = AuditReader(secrets.token_hex(8), str(settings.folder))
        self._bot, twin = self._make(settings.spec), self._make(settings.twin)
        self._bots = (self._bot, twin)
        players = [Player(bot.name, lambda bot=bot: bot) for bot in self._bots]  # type: ignore[misc]
        players += [Player.of(load_bot(one)) for one in (settings.random, settings.greedy)]
        # nothing that is not ours runs in this process, so Ctrl-C is the user's
        game_settings = GameSettings(rules, settings.seed, settings.time_left)
        self._referee = Referee(game_settings, players, passes=lambda error: type(error) is KeyboardInterrupt)

    def _make(self, spec: BotSpec) -> PythonBot | WireBot:
        if spec.command:
            return WireBot(spec, self._settings.level, self._settings.limits, start=self._launch)
        return PythonBot(spec, self._rules, self._settings.level, self._settings.limits, start=self._launch)

    def _launch(self, launch: Launch) -> BotProcess:
        environment = {**launch.environment, "PYTHONHASHSEED": self._hash_seed}
        if self._audit:
            environment[AUDIT_VARIABLE] = self._ear.mark
        return _HeardProcess(replace(launch, environment=environment), self._ear)

    def start(self) -> StartTime | None:
        begun = time.perf_counter()
        self._bot.load()
        loaded = time.perf_counter()
        try:
            self._bot.prepare()
        except BotFault as fault:
            raise BotError(fault.detail) from None
        return StartTime(loaded - begun, time.perf_counter() - loaded)

    def ready(self) -> None:
        for bot in self._bots:
            with contextlib.suppress(BotFault):  # the game tells it
                bot.prepare()

    def game(self, task: GameTask) -> GameResult:
        return self._settings.results([self._referee.play(task)])[0]

    def close(self) -> None:
        for bot in self._bots:
            bot.close()

    @property
    def pid(self) -> int | None:
        process = self._bot.process
        return process.pid if isinstance(process, BotProcess) else None

    @property
    def attempts(self) -> list[Attempt]:
        return self._ear.attempts

    @property
    def printed(self) -> int:
        return self._ear.characters

    @property
    def flags(self) -> tuple[bool, bool] | None:
        return self._bot.auto_claim, self._bot.ask_forced


class WorkerSession(CheckSession):
    """The level `none`: the bot, its twin and the program's bots in a worker as `arena match` has them."""

    printed = 0

    def __init__(self, settings: CheckSettings, rules: Rules) -> None:
        limits = Limits(settings.limits.decision_s, settings.limits.loading_s)
        bots = (settings.spec, settings.twin, settings.random, settings.greedy)
        job = Job(rules.name, settings.seed, bots, settings.clock, limits)
        self._settings = settings
        self._names = {settings.spec.name, settings.twin.name}
        self._executor = LocalExecutor(job, None, self._hear, "spawn")
        self._chunks = 0

    def _hear(self, record: PlainRecord) -> None:
        logger, _, text, _, _ = record
        bot, colon, line = text.partition(": ")
        if logger == "arena.bots" and colon and bot in self._names:
            self.printed += len(line) + 1

    def game(self, task: GameTask) -> GameResult:
        a, b = (task.second, task.first) if task.game else (task.first, task.second)
        unit = PairTask(task.pairing, task.deal, a, b, games=(task.game,))
        self._chunks += 1
        self._executor.submit(Chunk(self._chunks, (unit,)))
        while True:
            for event in self._executor.events(_POLL_S):
                if isinstance(event, Failed):
                    raise WorkerFault(event.text) if event.ours else BotError(event.text)
                if isinstance(event, Played):
                    return self._settings.results(event.rows)[0]

    def close(self) -> None:
        self._executor.close()


@contextlib.contextmanager
def without_strays(level: str) -> Iterator[list[int]]:
    """End what bots leave behind at the level `process` (Linux). When it is over, the list has those processes.

    A sandbox ends with all that is in it, and a worker looks after what its bots have started.
    """
    found: list[int] = []
    if level != "process":
        yield found
        return
    before = set(children(os.getpid()))
    left_behind.clear()
    adopt_orphans()
    try:
        yield found
    finally:
        seen: set[int] = set()
        while strays := set(children(os.getpid())) - before - own_children() - seen:
            seen |= strays  # what they have started comes to us next
            time.sleep(_DYING_S)  # what was killed with its bot has ended by then
            found += kill_orphans(before | own_children())
        found += [pid for pid in left_behind if pid not in found]
        adopt_orphans(False)


def start_time(settings: CheckSettings, rules: Rules, open_session: OpenSession) -> StartTime | None:
    """Start a bot once, in a session of its own; BotError if it cannot be. None at the level `none`."""
    with contextlib.closing(open_session(settings, rules, STEADY, False)) as session:
        return session.start()


@functools.cache
def minimal_start(level: str, rules: Rules, open_session: OpenSession) -> StartTime | None:
    """The same for a bot that does nothing; None where it says nothing."""
    first = find_bot(str(data_folder("bots") / "first.py"))
    try:
        return start_time(CheckSettings(first, level, 0, Clock(), BotLimits()), rules, open_session)
    except ArenaError:  # the program's own folder cannot be sandboxed where it lies
        return None
