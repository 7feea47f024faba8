"""A stored run as plain values: what `arena standings`, notebooks and every other view of a run start from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.results.losses import RunLosses, read_losses
from arena.tournament.config.tournament import TournamentConfig, config_from_dict
from arena.tournament.formats.round_robin import FixedSchedule
from arena.tournament.formats.schedule import Meeting, Place
from arena.tournament.match.results import ScheduleProgress, time_quantile
from arena.tournament.store.columns import GameColumns, ThinkingTime
from arena.tournament.store.reader import Reader, WorkSession
from arena.tournament.store.reasons import ForfeitReason

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class BotTime:
    """Thinking time of a bot in milliseconds per decision; `total_ms` is the sum."""

    bot: str
    decisions: int
    mean_ms: float
    p50_ms: float
    p99_ms: float
    max_ms: float
    total_ms: float


@dataclass(frozen=True)
class RunData:
    """A run, finished or in progress.

    config    what determines the results, as stored with the run: format, bots, rules, seed, clock, ...
    sources   hash of each bot's source, by the bot's name
    columns   all games in schedule order
    planned   number of games in all, None if not known
    places    the format's own ranking, None where ratings rank the bots
    tiebreaks what decides between equal points in it: column and meaning
    rounds    the rounds of the format with their results; of a knockout the whole bracket; empty where there are none
    times, sessions   what a clock measured; only timing.csv has them
    losses    what the moves of each bot lost, if `arena replay --judge` has judged the run
    time_counts for each bot a histogram of them (arena.tournament.match.results.bucket_ms)
    forfeits  why games were forfeited, the most frequent first; in no file
    folder    where the run is stored, as the user named it; "" if nowhere
    joint     two bots are rated as a larger field is, with the prior: those of a league, whose field grows
    """

    name: str
    config: Mapping[str, Any]
    columns: GameColumns
    sources: Mapping[str, str] = field(default_factory=dict)
    planned: int | None = None
    places: tuple[Place, ...] | None = None
    tiebreaks: Mapping[str, str] = field(default_factory=dict)
    rounds: Sequence[Sequence[Meeting]] = ()
    times: tuple[BotTime, ...] = ()
    sessions: tuple[WorkSession, ...] = ()
    forfeits: tuple[ForfeitReason, ...] = ()
    folder: str = ""
    time_counts: Mapping[str, Sequence[int]] = field(default_factory=dict)
    losses: RunLosses | None = None
    joint: bool = False

    @cached_property
    def games(self) -> pd.DataFrame:
        """One row per game in schedule order (arena.stats.frames.COLUMNS)."""
        return self.columns.frame()

    @property
    def bots(self) -> tuple[str, ...]:
        """The bots in the order in which they were named."""
        return tuple(str(bot["name"]) for bot in self.config["bots"])

    @property
    def complete(self) -> bool:
        return self.planned is not None and len(self.columns) >= self.planned


def stored_config(reader: Reader) -> TournamentConfig:
    """The settings with which a run was started."""
    return config_from_dict(reader.settings(), source=f"settings stored in {reader.folder}")


def read_run(folder: Path) -> RunData:
    """All that reports show of a run, finished or in progress."""
    with Reader(folder) as reader:
        config = stored_config(reader)
        columns = reader.columns()
        schedule = config.schedule()
        # the pairings of a fixed schedule do not depend on results, which are half a million in a large field
        done = ScheduleProgress() if isinstance(schedule, FixedSchedule) else columns.progress()
        planned, places = schedule.planned(done), schedule.ranking(done, reader.results())
        if (verdict := config.verdict()) is not None:
            verdict(reader)
            planned = verdict.planned
        return RunData(
            name=config.name,
            config=reader.config(),
            columns=columns,
            sources={bot.name: bot.source for bot in reader.bots()},
            planned=planned,
            places=None if places is None else tuple(places),
            tiebreaks=schedule.tiebreaks,
            rounds=schedule.round_results(done),
            times=tuple(map(_bot_time, columns.thinking)),
            time_counts={time.bot: time.counts for time in columns.thinking},
            sessions=tuple(reader.sessions()),
            forfeits=tuple(reader.forfeit_reasons()),
            folder=str(folder),
            losses=read_losses(folder),
        )


def _bot_time(time: ThinkingTime) -> BotTime:
    return BotTime(
        bot=time.bot,
        decisions=time.decisions,
        mean_ms=time.us / 1000 / time.decisions if time.decisions else 0.0,
        p50_ms=time_quantile(time.counts, 0.5),
        p99_ms=time_quantile(time.counts, 0.99),
        max_ms=time.max_us / 1000,
        total_ms=time.us / 1000,
    )
