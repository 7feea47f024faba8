"""Playing a tournament: settings -> schedule x executor -> store."""

from __future__ import annotations

import contextlib
import logging
import secrets
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from arena.bots.isolation.process import require_isolation
from arena.bots.processes.limits import Limits
from arena.bots.spec import check_names, find_bot
from arena.errors import ArenaError
from arena.tournament.config.tournament import (
    TournamentConfig,
    config_from_dict,
    growing_key,
    growth_command,
    least_size,
    option_of,
)
from arena.tournament.formats.schedule import Schedule
from arena.tournament.runner.executors import make_executor
from arena.tournament.runner.job import Job
from arena.tournament.runner.logs import LOG, RunLog
from arena.tournament.runner.progress import NoProgress, ProgressListener
from arena.tournament.runner.session import More, Run, RunReport, Session, Stop, fail
from arena.tournament.runner.signals import StopSignals
from arena.tournament.runner.supervisor import Supervisor
from arena.tournament.store.folders import is_begun
from arena.tournament.store.reader import BotEntry, Reader
from arena.tournament.store.schema import DATABASE, StoreError
from arena.tournament.store.writer import OtherSettings, Store, differences, open_store, reopen_store

log = logging.getLogger("arena.tournament.runner")


def run_tournament(
    config: TournamentConfig,
    folder: Path,
    *,
    workers: int,
    executor: str = "local",
    scheduler: str | None = None,
    progress: ProgressListener | None = None,
    resume: bool = False,
    limits: Limits | None = None,
    stop: Stop | None = None,
    more: More | None = None,
) -> RunReport:
    """Play what is left of a tournament and store it in `folder`; ArenaError for what a person can mend.

    A config without a seed gets one: that of the run in the folder if there is one, else a new one (see
    `RunReport.seed`). With `resume` there must be a run in the folder. Ctrl-C (SIGINT), SIGTERM and SIGHUP finish
    the games in hand and store them, a second one stops at once; both end with `interrupted` in the report.

    When `stop` says that the first deals are enough, the run is over and holds those only: what was played
    beyond them, which depends on the workers, is dropped.
    When all is played, `more` may let the run grow.
    """
    folder = Path(folder)
    if config.seed is None:
        stored = _stored_seed(folder)
        config = config.with_seed(secrets.randbits(62) if stored is None else stored)
    made = not folder.exists()
    schedule = config.schedule()
    job = _job_of(config, workers, limits)
    for level in job.levels:
        require_isolation(level)  # before anything is written
    bots = [BotEntry(bot.name, bot.spec, bot.source_hash, dict(bot.params)) for bot in job.bots]
    if resume:
        store = reopen_store(folder, bots, config.clocked)
    else:
        if executor == "local" and not is_begun(folder):
            _require_bots(replace(job, rules="base", seed=0, workers=1))  # before anything is written
        store = _open(folder, config, bots)
    how = Playing(workers, executor, scheduler, progress or NoProgress(), stop, more)
    try:
        with closing(store):
            return _play(store, config, schedule, job, how)
    except ArenaError:
        if made:
            _remove_unplayed(folder)
        raise


@dataclass(frozen=True)
class Playing:
    """How a run is played, which makes no difference to its games."""

    workers: int
    executor: str
    scheduler: str | None
    listener: ProgressListener
    stop: Stop | None
    more: More | None


def _play(store: Store, config: TournamentConfig, schedule: Schedule, job: Job, how: Playing) -> RunReport:
    if asks_for_more(store, config):
        store.grow(config.canonical(), config.to_dict())
    with RunLog(store.folder) as run_log, StopSignals() as signals:
        run = Run(config.name, job.seed, schedule, how.listener, how.stop, how.more)
        session = Session(run, store, signals)
        if not session.is_over():
            store.begin_session({"workers": how.workers, "executor": how.executor})
            log.info("%s: seed %d, %d workers, %s", config.name, job.seed, how.workers, how.executor)
            with closing(
                make_executor(
                    job, workers=how.workers, executor=how.executor, scheduler=how.scheduler, sink=run_log.sink
                )
            ) as pool:
                session.play(pool)
        return session.report()


def _remove_unplayed(folder: Path) -> None:
    """Remove a folder that was made for a run that could not be played: it would look like a run."""
    with Reader(folder) as reader:
        if reader.count():
            return
    for name in (DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm", ".lock", LOG):
        with contextlib.suppress(OSError):
            (folder / name).unlink()
    with contextlib.suppress(OSError):  # something of somebody else
        folder.rmdir()


def require_bots(config: TournamentConfig) -> None:
    """Load all bots once, as workers do, and raise what would end the run: a parameter that is not known, say."""
    if config.executor == "local":
        job = _job_of(config.with_seed(0), 1, None)
        for level in job.levels:
            require_isolation(level)
        _require_bots(replace(job, rules="base", workers=1))


@lru_cache(maxsize=8)  # a comparison plays the same bots under several rule sets
def _require_bots(job: Job) -> None:
    supervisor = Supervisor(job, lambda event: None, lambda record: None)
    try:
        failed = supervisor.load()
    finally:
        supervisor.close()
    if failed is not None:
        fail(failed)


def _open(folder: Path, config: TournamentConfig, bots: Sequence[BotEntry]) -> Store:
    try:
        return open_store(folder, config.canonical(), bots, config.to_dict(), config.clocked)
    except OtherSettings as other:
        if other.keys != [growing_key(config)]:
            raise
        raise StoreError(f"{other}\nOr let that run grow, if it holds less: {growth_command(config, folder)}") from None


def asks_for_more(reader: Reader, config: TournamentConfig) -> bool:
    """Do these settings of a stored run ask for another number of games? StoreError if that is less than was played."""
    key = growing_key(config)
    before = config_from_dict(reader.settings(), f"settings stored in {reader.folder}").with_seed(config.seed or 0)
    lines = differences(before.canonical(), config.canonical())
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


def _job_of(config: TournamentConfig, workers: int, limits: Limits | None) -> Job:
    assert config.seed is not None
    bots = tuple(find_bot(bot.spec, bot.params, bot.name) for bot in config.bots)
    check_names(bots)
    return Job(
        rules=config.rules,
        seed=config.seed,
        bots=bots,
        clock=config.clock,
        limits=limits or config.limits,
        workers=max(workers, 1),
        levels=config.levels,
    )


def _stored_seed(folder: Path) -> int | None:
    if not (folder / DATABASE).is_file():
        return None
    with Reader(folder) as reader:
        seed = reader.config().get("seed")
    return seed if isinstance(seed, int) else None
