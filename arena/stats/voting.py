"""Rank bots over several rule sets, as candidates over ballots, by Schulze's method.

Each rule set is a voter that ranks bots by their score in it. Only the number of voters that prefer one bot to another
counts, not by how much, so no rule set weighs more because scores differ more in it; and a copy of a bot takes nothing
from the others (Lanctot and others: Evaluating Agents using Social Choice Theory, 2023).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from arena.stats.frames import Floats, Ints
from arena.stats.intervals import FEWEST_DEALS

SAMPLES = 200


@dataclass(frozen=True)
class Vote:
    """A bot over all rule sets.

    score                    its mean score in them, 0..1
    place                    by Schulze's method
    place_low, place_high    its range in 95% of samples of the deals; nan for fewer than FEWEST_DEALS deals
    """

    bot: str
    score: float
    place: int
    place_low: float
    place_high: float


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
    scores = points.sum(axis=2) / games.sum(axis=2)
    place, average = schulze(margins(scores)), scores.mean(axis=0)
    low, high = _ranges(points, games, seed)
    order = sorted(range(len(bots)), key=lambda bot: (place[bot], -average[bot], bots[bot]))
    return [Vote(bots[bot], float(average[bot]), int(place[bot]), low[bot], high[bot]) for bot in order]


def _ranges(points: Floats, games: Floats, seed: int) -> tuple[list[float], list[float]]:
    """Return the lowest and the highest place of each bot in 95% of the samples."""
    bots, deals = points.shape[1:]
    if int((games > 0).any(axis=1).sum(axis=1).min()) < FEWEST_DEALS:  # of one rule set
        return [math.nan] * bots, [math.nan] * bots
    drawn = np.random.default_rng(seed).multinomial(deals, np.full(deals, 1 / deals), SAMPLES).astype(np.float64)
    with np.errstate(invalid="ignore"):
        samples = (points @ drawn.T) / (games @ drawn.T)
    whole = np.isfinite(samples).all(axis=(0, 1))
    places = [schulze(margins(samples[:, :, index])) for index in np.flatnonzero(whole)]
    low, high = np.quantile(places, (0.025, 0.975), axis=0, method="nearest")
    return low.tolist(), high.tolist()
