"""Play a run: settings -> schedule x pool -> store, from wherever the store is to the end or an interruption.

Everything reported is already stored: progress counts games after their transaction.
"""

from __future__ import annotations

import contextlib
import logging
import shutil
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass, field, replace
from importlib import import_module
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

from arena.bots.bundle import bundles_folder
from arena.bots.cores import core_count
from arena.bots.isolation.process import require_isolation
from arena.bots.limits import Limits
from arena.bots.spec import BotSpec, check_names
from arena.endings import ForfeitKind
from arena.errors import ArenaError, did_you_mean
from arena.settings import as_dict
from arena.text import first_line, one_line
from arena.tournament.config import TournamentConfig
from arena.tournament.folders import stored_run, with_drawn_seed
from arena.tournament.forfeits import ForfeitSummary, reason_line
from arena.tournament.games import ScheduleProgress, Task
from arena.tournament.plan import Plan, Silence, entries_of, first_silent, plan_run, shown_pairings, suspects
from arena.tournament.rows import GameSettings, full_deals
from arena.tournament.run_settings import LOCAL, GauntletSettings
from arena.tournament.runner.job import Job, Lost, Played
from arena.tournament.runner.logs import RunLog, Sink
from arena.tournament.runner.pool import BotRefused, StopSignals, WorkerPool, fail
from arena.tournament.runner.progress import ProgressListener, RunFigures, RunStatus, Wait
from arena.tournament.runner.supervisor import Stopped, Supervisor
from arena.tournament.store.reader import Reader
from arena.tournament.store.sqlite import StoreError
from arena.tournament.store.writer import Store, open_store

_log = logging.getLogger("arena.tournament.runner")

CLUSTER = "arena.tournament.runner.dask"
"""The module of the pool on a cluster, imported only when one plays."""
_MAX_NOTES = 5
_MOST_NAMED = 10
_LONGEST_REASON = 200

StoppingRule: TypeAlias = Callable[[Reader], int | None]
"""Decide whether the run can stop: None to continue, or the number of deals, from the first, that make the result.
It must depend on the games only."""

More: TypeAlias = Callable[[Reader], int | None]
"""Decide whether a finished run is extended: None, or a larger number of games per pairing. It must depend on the
games only."""


@dataclass(frozen=True)
class RunReport:
    """The result of a call of `play_run`.

    `played` games were stored by this call, `done` are in the store now, `total` are planned. `forfeits`
    counts the forfeited games of the whole run, `workers_lost` the worker processes that died or had to be
    stopped. `stopped` says whether the user asked for an end, `interrupted` whether games are left as well; the same
    call resumes the run. `left_out` says why bots did not play, by name.
    """

    folder: Path
    seed: int
    played: int
    done: int
    total: int
    seconds: float
    stopped: bool
    interrupted: bool
    forfeits: int
    workers_lost: int = 0
    left_out: Mapping[str, str] = field(default_factory=dict)


def play_run(
    config: TournamentConfig,
    folder: Path,
    progress: ProgressListener | None = None,
    *,
    verdict: StoppingRule | None = None,
    more: More | None = None,
    again: Collection[str] = (),
    job: Job | None = None,
) -> RunReport:
    """Bring the run in `folder` up to date: play and store what the settings ask for and what is not stored yet.

    Stored games stay when the field changes (`arena.tournament.plan`); the bots named in `again` play theirs again. A
    bot that cannot be loaded is left out if the format can do without it. ArenaError for what the user can fix.

    A config without a seed gets the seed of the run in the folder, or a new one (see `RunReport.seed`). Ctrl-C
    (SIGINT), SIGTERM and SIGHUP finish the games in progress and store them, a second one stops at once; both set
    `stopped` in the report. While bots are loaded, before play, each of them raises KeyboardInterrupt.

    `verdict` (default: the format's own) is called before play and after each commit. When it is reached, the run ends,
    and its tables show only the deals that the verdict rests on: how many were played beyond them depends on the
    workers. When all games are played, `more` may ask for a larger number. `job` replaces the one that follows from the
    settings.
    """
    folder, listener = Path(folder), progress or ProgressListener()
    made, config = not folder.exists(), with_stored_seed(config, folder)
    left_out, counts = dict[str, str](), Counter[str]()
    try:
        with closing(open_store(folder)) as store, bundles_folder(folder) as bundles:
            while True:
                run = _prepared(config, store, again, left_out, job)
                session = _Session(run, store, listener, verdict or config.verdict(), more, counts)
                try:
                    return session.play(bundles)
                except BotRefused as refused:  # it does not answer, or a worker elsewhere cannot load it
                    if not _can_leave_out(run.config, refused.bot):
                        raise
                    left_out = {**run.left_out, refused.bot: str(refused)}
                    again = [bot for bot in again if bot != refused.bot]
    except BaseException:
        if made:
            _remove_unplayed(folder)
        raise


