"""Mean scores with 95 % intervals that respect shared deals.

All rows of one deal (both games of a pair, and the same deal in other pairings) are one cluster of evidence.
With one opponent and complete pairs this is the interval from pairs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.stats import t as student

from arena.stats.frames import Floats, Ints, StatsError


@dataclass(frozen=True)
class MeanScore:
    """A mean score 0..1 of `rows` rows in `clusters` deals, its standard error and its 95 % interval."""

    mean: float
    error: float
    low: float
    high: float
    rows: int
    clusters: int


def cluster_numbers(deals: pd.Series | npt.ArrayLike | None, rows: int) -> tuple[Ints, int]:
    """Cluster of each row and their number: equal deals together, a missing deal (or no deals) by itself."""
    if deals is None:
        return np.arange(rows, dtype=np.int64), rows
    codes, labels = pd.factorize(pd.Series(deals))
    numbers = np.array(codes, dtype=np.int64)
    alone = numbers < 0
    numbers[alone] = len(labels) + np.arange(int(alone.sum()))
    return numbers, len(labels) + int(alone.sum())


def influence(score: Floats, cluster: Ints, clusters: int) -> Floats:
    """What each cluster adds to the mean: the sum of its deviations over the number of rows."""
    return np.bincount(cluster, weights=score - score.mean(), minlength=clusters) / len(score)


def smoothed_error(score: Floats, clusters: int) -> float:
    """A standard error for scores without spread: of a rate with one win and one loss added, by clusters."""
    rate = (float(score.mean()) * clusters + 1) / (clusters + 2)
    return math.sqrt(rate * (1 - rate) / clusters)


def mean_interval(score: npt.ArrayLike, deals: pd.Series | npt.ArrayLike | None = None) -> MeanScore:
    """Mean of scores in 0..1 with its 95 % interval.

    The interval is Wilson's for as many independent games as would give the clustered standard error, with
    Student's t for few deals: it stays within 0..1 and does not shrink to nothing for perfect scores.

    >>> found = mean_interval([1, 1, 0, 1, 1, 0, 1, 1], deals=[1, 1, 2, 2, 3, 3, 4, 4])
    >>> f"{found.mean:.2f} in {found.low:.2f} .. {found.high:.2f}"
    '0.75 in 0.28 .. 0.96'
    """
    values = np.asarray(score, dtype=np.float64)
    if not len(values):
        raise StatsError("no games to take a mean score of")
    cluster, clusters = cluster_numbers(deals, len(values))
    mean = float(values.mean())
    width = float(student.ppf(0.975, max(clusters - 1, 1)))
    error = 0.0
    if clusters > 1:
        error = math.sqrt(
            clusters / (clusters - 1) * float((influence(values, cluster, clusters) ** 2).sum())
        )
    if error < 1e-12:  # no spread was seen: the deals are all the evidence there is
        error = smoothed_error(values, clusters)
        number = float(clusters)
    else:
        number = mean * (1 - mean) / error**2
    share = width * width / number
    centre = (mean + share / 2) / (1 + share)
    half = math.sqrt(share * mean * (1 - mean) + share * share / 4) / (1 + share)
    return MeanScore(mean, error, max(0.0, centre - half), min(1.0, centre + half), len(values), clusters)
