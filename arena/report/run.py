"""What a report is made of: the settings, the games and the times of one run, as plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd


@dataclass(frozen=True)
class FormatPlace:
    """A line of a format's own ranking (swiss, knockout, series), which goes before the rating."""

    rank: int
    bot: str
    points: float
    remark: str = ""


@dataclass(frozen=True)
class BotTime:
    """Thinking time of a bot in milliseconds a decision; `total_ms` is all of it."""

    bot: str
    decisions: int
    mean_ms: float
    p50_ms: float
    p99_ms: float
    max_ms: float
    total_ms: float


@dataclass(frozen=True)
class SessionTime:
    """One stretch of work on a run: seconds since 1970 (UTC), games stored in it, remarks."""

    started: float
    ended: float
    games: int
    info: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ForfeitReason:
    """Games that a bot forfeited in one way: how many, the most frequent reason in a line, and the first game with it.

    The reason comes from the bot, and may hold times and addresses: equal games may give others.
    """

    bot: str
    kind: str
    games: int
    reason: str
    game: str


@dataclass(frozen=True)
class RunData:
    """A run, finished or in progress.

    config    what determines the results, as stored with the run: format, bots, rules, seed, clock, ...
    sources   hash of each bot's source, by the bot's name
    games     one row a game in schedule order (arena.stats.frames.COLUMNS)
    planned   games in all, as far as that can be told; None if not known
    places    the format's own ranking, None where the rating is the ranking
    times, sessions   what a clock measured; in no file but timing.csv
    forfeits  why games were forfeited, the most frequent first; in no file
    folder    where the run is stored, as it was named; "" if it is not
    """

    name: str
    config: Mapping[str, Any]
    games: pd.DataFrame
    sources: Mapping[str, str] = field(default_factory=dict)
    planned: int | None = None
    places: tuple[FormatPlace, ...] | None = None
    times: tuple[BotTime, ...] = ()
    sessions: tuple[SessionTime, ...] = ()
    forfeits: tuple[ForfeitReason, ...] = ()
    folder: str = ""

    @property
    def bots(self) -> tuple[str, ...]:
        """The bots in the order in which they were named."""
        return tuple(str(bot["name"]) for bot in self.config["bots"])

    @property
    def complete(self) -> bool:
        return self.planned is not None and len(self.games) >= self.planned
