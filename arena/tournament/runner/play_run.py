"""Play a run: settings -> schedule x executor -> store, from wherever the store is to the end or an interruption.

Everything reported is already stored: progress counts games after their transaction.
"""

from __future__ import annotations

import contextlib
import logging
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NoReturn, TypeAlias

from arena.bots.bundle import bundles_folder
from arena.bots.cores import core_count
from arena.bots.isolation.process import require_isolation
from arena.bots.limits import Limits
from arena.bots.spec import check_names
from arena.endings import AFTER, ForfeitKind
from arena.errors import ArenaError, did_you_mean
from arena.settings import as_dict
from arena.text import first_line, one_line, size_text, time_about
from arena.tournament.config import TournamentConfig
from arena.tournament.folders import stored_run, with_drawn_seed
from arena.tournament.formats.round_robin import GauntletSettings
from arena.tournament.formats.schedule import Schedule
from arena.tournament.games import ScheduleProgress, Task, stored_deal_seed
from arena.tournament.plan import Plan, plan_run
from arena.tournament.rows import full_deals, silent_bots
from arena.tournament.runner.executors import Dispatcher, Executor, StopSignals, WorkerFault, make_executor
from arena.tournament.runner.job import Failed, Job, Lost, Played
from arena.tournament.runner.logs import LOG, RunLog
from arena.tournament.runner.progress import GameRate, ProgressListener, RunningScores, RunStatus
from arena.tournament.runner.supervisor import Stopped, Supervisor
from arena.tournament.silence import FEWEST, Silence, first_silent
from arena.tournament.store.reader import Reader
from arena.tournament.store.sqlite import DATABASE, StoreError
from arena.tournament.store.writer import Store, open_store

_log = logging.getLogger("arena.tournament.runner")

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
) -> RunReport:
    """Bring the run in `folder` up to date: play and store what the settings ask for and what is not stored yet.

    Stored games stay when the field changes (`arena.tournament.plan`); the bots named in `again` play theirs again. A
    bot that cannot be loaded is left out if the format can do without it. ArenaError for what the user can fix.

    A config without a seed gets the seed of the run in the folder, or a new one (see `RunReport.seed`). Ctrl-C
    (SIGINT), SIGTERM and SIGHUP finish the games in progress and store them, a second one stops at once; both set
    `stopped` in the report. While bots are loaded, before play, each of them raises KeyboardInterrupt.

    `verdict` (default: the format's own) is called before play and after each commit. When it is reached, the run ends,
    and its tables show only the deals that the verdict rests on: how many were played beyond them depends on the
    workers. When all games are played, `more` may ask for a larger number.
    """
    folder, listener, left_out = Path(folder), progress or ProgressListener(), dict[str, str]()
    config, counts = with_stored_seed(config, folder), Counter[str]()
    while True:
        run = prepare(config, folder, again, left_out)
        left_out = dict(run.left_out)
        try:
            return _play(run, folder, listener, verdict or config.verdict(), more, again, counts)
        except BotRefused as refused:  # it does not answer, or a worker elsewhere cannot load it
            if not _can_leave_out(run, refused.bot):
                raise
            left_out[refused.bot] = str(refused)
            again = [bot for bot in again if bot != refused.bot]


def _play(
    run: Prepared,
    folder: Path,
    listener: ProgressListener,
    verdict: StoppingRule | None,
    more: More | None,
    again: Collection[str],
    counts: Counter[str],
) -> RunReport:
    """Play a prepared run; `counts` adds up what its sessions did."""
    made = not folder.exists()
    try:
        with closing(open_store(folder)) as store, bundles_folder(folder) as bundles:
            job = run.job.placed(bundles) if run.plan.missing or more is not None else run.job
            plan = run.plan_for(store, again)
            listener.plan(plan)
            for bot, why in run.left_out.items() if plan.missing else ():
                listener.note(f"{one_line(bot)} is left out: {first_line(why, _LONGEST_REASON)}")
            store.bring_up(plan.wanted)
            with RunLog(folder) as run_log, StopSignals() as signals:
                session = _Session(run, store, signals, listener, verdict, more, counts)
                config = run.config
                if not session.is_over():
                    changed = as_dict(config.limits).items() - as_dict(Limits()).items()
                    limits = {"limits": dict(changed)} if changed else {}
                    store.begin_session({"workers": job.workers, "executor": config.executor, **limits})
                    _log.info("%s: seed %d, %d workers, %s", config.name, job.seed, job.workers, config.executor)
                while not session.is_over():
                    with closing(make_executor(job, config.executor, config.scheduler, run_log.sink)) as executor:
                        session.play(executor)
            return session.report()  # after the last moment at which a signal only counts
    except ArenaError:
        if made:
            _remove_unplayed(folder)
        raise


# ---------------------------------------------------------------- before play


