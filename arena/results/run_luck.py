"""Compute the luck of all games of a run (arena.tournament.luck) and show the effect of taking it out: `--adjusted`."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np

from arena.results.sources import StoredRun, find_source
from arena.results.table import Table, column_of
from arena.stats.adjusted import AdjustedMeeting
from arena.stats.frames import Floats
from arena.stats.pairs import elo_of_score
from arena.tournament.luck import PARTS, JudgedLuck

_NOTE = (
    "Luck is what draws gave beyond the mean of all cards that could have been drawn, as the net values them. Its mean"
    " is 0, so scores stay unbiased; its weights are fitted on other deals. Worth: how many deals as counted one"
    " adjusted deal is worth, both errors by Student's t; below 1.05, and with fewer than 50 deals, scores stay as"
    " counted."
)
JUDGING_MS = 36
"""Time to judge a game, by `arena standings RUN --adjusted` on one core."""


def judging_text(folder: str | Path, games: int) -> str:
    """Say how long it takes to judge those of a run's games that were not judged before; "" if that is short.

    >>> judging_text("results/none", 4800)
    'Judging the luck of 4,800 games takes about 3 min, once; an interrupted call can be repeated and continues.'
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


def adjusted_table(meetings: Sequence[AdjustedMeeting]) -> Table:
    """Return the effect of taking luck out, a row for each two bots."""
    rows = [asdict(met) | {"adjusted_elo": elo_of_score(met.adjusted_score)} for met in meetings]
    shown = ["bot", "opponent", "deals", "score", "error95", "adjusted_score", "adjusted_error95", "worth"]
    title = "Score with luck taken out, and its 95% error"
    return Table("adjusted", title, rows, list(map(column_of, shown)), list(rows[0]), note=_NOTE)
