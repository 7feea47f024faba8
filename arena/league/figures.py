"""The results of all games of a league as columns, read and checked in one pass."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from arena.tournament.match.tasks import PAIRING_BITS
from arena.tournament.store.games import read_figures

_COLUMNS = {"id": np.int64, "score": np.int8, "forfeit": np.int8, "forfeit_by": np.int8}


@dataclass(frozen=True)
class LeagueFigures:
    """Of each game, in order of identity: `key`, half points of the bot that began, forfeit and by whom, as stored."""

    key: npt.NDArray[np.int64]
    score: npt.NDArray[np.int8]
    forfeit: npt.NDArray[np.int8]
    forfeit_by: npt.NDArray[np.int8]

    def forfeits(self) -> Iterator[tuple[int, int, int]]:
        """Identity, kind and side of each forfeited game."""
        at = np.flatnonzero(self.forfeit)
        return zip(self.key[at].tolist(), self.forfeit[at].tolist(), self.forfeit_by[at].tolist())

    def failures_after(self) -> Iterator[tuple[int, int, int]]:
        """Identity, no kind, and side of each failure in `end`, after a game whose result stands."""
        for side in (1, 2):
            at = np.flatnonzero((self.forfeit == 0) & (self.forfeit_by & side > 0))
            yield from zip(self.key[at].tolist(), self.forfeit[at].tolist(), [side] * len(at))

    @cached_property
    def _scores(self) -> dict[tuple[int, int], list[int]]:
        one = self.key & ((1 << PAIRING_BITS + 1) - 1)
        cells, counts = np.unique(one << 2 | self.score, return_counts=True)
        found: dict[tuple[int, int], list[int]] = {}
        for cell, games in zip(cells.tolist(), counts.tolist()):
            found.setdefault((cell >> 3, cell >> 2 & 1), [0, 0, 0])[cell & 3] = games
        return found

    def scores(self, pairing: int, game: int) -> list[int]:
        """Games of a pairing that the bot beginning in game 0 or 1 of the pairs has lost, drawn and won."""
        return self._scores.get((pairing, game), [0, 0, 0])


def read_league_figures(db: sqlite3.Connection, sealed: bool) -> LeagueFigures:
    """All games. Raises Damage; to be called in a transaction."""
    parts: dict[str, list[npt.NDArray[Any]]] = {name: [np.empty(0, kind)] for name, kind in _COLUMNS.items()}
    for batch in read_figures(db, sealed):
        for name, kind in _COLUMNS.items():
            parts[name].append(batch.numbers[name].astype(kind))
    return LeagueFigures(*(np.concatenate(part) for part in parts.values()))
