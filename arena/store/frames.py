"""All games of a run as a pandas frame; imported only where one is wanted, for pandas is slow to load."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from arena.endings import ENDINGS, FORFEITS
from arena.match.tasks import Pairing

_BATCH = 20_000
_TYPES: dict[str, npt.DTypeLike] = {
    "pairing": np.int32, "deal": np.int64, "game": np.int8, "score": np.int8, "ending": np.int8, "forfeit": np.int8,
    "forfeit_by": np.int8, "stones_first": np.int8, "stones_second": np.int8, "points_first": np.int8,
    "points_second": np.int8, "turns": np.int32, "plies": np.int32, "decisions_first": np.int32,
    "decisions_second": np.int32, "us_first": np.int64, "us_second": np.int64,
}  # fmt: skip
"""Columns that are read, each in the smallest type that holds it: a million games take some 100 MB."""


def games_frame(
    db: sqlite3.Connection,
    bots: Sequence[str],
    pairings: Callable[[], Mapping[int, Pairing]],
    columns: Sequence[str],
) -> pd.DataFrame:
    """The games in schedule order with `columns`; names and endings are categories.

    `pairings` is asked after the games are read, so that all they refer to is there.
    """
    parts: dict[str, list[npt.NDArray[Any]]] = {name: [np.empty(0, kind)] for name, kind in _TYPES.items()}
    cursor = db.execute(f"SELECT {', '.join(_TYPES)} FROM games ORDER BY id")
    while rows := cursor.fetchmany(_BATCH):
        values = np.fromiter(chain.from_iterable(rows), np.int64, len(rows) * len(_TYPES))
        for (name, kind), column in zip(_TYPES.items(), values.reshape(len(rows), -1).T):
            parts[name].append(column.astype(kind))
    read = {name: np.concatenate(parts.pop(name)) for name in list(parts)}
    return pd.DataFrame(_named(read, bots, pairings()), columns=list(columns))


def _named(read: dict[str, npt.NDArray[Any]], bots: Sequence[str], pairings: Mapping[int, Pairing]) -> dict[str, Any]:
    """Columns with names in the place of codes, points in that of half points, milliseconds."""
    place = {name: at for at, name in enumerate(bots)}
    sides = np.zeros((max(pairings, default=0) + 1, 3), dtype=np.int32)
    for number, round_, a, b in pairings.values():
        sides[number] = (place[a], place[b], round_)
    pairing, game, by = read["pairing"], read["game"], np.where(read["forfeit"], read["forfeit_by"], 0)
    first, second = sides[pairing, game], sides[pairing, 1 - game]
    names = pd.Index(list(bots))
    return read | {
        "round": sides[pairing, 2],
        "first": pd.Categorical.from_codes(first, names),
        "second": pd.Categorical.from_codes(second, names),
        "score": read["score"] / 2,
        "ending": pd.Categorical.from_codes(read["ending"], pd.Index(ENDINGS)),
        "forfeit": pd.Categorical.from_codes(read["forfeit"] - 1, pd.Index(FORFEITS)),
        "forfeit_by": pd.Categorical.from_codes(np.choose(by, (-1, first, second)), names),
        "ms_first": read["us_first"] / 1000,
        "ms_second": read["us_second"] / 1000,
    }
