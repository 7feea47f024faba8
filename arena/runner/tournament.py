"""Playing a tournament: schedule x executor -> store.

The runner cuts the schedule into chunks, keeps a few of them in the executor's hands, and stores what comes
back in whatever order it comes; the store knows each game by its identity. How large the chunks are depends
on how fast the bots are and changes nothing but the time it takes.

What was reported is stored: progress counts games after their transaction.
"""

from __future__ import annotations

import logging
import secrets
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from types import FrameType
from typing import Any, TypeAlias

from arena.config.tournament import TournamentConfig
from arena.errors import ArenaError
from arena.formats.round_robin import FixedSchedule
from arena.formats.schedule import Schedule
from arena.isolation.sandbox.bubblewrap import usable
from arena.match.results import Progress as Done
from arena.match.tasks import Chunk, Task
from arena.players.spec import BotSpec, check_names, find_bot
from arena.processes.limits import Limits
from arena.runner.executors.base import Drained, Executor, Failed, Lost, Played, WorkerFault
from arena.runner.executors.choice import make_executor
from arena.runner.job import Plan
from arena.runner.logs import RunLog
from arena.runner.progress import Progress, Standing, Status
from arena.store.reader import BotEntry, Reader
from arena.store.schema import DATABASE
from arena.store.writer import Store, open_store, reopen_store

log = logging.getLogger("arena.runner")

_CHUNK_S = 0.4
_MOST_UNITS = 8192
_AHEAD = 2  # chunks for each worker: one in its hands, one that waits for it
_COMMIT_S = 0.2
_TICK_S = 0.25
_RATE_S = 10.0
_NOTES = 5

Stop: TypeAlias = Callable[[Reader], int | None]
"""Says of what is stored whether it is enough: None to play on, or the number of deals, from the first, that
make the result. It is asked before play and after each commit, and must depend on the games only."""


@dataclass(frozen=True)
class RunReport:
    """What a call of `run_tournament` has done.

    `played` games were stored by this call, `done` are in the store now, `total` are planned. `forfeits`
    counts the forfeited games of the whole run. `workers_lost` are worker processes that died or had to be
    stopped. A run that was interrupted has `done < total` and goes on with `resume=True`.
    """

    folder: Path
    seed: int
    played: int
    done: int
    total: int
    seconds: float
    interrupted: bool
    forfeits: int
    workers_lost: int = 0


def run_tournament(
    config: TournamentConfig,
    folder: Path,
    *,
    workers: int,
    executor: str = "local",
    scheduler: str | None = None,
    progress: Progress | None = None,
    resume: bool = False,
    limits: Limits | None = None,
    stop: Stop | None = None,
) -> RunReport:
    """Play what is left of a tournament and store it in `folder`; ArenaError for what a person can mend.

    A config without a seed gets one: that of the run in the folder if there is one, else a new one (see
    `RunReport.seed`). With `resume` there must be a run in the folder. Ctrl-C (SIGINT) and SIGTERM finish
    the games in hand and store them, a second one stops at once; both end with `interrupted` in the report.

    When `stop` says that the first deals are enough, the run is over and holds those only: what was played
    beyond them, which depends on the workers, is dropped.
    """
    folder = Path(folder)
    if config.seed is None:
        stored = _stored_seed(folder)
        config = config.with_seed(secrets.randbits(62) if stored is None else stored)
    assert config.seed is not None
    schedule = config.schedule()
    specs = tuple(find_bot(bot.spec, bot.params, bot.name) for bot in config.bots)
    check_names(specs)
    levels = config.levels
    if "sandbox" in levels:
        usable()  # before anything is written
    plan = Plan(
        config.rules,
        config.seed,
        specs,
        config.clock,
        limits or config.limits,
        max(workers, 1),
        levels=levels,
    )
    entries = [_entry(spec) for spec in specs]
    if resume:
        store = reopen_store(folder, entries, config.clocked)
    else:
        store = open_store(folder, config.canonical(), entries, config.to_dict(), config.clocked)
    try:
        with RunLog(folder) as run_log, Signals() as signals:
            session = _Session(
                config.name, config.seed, schedule, store, progress or _Silent(), signals, stop
            )
            if session.enough() or not session.left():
                return session.report()
            store.begin_session({"workers": workers, "executor": executor})
            log.info("%s: seed %d, %d workers, %s", config.name, config.seed, workers, executor)
            crew = make_executor(
                plan, workers=workers, executor=executor, scheduler=scheduler, sink=run_log.sink
            )
            try:
                session.play(crew)
            finally:
                crew.close()
            return session.report()
    finally:
        store.close()


