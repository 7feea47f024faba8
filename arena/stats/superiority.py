"""How likely one bot of a field is stronger than another.

The leader of a field has been chosen for its results, so it looks better than it is: taken alone, its difference from
another bot is too sure. Here the strengths of a field are draws from one normal distribution, whose spread is as
unknown as they are (a hierarchical model: Gelman et al., Bayesian Data Analysis, 5.4). Where the results could be noise
around one strength, the chance is near a half; where they are far apart, the model changes nothing.
"""

from __future__ import annotations

import numpy as np

from arena.stats.distributions import normal_cdf
from arena.stats.frames import Floats

_SPREADS = np.geomspace(1, 2000, 24)  # Elo
_LEAST = 1e-4  # less likely spreads do not count
_SCALE = 100.0
"""Elo. The prior of the spread is a half Cauchy distribution with this scale. In 4,000 fields of four, five or ten bots
each (`tests/stats/test_superiority.py`), what is said of the best two comes true within three points at spreads of 15,
40, 150 and 400; of three bots with a spread of 15 it says five points too much."""


def superiority(elo: Floats, covariance: Floats) -> Floats:
    """Return the chance that the bot of the row is stronger than the bot of the column, 0..1; the diagonal is 0.5.

    `elo` are the ratings of a field, `covariance` their covariance in Elo².

    >>> superiority(np.array([30.0, 0.0, -30.0]), np.eye(3) * 30.0**2).round(2).tolist()[0]
    [0.5, 0.67, 0.8]
    """
    values, vectors = np.linalg.eigh(covariance)  # the same vectors for each spread
    ratings, ones = vectors.T @ elo, vectors.T @ np.ones(len(elo))
    variances = np.maximum(values, 0.0) + _SPREADS[:, None] ** 2
    weights = (ones**2 / variances).sum(axis=1)
    aparts = ratings - np.outer((ones * ratings / variances).sum(axis=1) / weights, ones)
    fits = np.log(variances).sum(axis=1) + np.log(weights) + (aparts**2 / variances).sum(axis=1)
    logs = np.log(_SPREADS / (1 + (_SPREADS / _SCALE) ** 2)) - fits / 2  # the spreads are even in their logarithm
    likely = np.exp(logs - logs.max())
    likely[likely < _LEAST] = 0.0
    chance = np.zeros_like(covariance)
    for share, spread, variance, weight, apart in zip(likely / likely.sum(), _SPREADS, variances, weights, aparts):
        if share:
            mean = vectors @ (apart / variance) * spread**2
            common = vectors @ (ones / variance)
            left = np.outer(common, common) / weight - (vectors / variance) @ vectors.T
            posterior = spread**2 * np.eye(len(elo)) + spread**4 * left
            own = np.diag(posterior)
            deviation = np.sqrt(np.maximum(own[:, None] + own - 2 * posterior, np.finfo(float).tiny))
            chance += share * normal_cdf((mean[:, None] - mean) / deviation)
    np.fill_diagonal(chance, 0.5)
    return chance