# ---------------------------------------------------------------- before play


class BotSilent(BotRefused):
    """A bot does not answer, and the run cannot do without it."""

    exit_code = 1


@dataclass(frozen=True)
class Prepared:
    """A run that can begin: its bots can be loaded here.

    `asked` are the settings, `config` the same without the bots that are `left_out`, by name with the reason.
    """

    asked: TournamentConfig
    config: TournamentConfig
    job: Job
    left_out: Mapping[str, str]
    plan: Plan

    def grown(self, stored: Reader, games: int) -> Plan:
        """Plan the run again, with a larger number of games."""
        config, asked = replace(self.config, games=games), replace(self.asked, games=games)
        return plan_run(config, self.job.bots, stored, asked=asked, left_out=self.left_out)


def with_stored_seed(config: TournamentConfig, folder: Path) -> TournamentConfig:
    """Return the config with a seed: its own, that of the run in the folder, or a new one."""
    if config.seed is not None:
        return config
    stored = stored_run(folder)
    if stored is None:
        return with_drawn_seed(config)
    with stored:
        return config.with_seed(stored.config()["seed"])


def prepare(config: TournamentConfig, folder: Path, again: Collection[str] = ()) -> Prepared:
    """Plan a run of settings with a seed, and load its new bots once, as workers do; nothing is written.

    A bot that cannot be loaded, or does not answer, is left out if the format can do without it; else BotRefused. Bots
    that play elsewhere are not loaded here.
    """
    stored = stored_run(folder)
    with nullcontext() if stored is None else closing(stored):
        return _prepared(config, stored, again, {}, None)


def _prepared(
    config: TournamentConfig,
    stored: Reader | None,
    again: Collection[str],
    left_out: Mapping[str, str],
    given: Job | None,
) -> Prepared:
    unknown = [name for name in again if name not in config.bot_names]
    if unknown:
        near = did_you_mean(unknown[0], config.bot_names)
        raise ArenaError(f"--again {unknown[0]}: no such bot{near} ({', '.join(config.bot_names[:_MOST_NAMED])})")
    known = set() if stored is None else {entry.identity for entry in stored.entries().values()}
    kept_out: Collection[str] | None = None  # a stored run that takes no other bots does without these only
    if config.form.closed and stored is not None and stored.is_begun and stored.count_all():
        kept_out = stored.left_out()
    while True:
        playing = replace(config, bots=tuple(bot for bot in config.bots if bot.name not in left_out))
        job = given or job_of(playing)
        entries = entries_of(playing, job.bots)
        new = {entry.name for entry in entries if entry.identity not in known or entry.name in again}
        refused = _unloadable_bot(playing, job, new)
        if refused is None:
            plan = plan_run(playing, job.bots, stored, asked=config, left_out=left_out, again=again)
            if plan.silence is None:
                return Prepared(config, playing, job, left_out, plan)
            refused = _silence_error(playing, plan.silence)
        if not _can_leave_out(playing, refused.bot) or (kept_out is not None and refused.bot not in kept_out):
            raise refused
        left_out = {**left_out, refused.bot: str(refused)}


def _unloadable_bot(config: TournamentConfig, job: Job, new: Collection[str]) -> BotRefused | None:
    """Load the bots that are new in the run, if they play here; return the first that cannot be loaded."""
    if config.scheduler == LOCAL and new:
        try:
            _require_bots(job, new)
        except BotRefused as refused:
            return refused
    return None


