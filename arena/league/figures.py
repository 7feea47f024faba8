"""The results of all games of a league as columns, read and checked in one pass."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from arena.tournament.games import PAIRING_BITS
from arena.tournament.store.columns import stored_columns


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


def read_league_figures(db: sqlite3.Connection) -> LeagueFigures:
    """All games. Raises Damage; to be called in a transaction."""
    columns = stored_columns(db, ("id", "score", "forfeit", "forfeit_by"))
    return LeagueFigures(columns["id"], columns["score"], columns["forfeit"], columns["forfeit_by"])
