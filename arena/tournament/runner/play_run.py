"""Play a run: settings -> schedule x executor -> store, from wherever the store is to the end or an interruption.

Everything reported is already stored: progress counts games after their transaction.
"""

from __future__ import annotations

import contextlib
import logging
import secrets
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import NoReturn, TypeAlias

from arena.bots.cores import core_count
from arena.bots.isolation.process import require_isolation
from arena.bots.spec import check_names
from arena.endings import AFTER
from arena.errors import ArenaError
from arena.tournament.config import TournamentConfig, config_from_dict
from arena.tournament.folders import is_begun
from arena.tournament.formats.schedule import Schedule
from arena.tournament.games import ScheduleProgress, Task
from arena.tournament.growth import growing_key, growth_command, least_size, option_of
from arena.tournament.runner.executors import Dispatcher, Executor, StopSignals, WorkerFault, make_executor
from arena.tournament.runner.job import Failed, Job, Lost, Played
from arena.tournament.runner.logs import LOG, RunLog
from arena.tournament.runner.progress import GameRate, ProgressListener, RunningScores, RunStatus
from arena.tournament.runner.supervisor import Supervisor
from arena.tournament.store.reader import BotEntry, Reader
from arena.tournament.store.sqlite import DATABASE, StoreError
from arena.tournament.store.writer import OtherSettings, Store, open_store, reopen_store, setting_differences

_log = logging.getLogger("arena.tournament.runner")

_MAX_NOTES = 5

StoppingRule: TypeAlias = Callable[[Reader], int | None]
"""Decide whether the run can stop: None to continue, or the number of deals, from the first, that make the result.
It must depend on the games only."""

More: TypeAlias = Callable[[Reader], TournamentConfig | None]
"""Decide whether a finished run is extended: None, or its settings with more games. It must depend on the games
only."""