def _silence_error(config: TournamentConfig, silence: Silence) -> BotSilent:
    text = silence.text(config.limits.decision_s)
    if not _can_leave_out(config, silence.bot):
        text = f"the run ends without a result, because {silence.bot} does not play: {text}"
    return BotSilent(text, silence.bot)


def _can_leave_out(config: TournamentConfig, bot: str) -> bool:
    """Return whether the run can do without a bot: it is not a test of two bots, and the others are enough."""
    others = [name for name in config.bot_names if name != bot]
    settings = config.format_settings
    faults = config.form.two_bots or len(others) < 2 or len(others) == len(config.bots)
    if isinstance(settings, GauntletSettings) and not settings.hero:  # the first plays all, and the second may not
        faults |= bot == config.bot_names[0]
    return not faults and not list(settings.faults(others))


def job_of(config: TournamentConfig, bots: tuple[BotSpec, ...] | None = None) -> Job:
    """Return what the workers of a run need; the config must have a seed. Its bots are found, unless they are given.

    ArenaError for a bot that does not exist, and if this machine cannot isolate bots as the config requires.
    """
    assert config.seed is not None
    bots = bots or config.find_bots()
    check_names(bots)
    for level in config.levels:
        require_isolation(level)
    deals = dict(enumerate(full_deals(config.rules, config.deals)))
    own = config.deals_apart
    game = GameSettings.of(config.rules, config.seed, config.clock, notes=config.notes, own_deals=own, deals=deals)
    return Job(game, bots, config.limits, config.workers or core_count(), config.levels)


def _require_bots(job: Job, names: Collection[str]) -> None:
    """Load and make these bots of a job once, as a worker does. Raise what `fail` does if that cannot be done."""
    chosen = [number for number, bot in enumerate(job.bots) if bot.name in names]
    bots, levels = tuple(job.bots[at] for at in chosen), tuple(job.levels[at] for at in chosen)
    trial = replace(job, bots=bots, levels=levels, workers=1, is_trial=True)
    with TemporaryDirectory(prefix="arena-") as parent, bundles_folder(Path(parent)) as bundles:
        supervisor = Supervisor(trial.placed(bundles), lambda event: None, lambda record: None)
        failed = None
        with StopSignals(supervisor.stop) as signals, contextlib.suppress(Stopped), closing(supervisor):
            failed = supervisor.load()
    if signals.stopping:
        raise KeyboardInterrupt
    if failed is not None:
        fail(failed)


def _make_pool(job: Job, scheduler: str, sink: Sink) -> WorkerPool:
    """Make the pool of this machine, or that of a cluster; `sink` gets what workers and bots log.

    ArenaError if the package that a cluster needs is not installed.
    """
    if scheduler == LOCAL:
        return WorkerPool(job, sink)
    try:
        module = import_module(CLUSTER)
    except ImportError as error:
        raise ArenaError(
            f"a cluster needs the package {error.name}; install it with: pip install 'schotten-arena[cluster]'"
        ) from error
    pool: WorkerPool = module.DaskPool(job, scheduler, sink)
    return pool


def _remove_unplayed(folder: Path) -> None:
    """Remove the folder, just made, of a run that could not be played; otherwise it would look like a run."""
    try:
        with Reader(folder) as reader:
            if reader.count_all():
                return
    except StoreError:  # why the run could not be played says more
        return
    shutil.rmtree(folder, ignore_errors=True)


# ---------------------------------------------------------------- play


