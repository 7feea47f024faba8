"""All games of a run as a pandas frame; imported only where one is wanted, for pandas is slow to load."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from arena.match.results import ENDINGS, FORFEITS
from arena.match.tasks import PAIRING_BITS, Pairing

_BATCH = 20_000
_PAIRING_MASK = (1 << PAIRING_BITS) - 1

# Several columns travel in one integer, for making a Python object of each value takes most of the time.
# Each word is a list of (column, bits).
_WORDS = (
    (
        ("score", 2), ("ending", 2), ("forfeit", 3), ("forfeit_by", 2), ("stones_first", 4),
        ("stones_second", 4), ("points_first", 4), ("points_second", 4),
    ),
    (("turns", 31), ("plies", 31)),
    (("decisions_first", 31), ("decisions_second", 31)),
    (("us_first", 63),),
    (("us_second", 63),),
)  # fmt: skip
_WIDTH = 1 + len(_WORDS)

Ints = npt.NDArray[np.int64]


def _offsets(word: Sequence[tuple[str, int]]) -> list[tuple[str, int, int]]:
    return [(name, sum(bits for _, bits in word[:at]), bits) for at, (name, bits) in enumerate(word)]


def _packed(word: Sequence[tuple[str, int]]) -> str:
    return " | ".join(f"({name} << {shift})" for name, shift, _ in _offsets(word))


_SQL = f"SELECT id, {', '.join(map(_packed, _WORDS))} FROM games ORDER BY id"


def _unpack(name: str, values: Ints, shift: int, bits: int) -> npt.NDArray[Any]:
    """One column out of a word, in the smallest type that holds it: the batches together take the memory."""
    if bits == 63:
        return values / 1000  # microseconds to milliseconds
    return (values >> shift & ((1 << bits) - 1)).astype(np.int8 if bits < 8 else np.int32)


def games_frame(
    db: sqlite3.Connection,
    bots: Sequence[str],
    pairings: Callable[[], Mapping[int, Pairing]],
    columns: Sequence[str],
) -> pd.DataFrame:
    """The games in schedule order with `columns`; names and endings are categories.

    `pairings` is asked after the games are read, so that all they refer to is there.
    """
    parts: dict[str, list[npt.NDArray[Any]]] = {"id": []}
    cursor = db.execute(_SQL)
    while rows := cursor.fetchmany(_BATCH):
        data = np.fromiter(chain.from_iterable(rows), np.int64, len(rows) * _WIDTH).reshape(-1, _WIDTH)
        parts["id"].append(data[:, 0].copy())
        for at, word in enumerate(_WORDS, start=1):
            for name, shift, bits in _offsets(word):
                parts.setdefault(name, []).append(_unpack(name, data[:, at], shift, bits))
    if not parts["id"]:
        empty = np.empty(0, dtype=np.int64)
        parts = {"id": [empty]} | {name: [empty] for word in _WORDS for name, _ in word}
    read = {name: np.concatenate(parts.pop(name)) for name in list(parts)}
    return pd.DataFrame(_columns(read, bots, pairings()), columns=list(columns))


def _columns(
    read: dict[str, npt.NDArray[Any]], bots: Sequence[str], pairings: Mapping[int, Pairing]
) -> dict[str, Any]:
    """Add to the columns that were read those that follow from the identity."""
    identity = read.pop("id")
    pairing = (identity >> 1 & _PAIRING_MASK).astype(np.int32)
    game = (identity & 1).astype(np.int8)
    place = {name: at for at, name in enumerate(bots)}
    sides = np.zeros((max(pairings, default=0) + 1, 3), dtype=np.int32)
    for number, round_, a, b in pairings.values():
        sides[number] = (place[a], place[b], round_)
    first, second = sides[pairing, game], sides[pairing, 1 - game]
    side = read.pop("forfeit_by")
    by = np.where(side == 0, -1, np.where(side == 1, first, second))
    names = pd.Index(list(bots))
    return read | {
        "pairing": pairing,
        "deal": identity >> (PAIRING_BITS + 1),
        "game": game,
        "round": sides[pairing, 2],
        "first": pd.Categorical.from_codes(first, names),
        "second": pd.Categorical.from_codes(second, names),
        "score": read["score"] / 2,
        "ending": pd.Categorical.from_codes(read["ending"], pd.Index(ENDINGS)),
        "forfeit": pd.Categorical.from_codes(read["forfeit"] - 1, pd.Index(FORFEITS[1:])),
        "forfeit_by": pd.Categorical.from_codes(by, names),
        "ms_first": read["us_first"],
        "ms_second": read["us_second"],
    }