@dataclass(frozen=True)
class RunReport:
    """The result of a call of `play_run`.

    `played` games were stored by this call, `done` are in the store now, `total` are planned. `forfeits`
    counts the forfeited games of the whole run, `workers_lost` the worker processes that died or had to be
    stopped. An interrupted run has `done < total` and can be resumed with `resume=True`.
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


def play_run(
    config: TournamentConfig,
    folder: Path,
    progress: ProgressListener | None = None,
    *,
    resume: bool = False,
    verdict: StoppingRule | None = None,
    more: More | None = None,
) -> RunReport:
    """Play what is left of a tournament and store it in `folder`; ArenaError for what the user can fix.

    A config without a seed gets the seed of the run in the folder, or a new one (see `RunReport.seed`). With `resume`
    there must be a run in the folder. Ctrl-C (SIGINT), SIGTERM and SIGHUP finish the games in progress and store them,
    a second one stops at once; both set `interrupted` in the report.

    `verdict` (default: the format's own) is called before play and after each commit. When it is reached, the run ends
    and keeps only the deals that the verdict rests on: how many were played beyond them depends on the workers. When
    all games are played, `more` may extend the run.
    """
    folder = Path(folder)
    if config.seed is None:
        stored = _stored_seed(folder)
        config = config.with_seed(secrets.randbits(62) if stored is None else stored)
    made = not folder.exists()
    job = job_of(config)
    store = _open(folder, config, job, resume)
    try:
        with closing(store):
            if asks_for_more(store, config):
                store.grow(config.canonical(), config.to_dict())
            with RunLog(folder) as run_log, StopSignals() as signals:
                session = _Session(
                    config, store, signals, progress or ProgressListener(), verdict or config.verdict(), more
                )
                if not session.is_over():
                    store.begin_session({"workers": job.workers, "executor": config.executor})
                    _log.info("%s: seed %d, %d workers, %s", config.name, job.seed, job.workers, config.executor)
                    with closing(make_executor(job, config.executor, config.scheduler, run_log.sink)) as executor:
                        session.play(executor)
                return session.report()
    except ArenaError:
        if made:
            _remove_unplayed(folder)
        raise


# ---------------------------------------------------------------- before play


def job_of(config: TournamentConfig) -> Job:
    """Return what the workers of a run need; the config must have a seed.

    ArenaError for a bot that does not exist, and if this machine cannot isolate bots as the config requires.
    """
    assert config.seed is not None
    bots = config.find_bots()
    check_names(bots)
    for level in config.levels:
        require_isolation(level)
    return Job(
        rules=config.rules,
        seed=config.seed,
        bots=bots,
        clock=config.clock,
        limits=config.limits,
        workers=config.workers or core_count(),
        levels=config.levels,
        notes=config.notes,
    )


def require_bots(config: TournamentConfig) -> None:
    """Load all bots once, as workers do, and raise what would end the run, such as an unknown parameter."""
    if config.executor == "local":
        _require_bots(_loading(job_of(config.with_seed(0))))


def _loading(job: Job) -> Job:
    """Return the part of a job that loading its bots depends on."""
    return replace(job, rules="base", seed=0, workers=1)


@lru_cache(maxsize=8)  # a comparison plays the same bots under several rule sets
def _require_bots(job: Job) -> None:
    supervisor = Supervisor(job, lambda event: None, lambda record: None)
    try:
        failed = supervisor.load()
    finally:
        supervisor.close()
    if failed is not None:
        fail(failed)


def _open(folder: Path, config: TournamentConfig, job: Job, resume: bool) -> Store:
    """Open the store of a run; a new one only after its bots could be loaded here."""
    bots = [BotEntry(bot.name, bot.spec, bot.source_hash, dict(bot.params)) for bot in job.bots]
    if resume:
        return reopen_store(folder, bots)
    if config.executor == "local" and not is_begun(folder):
        _require_bots(_loading(job))
    try:
        return open_store(folder, config.canonical(), bots, config.to_dict())
    except OtherSettings as other:
        if other.keys != [growing_key(config)]:
            raise
        command = growth_command(config, folder)
        raise StoreError(f"{other}\nOr extend that run, if it has fewer: {command}") from None


def asks_for_more(reader: Reader, config: TournamentConfig) -> bool:
    """Return whether settings ask for another number of games than the stored run's. StoreError for too few games."""
    key = growing_key(config)
    before = config_from_dict(reader.settings(), f"settings stored in {reader.folder}").with_seed(config.seed or 0)
    lines = setting_differences(before.canonical(), config.canonical())
    if not key or (not lines and before.schedule().extent == config.schedule().extent):
        return False
    if any(not line.startswith(f"{key}: ") for line in lines):
        raise OtherSettings(reader.folder, lines)
    asked, least = least_size(config, reader.last_deal())
    if asked < least:
        grows = config.form.grows
        assert grows is not None
        raise StoreError(
            f"{reader.folder} already has {least} {grows.noun}; {option_of(grows.key)} must be at least {least}"
        )
    return True


def _stored_seed(folder: Path) -> int | None:
    if not is_begun(folder):
        return None
    with Reader(folder) as reader:
        seed: int = reader.config()["seed"]
    return seed


def _remove_unplayed(folder: Path) -> None:
    """Remove the folder of a run that could not be played; otherwise it would look like a run."""
    with Reader(folder) as reader:
        if reader.count():
            return
    for name in (DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm", ".lock", LOG):
        with contextlib.suppress(OSError):
            (folder / name).unlink()
    with contextlib.suppress(OSError):  # it holds other files
        folder.rmdir()


# ---------------------------------------------------------------- play


class _Session:
    """Plays what is left of a run and stores it."""

    def __init__(
        self,
        config: TournamentConfig,
        store: Store,
        signals: StopSignals,
        listener: ProgressListener,
        verdict: StoppingRule | None,
        more: More | None,
    ) -> None:
        assert config.seed is not None
        self._name, self._seed = config.name, config.seed
        self._schedule = config.schedule()
        self._store = store
        self._signals = signals
        self._listener = listener
        self._verdict = verdict
        self._more = more
        self._before = store.progress()
        self._figures = _Figures(store, self._schedule, self._before, at_most=verdict is not None)
        self._lost = 0
        self._started = time.monotonic()

    def is_over(self) -> bool:
        """Return whether nothing is left to play; drop the deals beyond a verdict."""
        return self._is_decided() or self._next_wave(self._before) is None

    def play(self, executor: Executor) -> None:
        """Play one wave of units after another, until none is left or the user stops the run."""
        dispatcher = self._dispatcher(executor)
        self._figures.begin(executor)
        self._listener.begin(self._name, self._seed, self._figures.status())
        try:
            done = self._before
            while not self._signals.stopping and (wave := self._next_wave(done)) is not None:
                dispatcher.play(wave, self._figures.left // 2, self._commit)  # about: a series is longer
                if self._schedule.fixed and self._more is None:
                    break  # it was the only wave; reading all games takes long
                done = self._store.progress()
                self._figures.follow(self._schedule, done)
        finally:
            self._listener.end(self._figures.status(), self._signals.stopping)

    def report(self) -> RunReport:
        """Return what has been done so far."""
        done, total = self._figures.done, self._figures.total
        is_left = done < total
        if not self._schedule.fixed:  # for a fixed one `done` is enough; reading all games takes long
            progress = self._store.progress()
            total = self._schedule.planned(progress)
            is_left = next(self._schedule.tasks(progress), None) is not None
        return RunReport(
            folder=self._store.folder,
            seed=self._seed,
            played=self._figures.played,
            done=done,
            total=total,
            seconds=time.monotonic() - self._started,
            interrupted=self._signals.stopping and is_left,  # the signal may have come with the last game
            forfeits=self._store.count(forfeited=True),
            workers_lost=self._lost,
        )

    # ------------------------------------------------------------ what to play

    def _next_wave(self, done: ScheduleProgress) -> Iterator[Task] | None:
        """Return the units that can be played now, extending a finished run if `more` asks for it; None without any."""
        while True:
            wave = self._schedule.tasks(done)
            first = next(wave, None)
            if first is not None:
                return chain([first], wave)
            if not self._grow(done):
                return None

    def _grow(self, done: ScheduleProgress) -> bool:
        """Extend a finished run; return True if extended."""
        config = None if self._more is None else self._more(self._store)
        if config is None:
            return False
        self._store.grow(config.canonical(), config.to_dict())
        self._schedule = config.schedule()
        self._figures.follow(self._schedule, done)
        return True

    def _is_decided(self) -> bool:
        """Return whether the verdict is reached; if so, drop the deals beyond those that it rests on."""
        deals = None if self._verdict is None else self._verdict(self._store)
        if deals is None:
            return False
        self._figures.drop(self._store.drop_from(deals))
        return True

    # ------------------------------------------------------------ for the dispatcher

    def _dispatcher(self, executor: Executor) -> Dispatcher:
        return Dispatcher(
            executor,
            self._signals,
            failed=fail,
            lost=self._note_lost,
            stopping=lambda: self._listener.note(
                "Stopping after the games in progress, which will be stored. Press Ctrl-C again to discard them."
            ),
            tick=lambda: self._listener.update(self._figures.status()),
        )

    def _commit(self, deliveries: Sequence[Played]) -> bool:
        """Store what came back; return whether that is enough."""
        stored = self._store.add([(played.chunk, played.rows) for played in deliveries])
        self._figures.add(deliveries, stored)
        return self._is_decided()

    def _note_lost(self, event: Lost) -> None:
        self._lost += event.worker
        _log.warning("%s", event.text)
        if self._lost <= _MAX_NOTES or not event.worker:
            self._listener.note(event.text)
        elif self._lost == _MAX_NOTES + 1:
            self._listener.note("More workers died or were stopped; run.log names them.")


class _Figures:
    """What a session reports while it plays, kept up without reading the store."""

    def __init__(self, store: Store, schedule: Schedule, done: ScheduleProgress, at_most: bool) -> None:
        self._store = store
        self._at_most = at_most
        self.done = done.games
        self.played = 0
        self._units = schedule.units_done(done)
        self._rate = GameRate()
        self._last_result = time.monotonic()
        self._moves: Callable[[], int] = int
        self.follow(schedule, done)

    def follow(self, schedule: Schedule, done: ScheduleProgress) -> None:
        """Plan anew from what is done: when a wave has ended, or the run was extended."""
        self._schedule = schedule
        self.total = schedule.planned(done)
        self._scores = RunningScores(schedule, done, self._stored_forfeits)

    def begin(self, executor: Executor) -> None:
        """Start counting the time without a result, now that there are workers."""
        self._last_result, self._moves = time.monotonic(), executor.moves_in_play

    def add(self, deliveries: Sequence[Played], stored: int) -> None:
        """Count deliveries, of which `stored` games were new."""
        self.done += stored
        self.played += stored
        for played in deliveries:
            self._scores.add(played)
            self._units += len(played.chunk.tasks)
        self.total = self._schedule.expected(self.done, self._units) or self.total
        self._rate.add(self.played)
        self._last_result = time.monotonic()

    def drop(self, games: int) -> None:
        """Take away games that were dropped from the store, and plan no more than are left."""
        self.done -= games
        self.total = self.done

    @property
    def left(self) -> int:
        """Games that are still planned."""
        return self.total - self.done

    def status(self) -> RunStatus:
        """Return the figures as they are now."""
        rate = self._rate.per_second(self.played)
        return RunStatus(
            done=self.done,
            total=self.total,
            rate=rate,
            seconds_left=self.left / rate if rate else None,
            at_most=self._at_most,
            quiet_s=time.monotonic() - self._last_result,
            moves=self._moves,
            bots=self._schedule.bots,
            results=self._scores.results,
            forfeits=self._scores.forfeits,
        )

    def _stored_forfeits(self) -> Counter[str]:
        """Count the games in the store that each bot forfeited."""
        forfeits: Counter[str] = Counter()
        for line in self._store.forfeit_reasons() if self._store.count() else ():
            if line.kind != AFTER:
                forfeits[line.bot] += line.games
        return forfeits


def fail(event: Failed) -> NoReturn:
    """Raise the error that a `Failed` means: ArenaError for what the user can fix, else WorkerFault."""
    raise WorkerFault(event.text) if event.ours else ArenaError(event.text)