class BotRefused(ArenaError):
    """A bot cannot be loaded; `bot` is its name."""

    def __init__(self, text: str, bot: str) -> None:
        super().__init__(text)
        self.bot = bot


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

    def plan_for(self, stored: Reader | None, again: Collection[str] = (), games: int | None = None) -> Plan:
        """Plan the run in the folder of `stored`, perhaps with another number of games."""
        config, asked = self.config, self.asked
        if games is not None:
            config, asked = replace(config, games=games), replace(asked, games=games)
        return plan_run(config, self.job.bots, stored, asked=asked, left_out=self.left_out, again=again)


def with_stored_seed(config: TournamentConfig, folder: Path) -> TournamentConfig:
    """Return the config with a seed: its own, that of the run in the folder, or a new one."""
    if config.seed is not None:
        return config
    stored = stored_run(folder)
    if stored is None:
        return with_drawn_seed(config)
    with stored:
        return config.with_seed(stored.config()["seed"])


def prepare(
    config: TournamentConfig,
    folder: Path,
    again: Collection[str] = (),
    left_out: Mapping[str, str] | None = None,
) -> Prepared:
    """Plan a run of settings with a seed, and load its new bots once, as workers do; nothing is written.

    A bot that cannot be loaded is left out, like those in `left_out`, if the format can do without it; else BotRefused.
    Bots that play elsewhere are not loaded here.
    """
    unknown = [name for name in again if name not in config.bot_names]
    if unknown:
        near = did_you_mean(unknown[0], config.bot_names)
        raise ArenaError(f"--again {unknown[0]}: no such bot{near} ({', '.join(config.bot_names[:_MOST_NAMED])})")
    left_out = dict(left_out or {})
    while True:
        run, silence = _prepared(config, folder, again, left_out)
        if silence is not None:
            refused: BotRefused = _silence_error(run, silence)
            if not _can_leave_out(run, refused.bot):
                raise refused
            left_out[refused.bot] = str(refused)
            continue
        new = {entry.name for entry in run.plan.wanted.new}
        if config.executor != "local" or not new:
            return run
        try:
            _require_bots(_loading(run.job, new))
            return run
        except BotRefused as refused:
            if not _can_leave_out(run, refused.bot):
                raise
            left_out[refused.bot] = str(refused)


def _prepared(
    config: TournamentConfig, folder: Path, again: Collection[str], left_out: Mapping[str, str]
) -> tuple[Prepared, Silence | None]:
    """Plan a run; also return the bot that does not answer, if the stored games say so."""
    playing = replace(config, bots=tuple(bot for bot in config.bots if bot.name not in left_out))
    job, silence = job_of(playing), None
    stored = stored_run(folder)
    with nullcontext() if stored is None else closing(stored):
        plan = plan_run(playing, job.bots, stored, asked=config, left_out=left_out, again=again)
        if (
            stored is not None
            and not plan.is_new
            and not job.clocked
            and not config.form.closed
            and stored.has_silent()
        ):
            games = stored.columns_of(dict(zip(plan.wanted.field, playing.bot_names)), plan.wanted.numbers)
            silence = first_silent(games, playing.schedule(), games.progress())
    return Prepared(config, playing, job, left_out, plan), silence


def _silence_error(run: Prepared, silence: Silence) -> BotSilent:
    limit_s = run.job.limits.decision_s
    text = silence.text(limit_s)
    if not _can_leave_out(run, silence.bot):
        text = f"the run ends without a result, because {silence.bot} does not play: {text}"
    return BotSilent(text, silence.bot)


def _can_leave_out(run: Prepared, bot: str) -> bool:
    """Return whether the run can do without a bot: it is not a test of two bots, and the others are enough."""
    others = [name for name in run.config.bot_names if name != bot]
    settings = run.config.format_settings
    faults = run.config.form.two_bots or len(others) < 2 or len(others) == len(run.config.bots)
    if isinstance(settings, GauntletSettings) and not settings.hero:  # the first plays all, and the second may not
        faults |= bot == run.config.bot_names[0]
    return not faults and not list(settings.faults(others))


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
        own_deals=config.deals_apart,
        deals=full_deals(config.rules, config.deals),
    )


def require_bots(config: TournamentConfig) -> None:
    """Load all bots once, as workers do, and raise what would end the run, such as an unknown parameter."""
    if config.executor == "local":
        job = job_of(config.with_seed(0))
        _require_bots(_loading(job, set(config.bot_names)))


def _loading(job: Job, names: Collection[str]) -> Job:
    """Return the part of a job that loading these bots depends on."""
    chosen = [number for number, bot in enumerate(job.bots) if bot.name in names]
    bots, levels = tuple(job.bots[at] for at in chosen), tuple(job.levels[at] for at in chosen)
    return replace(job, rules="base", seed=0, workers=1, bots=bots, levels=levels, own_deals=False)


