"""Playing a tournament: settings -> schedule x executor -> store."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from arena.config.growth import GROWING, growing_key, growth_command, least_size
from arena.config.tournament import TournamentConfig, config_from_dict
from arena.isolation.process import require_isolation
from arena.players.spec import check_names, find_bot
from arena.processes.limits import Limits
from arena.runner.executors import make_executor
from arena.runner.job import Job
from arena.runner.logs import RunLog
from arena.runner.progress import NoProgress, ProgressListener
from arena.runner.session import More, Run, RunReport, Session, Stop
from arena.runner.signals import StopSignals
from arena.store.reader import BotEntry, Reader
from arena.store.schema import DATABASE, StoreError
from arena.store.writer import OtherSettings, Store, differences, open_store, reopen_store

log = logging.getLogger("arena.runner")


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
    `RunReport.seed`). With `resume` there must be a run in the folder. Ctrl-C (SIGINT) and SIGTERM finish
    the games in hand and store them, a second one stops at once; both end with `interrupted` in the report.

    When `stop` says that the first deals are enough, the run is over and holds those only: what was played
    beyond them, which depends on the workers, is dropped.
    When all is played, `more` may let the run grow.
    """
    folder = Path(folder)
    if config.seed is None:
        stored = _stored_seed(folder)
        config = config.with_seed(secrets.randbits(62) if stored is None else stored)
    schedule = config.schedule()
    job = _job_of(config, workers, limits)
    for level in job.levels:
        require_isolation(level)  # before anything is written
    bots = [BotEntry(bot.name, bot.spec, bot.source_hash, dict(bot.params)) for bot in job.bots]
    if resume:
        store = reopen_store(folder, bots, config.clocked)
    else:
        store = _open(folder, config, bots)
    with closing(store), RunLog(folder) as run_log, StopSignals() as signals:
        if asks_for_more(store, config):
            store.grow(config.canonical(), config.to_dict())
        run = Run(config.name, job.seed, schedule, progress or NoProgress(), stop, more)
        session = Session(run, store, signals)
        if not session.is_over():
            store.begin_session({"workers": workers, "executor": executor})
            log.info("%s: seed %d, %d workers, %s", config.name, job.seed, workers, executor)
            with closing(
                make_executor(job, workers=workers, executor=executor, scheduler=scheduler, sink=run_log.sink)
            ) as pool:
                session.play(pool)
        return session.report()


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
        what = GROWING[key.rpartition(".")[2]]
        raise StoreError(
            f"{reader.folder} holds {least} {what}, so it cannot become a run of {asked}: a run only grows."
            f" Ask for {least} or more; nothing was changed"
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
