"""A page that is written anew as long as a run goes on."""

from __future__ import annotations

import time
from collections.abc import Callable

from arena.results.pages.report import report_page
from arena.results.reading.game import ALL_GAMES, GameFilter
from arena.results.run_list import RUNNING, RunLine, run_line
from arena.results.sources import FILE, LEAGUE, find
from arena.stats.frames import StatsError
from arena.stats.ratings import DEFAULT_PRIOR
from arena.tournament.store.folders import Found

EVERY = 5.0
"""Seconds between two pages, at least."""
SHARE = 5
"""Of the time, making pages takes one part in so many, at most: it shares the machine with the run."""


def followed(source: str) -> Found:
    """The run or comparison that `source` names. StatsError for anything else."""
    found = find(source)
    if found.kind in (FILE, LEAGUE):
        raise StatsError(f"{found.folder}: only a run or a comparison is followed; leave --follow out")
    return found


def follow(
    source: str,
    write: Callable[[str], object],
    count: int,
    wanted: GameFilter = ALL_GAMES,
    prior: float = DEFAULT_PRIOR,
    wait: Callable[[float], object] = time.sleep,
) -> RunLine:
    """Give `write` a page whenever there are more games, until nobody plays the run any more; then a last one.

    Only the last page does not load itself again. Returns how the run stands then. StatsError for what is no run or
    comparison, or a run that is over without a game.
    """
    found = followed(source)
    shown, pause = 0, EVERY
    try:
        while (line := run_line(found)).state == RUNNING:
            if line.games > shown:
                began = time.monotonic()
                write(report_page(source, count, wanted, prior, reload=pause))
                shown, pause = line.games, max(EVERY, (SHARE - 1) * (time.monotonic() - began))
            wait(pause)
    except KeyboardInterrupt:
        if shown:
            write(report_page(source, count, wanted, prior))  # else it would go on loading itself
        raise
    write(report_page(source, count, wanted, prior))
    return line