@lru_cache(maxsize=8)  # a comparison plays the same bots under several rule sets
def _require_bots(job: Job) -> None:
    with TemporaryDirectory(prefix="arena-") as parent, bundles_folder(Path(parent)) as bundles:
        supervisor = Supervisor(job.placed(bundles), lambda event: None, lambda record: None)
        failed = None
        with StopSignals(supervisor.stop) as signals, contextlib.suppress(Stopped), closing(supervisor):
            failed = supervisor.load()
    if signals.stopping:
        raise KeyboardInterrupt
    if failed is not None:
        fail(failed)


def _remove_unplayed(folder: Path) -> None:
    """Remove the folder of a run that could not be played; otherwise it would look like a run."""
    try:
        with Reader(folder) as reader:
            if reader.count_all():
                return
    except StoreError:  # why the run could not be played says more
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
        run: Prepared,
        store: Store,
        signals: StopSignals,
        listener: ProgressListener,
        verdict: StoppingRule | None,
        more: More | None,
        counts: Counter[str],
    ) -> None:
        self._counts = counts  # "played" games, "lost" workers
        self._run, self._name, self._seed = run, run.config.name, run.job.seed
        self._schedule = run.config.schedule()
        self._store = store
        self._signals = signals
        self._listener = listener
        self._verdict = verdict
        self._more = more
        self._done = store.progress()
        self._is_finished = False
        self._games: Mapping[str, int] = {}
        self._silent = Counter[str]()  # games in which a bot did not answer
        if not run.job.clocked and store.has_silent():
            self._games = store.columns().games_by_bot()
            late = (line for line in store.forfeit_reasons() if line.kind == ForfeitKind.TIMEOUT)
            self._silent.update({line.bot: line.games for line in late})
        self._is_paced = False  # whether a wave has left out units of a bot that did not answer
        self._has_walkover = False  # the games in progress do not count any more
        self._walkovers = dict.fromkeys(store.walkovers(), "it gave no answer, so its opponents won by walkovers")
        self._figures = _Figures(store, self._schedule, self._done, at_most=verdict is not None)
        # bots of which no game is stored, until there is one of each: then time and room can be estimated
        self._unseen = set(run.config.bot_names) if run.plan.is_new and not run.config.form.two_bots else set[str]()
        self._started = time.monotonic()

    def is_over(self) -> bool:
        """Return whether nothing is left to play, or the user stops; hide the deals beyond a verdict."""
        if self._signals.stopping or self._is_finished or self._is_decided():
            return True
        return self._next_wave() is None

    def play(self, executor: Executor) -> None:
        """Play one wave of units after another, until none is left or the user stops the run.

        It also returns when a bot is left out: the caller plays on with the others.
        """
        self._has_walkover = False
        dispatcher = self._dispatcher(executor)
        self._figures.begin(executor)
        self._listener.begin(self._name, self._seed, self._figures.status())
        try:
            while not self._signals.stopping and (wave := self._next_wave()) is not None:
                dispatcher.play(wave, self._figures.left // 2, self._commit)  # about: a series is longer
                if self._signals.stopping or self._has_walkover:
                    break
                if self._schedule.fixed and self._more is None and not self._is_paced and not self._silent:
                    self._is_finished = True  # it was the only wave; reading all games takes long
                    break
                self._done = self._store.progress()
                self._figures.follow(self._schedule, self._done)
                if self._look_for_silence():
                    break
        finally:
            self._listener.end(self._figures.status(), self._signals.stopping)

    def report(self) -> RunReport:
        """Return what has been done so far."""
        done, total = self._figures.done, self._figures.total
        is_left = done < total or self._more is not None  # a run that stops does not ask whether it grows
        if not self._schedule.fixed:  # for a fixed one `done` is enough; reading all games takes long
            progress = self._store.progress()
            total = self._schedule.planned(progress)
            is_left = next(self._schedule.tasks(progress), None) is not None
        return RunReport(
            folder=self._store.folder,
            seed=self._seed,
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
            wave = self._units(self._done)
            first = next(wave, None)
            if first is not None:
                return chain([first], wave)
            if not self._grow():
                return None

    def _units(self, done: ScheduleProgress) -> Iterator[Task]:
        """Yield the units of the schedule under the numbers of their pairings in the store.

        A bot that did not answer in most of its games plays one unit at a time: the first, and no other in this wave.
        """
        config, waiting = self._run.plan.wanted.config, set[str]()
        self._is_paced = False
        for task in self._schedule.tasks(done):
            suspects = {bot for bot in (task.a, task.b) if 2 * self._silent[bot] > self._games.get(bot, 0)}
            if suspects & waiting:
                self._is_paced = True
                continue
            waiting |= suspects
            yield self._store.numbered(task, stored_deal_seed(config, task.a, task.b))

    def _grow(self) -> bool:
        """Extend a finished run; return True if extended."""
        games = None if self._more is None else self._more(self._store)
        if games is None:
            return False
        self._store.bring_up(self._run.plan_for(self._store, games=games).wanted)
        self._schedule = replace(self._run.config, games=games).schedule()
        self._done = self._store.progress()  # more may be stored than was shown
        self._figures.follow(self._schedule, self._done)
        return True

    # ------------------------------------------------------------ bots that do not answer

    def _look_for_silence(self) -> bool:
        """Raise BotSilent for a bot that is to be left out; return True if its opponents win by walkovers instead."""
        if max(self._silent.values(), default=0) < FEWEST:
            return False
        done = self._store.progress()
        silence = first_silent(self._store.columns(), self._schedule, done)
        if silence is None:
            return False
        if not self._run.config.form.closed:
            raise _silence_error(self._run, silence)
        limit_s = self._run.job.limits.decision_s
        self._listener.note(f"{silence.bot}: {silence.text(limit_s)}. Its opponents win the rest by walkovers.")
        self._store.walk_over(silence.bot, silence.number)
        self._walkovers[silence.bot] = silence.text(limit_s)
        self._silent[silence.bot] = 0
        self._has_walkover = True
        self._done = self._store.progress()
        self._figures.follow(self._schedule, self._done)
        return True

    def _count_silent(self, deliveries: Iterable[Played]) -> bool:
        """Count the games in which bots did not answer; return whether there are any."""
        before = self._silent.total()
        for played in deliveries:
            if self._run.job.clocked or not any(by_a or by_b for *_, by_a, by_b in played.scores.values()):
                continue
            self._silent.update(silent_bots(played.chunk.tasks, played.named_rows()))
        return self._silent.total() > before

    # ------------------------------------------------------------ verdicts

    def _is_decided(self) -> bool:
        """Return whether the verdict is reached; if so, hide the deals beyond those that it rests on."""
        deals = None if self._verdict is None else self._verdict(self._store)
        if deals is None:
            return False
        self._store.show(deals)
        self._figures.end(self._store.count())
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
        self._counts["played"] += stored
        if self._count_silent(deliveries):
            self._games = self._store.columns().games_by_bot()
            if self._look_for_silence():
                return True
        if self._unseen:
            self._unseen -= {bot for played in deliveries for task in played.chunk.tasks for bot in (task.a, task.b)}
            if not self._unseen:
                self._estimate()
        return self._is_decided()

    def _estimate(self) -> None:
        """Say how long the run will take and how much room it needs, from the first games of each bot."""
        if (seconds := self._run.plan_for(self._store).seconds) is not None:
            room = size_text(round(self._figures.total * self._store.bytes_per_game()))
            self._listener.note(f"All games take about {time_about(seconds)} and {room} on disk.")

    def _note_lost(self, event: Lost) -> None:
        self._counts["lost"] += 1
        _log.warning("%s", event.text)
        if self._counts["lost"] <= _MAX_NOTES:
            self._listener.note(event.text)
        elif self._counts["lost"] == _MAX_NOTES + 1:
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
        self._moves_in_play: Callable[[], int] = int
        self._moves_before = self._moves_seen = 0
        self.follow(schedule, done)

    def follow(self, schedule: Schedule, done: ScheduleProgress) -> None:
        """Plan anew from what is done: when a wave has ended, or the run was extended."""
        self._schedule = schedule
        self.done = done.games
        self.total = schedule.planned(done)
        self._scores = RunningScores(schedule, done, self._stored_forfeits)

    def begin(self, executor: Executor) -> None:
        """Start counting the time without a result, now that there are workers."""
        self._last_result, self._moves_in_play = time.monotonic(), executor.moves_in_play

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
        self._moves_before = self._moves_seen = 0

    def end(self, games: int) -> None:
        """Plan no more than these games, which are the whole run."""
        self.done = self.total = games

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

    def _moves(self) -> int:
        """Return the moves made since the last result, as far as they were seen. This never falls, even when a worker
        begins the second game of a pair.
        """
        now = self._moves_in_play()
        self._moves_before += max(self._moves_seen - now, 0)
        self._moves_seen = now
        return self._moves_before + now

    def _stored_forfeits(self) -> Counter[str]:
        """Count the games in the store that each bot forfeited."""
        forfeits: Counter[str] = Counter()
        for line in self._store.forfeit_reasons() if self._store.count() else ():
            if line.kind != AFTER:
                forfeits[line.bot] += line.games
        return forfeits


def fail(event: Failed) -> NoReturn:
    """Raise the error that a `Failed` means: ArenaError for what the user can fix, else WorkerFault."""
    if event.ours:
        raise WorkerFault(event.text)
    raise ArenaError(event.text) if event.bot is None else BotRefused(event.text, event.bot)
