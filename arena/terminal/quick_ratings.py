"""Ratings from sums of points, quick enough to be shown while games come in.

The model is that of `arena.stats.ratings` without the first player's advantage, and its prior; errors are those of
independent games. So they come near to what `arena standings` computes from the games themselves, and cost nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from arena.tournament.runner.progress import PairResult

_SCALE = 400 / math.log(10)
_PRIOR = 2.0  # virtual draws of a bot against an average one
_STEP = 1.0  # the most that a strength changes at once, in natural units
_ENOUGH = 1e-4


class QuickRatings:
    """Keeps the strengths from one look to the next: from there it is not far to the new ones."""

    def __init__(self) -> None:
        self._strength: dict[str, float] = {}

    def rate(
        self, bots: Sequence[str], results: Sequence[PairResult], sweeps: int = 30
    ) -> dict[str, tuple[float, float]]:
        """By bot, its Elo (mean of the field 0) and half of its 95 % interval.

        >>> found = QuickRatings().rate(("a", "b"), [PairResult("a", "b", 100, 75.0)])
        >>> round(found["a"][0] - found["b"][0]), round(found["a"][1])
        (189, 39)
        """
        strength = self._strength
        against: dict[str, list[tuple[str, int, float]]] = {bot: [] for bot in bots}
        for a, b, games, points in results:
            against[a].append((b, games, points))
            against[b].append((a, games, games - points))
        for bot in bots:
            strength.setdefault(bot, 0.0)
        information = dict.fromkeys(bots, 0.0)
        for _ in range(sweeps):
            moved = 0.0
            for bot in bots:
                own = strength[bot]
                p = 1 / (1 + math.exp(-own))
                slope, known = _PRIOR * (0.5 - p), _PRIOR * p * (1 - p)
                for other, games, points in against[bot]:
                    p = 1 / (1 + math.exp(min(max(strength[other] - own, -500.0), 500.0)))
                    slope += points - games * p
                    known += games * p * (1 - p)
                step = max(min(slope / known, _STEP), -_STEP)
                strength[bot] = own + step
                information[bot] = known
                moved = max(moved, abs(step))
            if moved < _ENOUGH:
                break
        # against the mean of the field, to which a bot belongs; exact where all have played the same with one another
        width = 1.96 * _SCALE * (len(bots) - 1) / max(len(bots), 1)
        mean = sum(strength[bot] for bot in bots) / len(bots) if bots else 0.0
        return {bot: (_SCALE * (strength[bot] - mean), width / math.sqrt(max(information[bot], 1e-9))) for bot in bots}
