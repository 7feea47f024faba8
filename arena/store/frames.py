"""All games of a run as a pandas frame; imported only where one is wanted, for pandas is slow to load."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from arena.endings import ENDINGS, FORFEITS
from arena.match.results import WIN_POINTS
from arena.store.figures import Figures


def games_frame(found: Figures, columns: Sequence[str]) -> pd.DataFrame:
    """The games in schedule order with `columns`: names in the place of codes, points in that of half points, ms."""
    place = {name: at for at, name in enumerate(found.bots)}
    sides = np.zeros((max(found.pairings, default=0) + 1, 3), dtype=np.int32)
    for number, round_, a, b in found.pairings.values():
        sides[number] = (place[a], place[b], round_)
    read = found.columns
    pairing, game, score = read["pairing"], read["game"], read["score"]
    by = np.where(read["forfeit"], read["forfeit_by"], 0)
    first, second = sides[pairing, game], sides[pairing, 1 - game]
    names = pd.Index(list(found.bots))
    values = read | {
        "round": sides[pairing, 2],
        "first": pd.Categorical.from_codes(first, names),
        "second": pd.Categorical.from_codes(second, names),
        "score": score / 2,
        "points_first": np.where(score == 2, WIN_POINTS, read["stones_first"]).astype(np.int8),
        "points_second": np.where(score == 0, WIN_POINTS, read["stones_second"]).astype(np.int8),
        "ending": pd.Categorical.from_codes(read["ending"], pd.Index(ENDINGS)),
        "forfeit": pd.Categorical.from_codes(read["forfeit"] - 1, pd.Index(FORFEITS)),
        "forfeit_by": pd.Categorical.from_codes(np.choose(by, (-1, first, second)), names),
        "ms_first": read["us_first"] / 1000,
        "ms_second": read["us_second"] / 1000,
    }
    return pd.DataFrame({name: values[name] for name in columns}, columns=list(columns))