def _stored_seed(folder: Path) -> int | None:
    if not (folder / DATABASE).is_file():
        return None
    with Reader(folder) as reader:
        seed = reader.config().get("seed")
    return seed if isinstance(seed, int) else None


def _entry(spec: BotSpec) -> BotEntry:
    return BotEntry(spec.name, spec.spec, spec.source_hash, dict(spec.params))


class _Silent:
    """Progress that nobody looks at."""

    def begin(self, name: str, seed: int, status: Status) -> None: ...
    def update(self, status: Status) -> None: ...
    def note(self, text: str) -> None: ...
    def end(self, status: Status, interrupted: bool) -> None: ...


# ---------------------------------------------------------------- Ctrl-C


class Signals:
    """Counts requests to stop. Python handles signals in the main thread; elsewhere nothing is changed."""

    def __init__(self) -> None:
        self.count = 0
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Signals:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._before[number] = signal.signal(number, self._handle)
        return self

    def __exit__(self, *error: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        self.count += 1


# ---------------------------------------------------------------- a stretch of work


class _Session:
    """One stretch of work on a run, from wherever the store is to its end or an interruption."""

    def __init__(
        self,
        name: str,
        seed: int,
        schedule: Schedule,
        store: Store,
        progress: Progress,
        signals: Signals,
        stop: Stop | None,
    ) -> None:
        self.name = name
        self.seed = seed
        self.schedule = schedule
        self.store = store
        self.progress = progress
        self.signals = signals
        self.stop = stop
        self.before = store.progress()
        self.total = schedule.planned(self.before)
        self.played = 0
        self.dropped = 0
        self.lost = 0
        self.interrupted = False
        self.started = time.monotonic()
        self.scores = _Scores(schedule, self.before)
        self._recent: deque[tuple[float, int]] = deque([(self.started, 0)])
        self._per_unit = 0.0  # seconds that a worker takes for a unit

    def left(self) -> bool:
        """Is there anything to play?"""
        return next(iter(self.schedule.tasks(self.before)), None) is not None

    def enough(self) -> bool:
        """Is the run over because `stop` says so? Then only the deals that count are kept."""
        deals = None if self.stop is None else self.stop(self.store)
        if deals is None:
            return False
        self.dropped += self.store.drop_from(deals)
        self.total = self.done
        return True

    @property
    def done(self) -> int:
        """Games in the store."""
        return self.before.games + self.played - self.dropped

    def play(self, crew: Executor) -> None:
        """Play wave after wave."""
        self.progress.begin(self.name, self.seed, self.status())
        done = self.before
        try:
            while not self.interrupted:
                wave = self.schedule.tasks(done)
                first = next(wave, None)
                if first is None:
                    break
                self._play_wave(crew, first, wave)
                if not self.schedule.stepwise:
                    break
                done = self.store.progress()
                self.total = self.schedule.planned(done)
                self.scores = _Scores(self.schedule, done)
        finally:
            self.progress.end(self.status(), self.interrupted)

    def _play_wave(self, crew: Executor, first: Task, rest: Iterator[Task]) -> None:
        source = _Cutter(first, rest)
        units_out = 0
        stop_asked = False
        waiting: list[Played] = []
        committed = time.monotonic()
        chunks_out: dict[int, int] = {}
        while True:
            if self.signals.count and not stop_asked:
                stop_asked = True
                self.interrupted = True
                self.progress.note(
                    "Stopping: the games in hand are finished and stored. Again to stop at once."
                )
                crew.drain()
            while not stop_asked and len(chunks_out) < _AHEAD * crew.slots:
                chunk = source.cut(self._units(units_out, crew.slots))
                if chunk is None:
                    break
                chunks_out[chunk.number] = len(chunk)
                units_out += len(chunk)
                crew.submit(chunk)
            if not chunks_out and not waiting:
                return
            drained = False
            for event in crew.events(_TICK_S if chunks_out else 0.0):
                match event:
                    case Played():
                        waiting.append(event)
                        number, units = event.chunk.number, len(event.chunk)
                        chunks_out[number] -= units
                        units_out -= units
                        if not chunks_out[number]:
                            del chunks_out[number]
                        self._learn(event.seconds / units)
                    case Lost():
                        self._lose(event)
                    case Failed():
                        self._commit(waiting)
                        raise WorkerFault(event.text) if event.ours else ArenaError(event.text)
                    case Drained():
                        drained = True
            now = time.monotonic()
            if waiting and (now - committed >= _COMMIT_S or drained or not chunks_out or stop_asked):
                self._commit(waiting)
                waiting = []
                committed = now
                if self.enough():
                    return
            if self.signals.count > 1 or (drained and stop_asked):
                self._commit(waiting)
                return
            self.progress.update(self.status())

    # ------------------------------------------------------------ size of chunks

    def _learn(self, seconds: float) -> None:
        old = self._per_unit
        self._per_unit = seconds if old == 0 else old + (seconds - old) * 0.3

    def _units(self, units_out: int, slots: int) -> int:
        """Units for the next chunk: some tenths of a second, and less towards the end, so that no worker is
        left alone with the last of them."""
        if self._per_unit == 0:
            return 1
        wanted = int(_CHUNK_S / self._per_unit)
        planned = (self.total - self.before.games - self.played) // 2 - units_out
        share = planned // (2 * slots)
        return max(1, wanted // 16, min(wanted, share, _MOST_UNITS))

    # ------------------------------------------------------------ results

    def _commit(self, waiting: Sequence[Played]) -> None:
        if not waiting:
            return
        self.played += self.store.add_many([(event.chunk, event.rows) for event in waiting])
        for event in waiting:
            self.scores.add(event)
        now = time.monotonic()
        self._recent.append((now, self.played))
        while len(self._recent) > 2 and now - self._recent[0][0] > _RATE_S:
            self._recent.popleft()

    def _lose(self, event: Lost) -> None:
        self.lost += 1
        log.warning("%s", event.text)
        if self.lost <= _NOTES:
            self.progress.note(event.text)
        elif self.lost == _NOTES + 1:
            self.progress.note("More workers died or were stopped; run.log names them.")

    # ------------------------------------------------------------ telling

    def status(self) -> Status:
        now = time.monotonic()
        since, games = self._recent[0]
        rate = (self.played - games) / (now - since) if self.played > games and now > since else 0.0
        done = self.done
        left = (self.total - done) / rate if rate else None
        return Status(done, self.total, now - self.started, rate, left, self.scores.standing)

    def report(self) -> RunReport:
        done = self.done
        total, left = self.total, done < self.total
        if not isinstance(self.schedule, FixedSchedule):  # where that is exact; reading all games takes long
            progress = self.store.progress()
            total = self.schedule.planned(progress)
            left = next(iter(self.schedule.tasks(progress)), None) is not None
        return RunReport(
            folder=self.store.folder,
            seed=self.seed,
            played=self.played,
            done=done,
            total=total,
            seconds=time.monotonic() - self.started,
            interrupted=self.interrupted and left,  # it may have come with the last game
            forfeits=sum(entry.games for entry in self.store.forfeits()),
            workers_lost=self.lost,
        )


class _Cutter:
    """Cuts a stream of units into chunks of changing size."""

    def __init__(self, first: Task, rest: Iterator[Task]) -> None:
        self._first: tuple[Task, ...] = (first,)
        self._rest = rest
        self._number = 0

    def cut(self, units: int) -> Chunk | None:
        tasks = (*self._first, *islice(self._rest, units - len(self._first)))
        self._first = ()
        if not tasks:
            return None
        self._number += 1
        return Chunk(self._number, tasks)


class _Scores:
    """Games and points of each bot so far, for display; kept up without reading the store."""

    def __init__(self, schedule: Schedule, done: Done) -> None:
        self._bots = {bot: [0, 0.0] for bot in schedule.bots}
        for pairing in schedule.pairings(done):
            score = done.score(pairing.number)
            self._enter(pairing.a, pairing.b, score.games, score.wins + score.draws / 2)

    def _enter(self, a: str, b: str, games: int, points: float) -> None:
        for bot, share in ((a, points), (b, games - points)):
            total = self._bots[bot]
            total[0] += games
            total[1] += share

    def add(self, event: Played) -> None:
        numbers, _, ones, twos, *_ = zip(*event.chunk.tasks)
        names: dict[int, tuple[str, str]] = dict(zip(numbers, zip(ones, twos)))
        for number, score in event.scores.items():
            self._enter(*names[number], score[0], score[1] + score[2] / 2)

    def standing(self) -> list[Standing]:
        """Best share of the points first."""
        places = [
            Standing(bot, int(games), points / games if games else 0.0)
            for bot, (games, points) in self._bots.items()
        ]
        return sorted(places, key=lambda place: -place.share)
