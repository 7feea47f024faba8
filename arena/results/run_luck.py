"""Compute the luck of all games of a run (arena.tournament.luck), for `--adjusted`."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np

from arena.results.sources import StoredRun, find_source
from arena.stats.frames import Floats
from arena.tournament.luck import PARTS, JudgedLuck

JUDGING_MS = 50
"""Time to judge a game, by `arena standings RUN --adjusted` on one core."""


def judging_text(folder: str | Path, games: int) -> str:
    """Say how long it takes to judge those of a run's games that were not judged before; "" if that is short.

    >>> judging_text("results/none", 4800)
    'Judging the luck of 4,800 games takes about 4 min, once; an interrupted call can be repeated and continues.'
    >>> judging_text("results/none", 100)
    ''
    """
    left = games - JudgedLuck(Path(folder)).judged
    minutes = left * JUDGING_MS / 60_000
    if minutes < 0.5:
        return ""
    text = f"Judging the luck of {left:,} games takes about {math.ceil(minutes)} min, once;"
    return f"{text} an interrupted call can be repeated and continues."


def run_luck(source: str | Path, seen: Callable[[], object] = lambda: None) -> Floats:
    """Return the first player's luck in all games of a run or a file of records, in their order: (games, parts).

    Call `seen` for each game. A stored run keeps the results, also those of a call that is interrupted.
    """
    found = find_source(str(source))
    luck = JudgedLuck(found.path if isinstance(found, StoredRun) else None)
    rows = []
    with found.games(counting=True) as games:
        for game in games:
            rows.append(luck.of(game))
            luck.save(often=True)
            seen()
    luck.save()
    return np.array(rows, dtype=np.float64).reshape(-1, PARTS)
