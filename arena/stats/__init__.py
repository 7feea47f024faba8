"""From pairs to numbers: every figure this project reports, as plain functions of counts and games.

What counts games without numpy stands here; a score can be seen from either side.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import numpy.typing as npt
    import pandas as pd

DEFAULT_PRIOR, LEAST_PRIOR, MOST_PRIOR = 1.0, 0.001, 1_000_000
"""Virtual draws per bot in ratings. They stand here, since options and settings need them without numpy."""

Points = TypeVar("Points", int, float, "npt.NDArray[Any]", "pd.Series[float]")


def other_side(points: Points, total: int = 1) -> Points:
    """Return the points of the opponent, if both sides share `total` points in each game.

    >>> other_side(0.5), other_side(2, total=2)
    (0.5, 0)
    """
    return total - points


@dataclass(frozen=True)
class Score:
    """Games won, drawn and lost, as one side sees them.

    >>> ~Score(3, 0, 1) + Score(draws=2)
    Score(wins=1, draws=2, losses=3)
    """

    wins: int = 0
    draws: int = 0
    losses: int = 0

    def __add__(self, more: Score) -> Score:
        return Score(self.wins + more.wins, self.draws + more.draws, self.losses + more.losses)

    def __invert__(self) -> Score:
        return Score(self.losses, self.draws, self.wins)

    @property
    def games(self) -> int:
        """Count all games."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """Count 1 for a win and 0.5 for a draw."""
        return self.wins + self.draws / 2

    @property
    def mean(self) -> float | None:
        """Return the points per game; None without games."""
        return self.points / self.games if self.games else None

    def columns(self) -> dict[str, float | None]:
        """Return the score as columns of a table: games, wins, draws, losses and score, the mean."""
        return {"games": self.games, **vars(self), "score": self.mean}
