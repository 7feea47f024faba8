"""Rank bots over several rule sets, as candidates over ballots, by Schulze's method.

Each rule set is a voter that ranks bots by their score in it. Only the number of voters that prefer one bot to another
counts, not by how much, so no rule set weighs more because scores differ more in it; and a copy of a bot takes nothing
from the others (Lanctot and others: Evaluating Agents using Social Choice Theory, 2023).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arena.stats.frames import Floats, Ints

SAMPLES = 200


@dataclass(frozen=True)
class Vote:
    """A bot over all rule sets.

    score                    its mean score in them, 0..1
    place                    by Schulze's method; `place_low` to `place_high` in 95% of samples of the deals
    """

    bot: str
    score: float
    place: int
    place_low: int
    place_high: int


def margins(scores: Floats) -> Ints:
    """Count how many more voters prefer the row's bot to the column's than the reverse; `scores`: (voters, bots)."""
    return np.asarray(np.sign(scores[:, :, None] - scores[:, None, :]).sum(axis=0), dtype=np.int64)


def schulze(margin: Ints) -> Ints:
    """Return the place of each bot, from 1: by the strongest chains of bots in which each is preferred to the next.

    >>> schulze(np.array([[0, 1, 1], [-1, 0, 3], [-1, -3, 0]])).tolist()
    [1, 2, 3]
    """
    strength = np.maximum(margin, 0)
    for bot in range(len(margin)):
        strength = np.maximum(strength, np.minimum(strength[:, bot, None], strength[None, bot, :]))
    return np.asarray(1 + (strength < strength.T).sum(axis=1), dtype=np.int64)


def votes(bots: tuple[str, ...], points: Floats, games: Floats, seed: int = 0) -> list[Vote]:
    """Rank the bots over all rule sets, the first place first.

    `points` and `games` have the shape (rule sets, bots, deals), where every bot has games in every rule set. The
    ranges come from SAMPLES samples of the deals, drawn with `seed`.
    """
    deals = points.shape[2]
    drawn = np.random.default_rng(seed).multinomial(deals, np.full(deals, 1 / deals), SAMPLES).astype(np.float64)
    scores = points.sum(axis=2) / games.sum(axis=2)
    place = schulze(margins(scores))
    with np.errstate(invalid="ignore"):
        samples = (points @ drawn.T) / (games @ drawn.T)
    whole = np.isfinite(samples).all(axis=(0, 1))
    places = [schulze(margins(samples[:, :, index])) for index in np.flatnonzero(whole)]
    low, high = np.quantile(places, (0.025, 0.975), axis=0, method="nearest")
    average = scores.mean(axis=0)
    order = sorted(range(len(bots)), key=lambda bot: (place[bot], -average[bot], bots[bot]))
    return [Vote(bots[bot], float(average[bot]), int(place[bot]), int(low[bot]), int(high[bot])) for bot in order]
