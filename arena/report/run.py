"""A stored run as plain values: what `arena stats`, notebooks and every other view of a run start from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from arena.formats.schedule import Place
from arena.store.reader import ForfeitReason, WorkSession


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
    games     one row per game in schedule order (arena.stats.frames.COLUMNS)
    planned   number of games in all, None if not known
    places    the format's own ranking, None where ratings rank the bots
    times, sessions   what a clock measured; only timing.csv has them
    forfeits  why games were forfeited, the most frequent first; in no file
    folder    where the run is stored, as the user named it; "" if nowhere
    """

    name: str
    config: Mapping[str, Any]
    games: pd.DataFrame
    sources: Mapping[str, str] = field(default_factory=dict)
    planned: int | None = None
    places: tuple[Place, ...] | None = None
    times: tuple[BotTime, ...] = ()
    sessions: tuple[WorkSession, ...] = ()
    forfeits: tuple[ForfeitReason, ...] = ()
    folder: str = ""

    @property
    def bots(self) -> tuple[str, ...]:
        """The bots in the order in which they were named."""
        return tuple(str(bot["name"]) for bot in self.config["bots"])

    @property
    def complete(self) -> bool:
        return self.planned is not None and len(self.games) >= self.planned