class _Session:
    """Plays what is left of a run and stores it."""

    def __init__(
        self,
        run: Prepared,
        store: Store,
        listener: ProgressListener,
        verdict: StoppingRule | None,
        more: More | None,
        counts: Counter[str],
    ) -> None:
        self._run, self._config = run, run.config
        self._schedule = run.config.schedule()
        self._store = store
        self._signals = StopSignals()
        self._listener = listener
        self._verdict = verdict
        self._more = more
        self._counts = counts  # "played" games, "lost" workers
        self._done = run.plan.done
        self._has_silent = not run.job.clocked and store.has_silent()
        self._suspects = suspects(store.columns()) if self._has_silent else set[str]()
        self._walkovers = dict.fromkeys(store.walkovers(), "it gave no answer, so its opponents won by walkovers")
        self._figures = RunFigures(self._schedule, self._done, self._stored_forfeits)
        self._pool: WorkerPool | None = None
        self._has_begun = self._is_stopping = False
        self._started = time.monotonic()

    def play(self, bundles: Path) -> RunReport:
        """Play what is left, with the bots loaded from a folder of bundles; return what has been done."""
        run = self._run
        job = run.job
        if self._config.scheduler == LOCAL and (run.plan.missing or self._more is not None):
            job = job.placed(bundles)  # a cluster gets the files
        self._listener.plan(run.plan)
        for bot, why in run.left_out.items() if run.plan.missing else ():
            self._listener.note(f"{one_line(bot)} is left out: {first_line(reason_line(why), _LONGEST_REASON)}")
        self._store.bring_up(run.plan.wanted)
        self._tell_of_other_limits()
        with RunLog(self._store.folder) as run_log, self._signals:
            self._play_waves(job, run_log.sink)
        return self._report()  # after the last moment at which a signal only counts

    def _play_waves(self, job: Job, sink: Sink) -> None:
        """Play one wave of units after another, until none is left or the user stops the run."""
        try:
            while not (self._signals.stopping or self._is_decided()) and (wave := self._next_wave()) is not None:
                if self._pool is None:
                    self._begin(job)
                    self._pool = _make_pool(job, self._config.scheduler, sink)
                    self._listener.begin(self._config.name, job.game.seed, self._status())
                left = self._figures.total - self._figures.done
                self._pool.play(  # half as many units as games, about: a series is longer
                    wave, left // 2, self._commit, self._signals, lost=self._note_lost, tick=self._tick
                )
                if self._schedule.fixed and self._more is None and self._figures.done == self._figures.total:
                    break  # it was the only wave; reading all games takes long
                if self._suspects and self._look_for_silence():
                    self._close_pool()
                self._follow(self._store.progress())
        finally:
            self._close_pool()

    def _begin(self, job: Job) -> None:
        """Note in the store and the log that play begins, unless only the workers are new."""
        if self._has_begun:
            return
        self._has_begun = True
        config, limits = self._config, self._changed_limits()
        more = {"limits": limits} if limits else {}
        self._store.begin_session({"workers": job.workers, "scheduler": config.scheduler, **more})
        _log.info("%s: seed %d, %d workers, %s", config.name, job.game.seed, job.workers, config.scheduler)

    def _changed_limits(self) -> dict[str, Any]:
        return dict(as_dict(self._config.limits).items() - as_dict(Limits()).items())

    def _tell_of_other_limits(self) -> None:
        """Name the bots that lost stored games because no answer came within other limits than those of now."""
        limits = self._changed_limits()
        if self._has_silent and any(session.info.get("limits", {}) != limits for session in self._store.sessions()):
            reasons = self._store.forfeit_reasons("forfeit = ?", ForfeitKind.TIMEOUT.code)
            for bot in sorted({line.bot for line in reasons}):
                self._listener.note(
                    f"{one_line(bot)} lost games by timeout under other limits; to play them again: --again {bot}"
                )

    def _close_pool(self) -> None:
        """End all workers: the next wave, if there is one, has new ones."""
        pool, self._pool = self._pool, None
        if pool is not None:
            self._listener.end(self._status(), self._signals.stopping)
            pool.close()

    def _report(self) -> RunReport:
        """Return what has been done so far."""
        done, total = self._figures.done, self._figures.total
        is_left = done < total or self._more is not None  # a run that stops does not ask whether it grows
        if not self._schedule.fixed:  # for a fixed one `done` is enough; reading all games takes long
            progress = self._store.progress()
            total = self._schedule.planned(progress)
            is_left = next(self._schedule.tasks(progress), None) is not None
        return RunReport(
            folder=self._store.folder,
            seed=self._run.job.game.seed,
            played=self._counts["played"],
            done=done,
            total=total,
            seconds=time.monotonic() - self._started,
            stopped=self._signals.stopping,
            interrupted=self._signals.stopping and is_left,  # the signal may have come with the last game
            forfeits=self._store.count(forfeited=True),
            workers_lost=self._counts["lost"],
            left_out=dict(self._run.left_out) | self._walkovers,
        )

    # ------------------------------------------------------------ what to play

    def _next_wave(self) -> Iterator[Task] | None:
        """Return the units that can be played now, extending a finished run if `more` asks for it; None without any."""
        while True:
            wave = self._units()
            if (first := next(wave, None)) is not None:
                return chain([first], wave)
            games = None if self._more is None else self._more(self._store)
            if games is None:
                return None
            self._store.bring_up(self._run.grown(self._store, games).wanted)
            self._schedule = replace(self._config, games=games).schedule()
            self._follow(self._store.progress())  # more may be stored than was shown

    def _units(self) -> Iterator[Task]:
        """Yield the units of the schedule under the numbers of their pairings in the store.

        A bot that did not answer in most of its games plays one unit at a time: the first, and no other in this wave.
        """
        waiting = set[str]()
        tasks = self._schedule.tasks(self._done)
        for task in reversed([*tasks]) if self._run.job.backwards else tasks:
            slow = self._suspects & {task.a, task.b}
            if not slow & waiting:
                waiting |= slow
                yield self._store.numbered(task)

    def _follow(self, done: ScheduleProgress) -> None:
        """Plan the next wave from what is done."""
        self._done = done
        self._figures.follow(self._schedule, done)
        if not self._schedule.fixed:
            self._store.show_pairings(shown_pairings(self._schedule, done, self._run.plan.wanted))

    # ------------------------------------------------------------ bots that do not answer

    def _look_for_silence(self) -> bool:
        """Find out who does not answer; return True if a bot's opponents win by walkovers from now on.

        Raise BotSilent for a bot that is to be left out.
        """
        columns = self._store.columns()
        self._suspects = suspects(columns)
        silence = first_silent(columns, self._schedule, self._store.progress())
        if silence is None:
            return False
        if not self._config.form.closed:
            raise _silence_error(self._config, silence)
        text = silence.text(self._run.job.limits.decision_s)
        self._listener.note(f"{silence.bot}: {text}. Its opponents win the rest by walkovers.")
        self._store.walk_over(silence.bot, silence.number)
        self._walkovers[silence.bot] = text
        return True

    # ------------------------------------------------------------ for the pool

    def _commit(self, deliveries: Sequence[Played]) -> bool:
        """Store what came back; return whether that is enough, and the games in progress count no more."""
        stored = self._store.add(played.rows for played in deliveries)
        self._figures.add(deliveries, stored)
        self._counts["played"] += stored
        is_silent = any(played.silent for played in deliveries)
        is_enough = self._is_decided() or (is_silent and self._look_for_silence())
        if is_enough:
            self._close_pool()
        return is_enough

    def _is_decided(self) -> bool:
        """Return whether the verdict is reached; if so, hide the deals beyond those that it rests on."""
        deals = None if self._verdict is None else self._verdict(self._store)
        if deals is None:
            return False
        self._store.show(deals)
        self._figures.end(self._store.count())
        return True

    def _tick(self) -> None:
        if self._signals.stopping and not self._is_stopping:
            self._is_stopping = True
            self._listener.note(
                "Stopping after the games in progress, which will be stored, unless a bot gives no answer. Press Ctrl-C"
                " again to discard them."
            )
        self._listener.update(self._status())

    def _status(self) -> RunStatus:
        return self._figures.status(self._verdict is not None, self._waits)

    def _waits(self) -> Sequence[Wait]:
        return () if self._pool is None else self._pool.waits()

    def _note_lost(self, event: Lost) -> None:
        self._counts["lost"] += 1
        _log.warning("%s", event.text)
        if self._counts["lost"] <= _MAX_NOTES:
            self._listener.note(event.text)
        elif self._counts["lost"] == _MAX_NOTES + 1:
            self._listener.note("More workers died or were stopped; run.log names them.")

    def _stored_forfeits(self) -> Counter[str]:
        """Count the games in the store that each bot forfeited."""
        return Counter(ForfeitSummary(self._store.forfeit_reasons(), {}).lost)
