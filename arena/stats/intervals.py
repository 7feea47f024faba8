"""Mean scores with 95% intervals that respect shared deals.

All rows of one deal (both games of a pair, and the same deal in other pairings) are one cluster of evidence. With
one opponent and complete pairs this is the interval from pairs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from scipy.special import stdtr, stdtrit

from arena.stats.frames import Floats, Ints, StatsError, cluster_codes

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class MeanScore:
    """A mean score 0..1 and its 95% interval."""

    mean: float
    low: float
    high: float


def influence(score: Floats, cluster: Ints, clusters: int) -> Floats:
    """What each cluster contributes to the mean: the sum of its deviations over the number of rows."""
    return np.bincount(cluster, weights=score - score.mean(), minlength=clusters) / len(score)


def smoothed_error(score: Floats, clusters: int) -> float:
    """A standard error for scores without spread: that of a rate with one win and one loss added, in clusters."""
    rate = (float(score.mean()) * clusters + 1) / (clusters + 2)
    return math.sqrt(rate * (1 - rate) / clusters)


def mean_interval(score: npt.ArrayLike, deals: pd.Series | npt.ArrayLike | None = None) -> MeanScore:
    """Mean of scores in 0..1 with its 95% interval.

    Wilson's interval for the number of independent games that would have the clustered standard error, with
    Student's t for few deals: it stays within 0..1 and does not collapse for perfect scores.

    >>> interval = mean_interval([1, 1, 0, 1, 1, 0, 1, 1], deals=[1, 1, 2, 2, 3, 3, 4, 4])
    >>> f"{interval.mean:.2f} in {interval.low:.2f} .. {interval.high:.2f}"
    '0.75 in 0.28 .. 0.96'
    """
    values = np.asarray(score, dtype=np.float64)
    if not len(values):
        raise StatsError("no games to compute a mean score from")
    return clustered_interval(values, *cluster_codes(deals, len(values)))


def clustered_interval(values: Floats, cluster: Ints, clusters: int) -> MeanScore:
    """Return the mean of scores in 0..1 with its 95% interval, for clusters numbered 0 .. `clusters` - 1."""
    mean = float(values.mean())
    width = float(stdtrit(max(clusters - 1, 1), 0.975))
    error = 0.0
    if clusters > 1:
        error = math.sqrt(clusters / (clusters - 1) * float((influence(values, cluster, clusters) ** 2).sum()))
    # Without any spread the deals are all the evidence there is.
    number = clusters if error < 1e-12 else mean * (1 - mean) / error**2
    share = width * width / number
    centre = (mean + share / 2) / (1 + share)
    half = math.sqrt(share * mean * (1 - mean) + share * share / 4) / (1 + share)
    return MeanScore(mean, max(0.0, centre - half) if mean > 0 else 0.0, min(1.0, centre + half) if mean < 1 else 1.0)


@dataclass(frozen=True)
class MeanDifference:
    """Mean of one group minus mean of another, with standard error, 95% interval and two-sided p-value.

    `shared` is the number of deals that both groups have: what they have in common there cancels out.
    """

    difference: float
    error: float
    low: float
    high: float
    p_value: float
    shared: int


def mean_difference(
    first_values: npt.ArrayLike,
    first_deals: pd.Series | npt.ArrayLike | None,
    second_values: npt.ArrayLike,
    second_deals: pd.Series | npt.ArrayLike | None,
    scores: bool = True,
) -> MeanDifference:
    """Difference of two means, paired by deal where both groups have the deal.

    `scores`: the values are scores in 0..1, and so is the interval of their difference. Where all deals show the same
    difference, there is an error all the same: that of two more deals, one better and one worse by the whole scale
    (where they are no scores, by the standard deviation of all values). Values that are all the same show no
    difference, but bound none either: error and interval are nan.

    >>> change = mean_difference([1, 1, 0, 1], [1, 2, 3, 4], [0, 1, 0, 1], [1, 2, 3, 4])
    >>> f"{change.difference:.2f} ± {change.error:.2f}, p = {change.p_value:.2f}, {change.shared} deals shared"
    '0.25 ± 0.25, p = 0.39, 4 deals shared'
    """
    import pandas as pd  # slow to load

    first, second = np.asarray(first_values, dtype=np.float64), np.asarray(second_values, dtype=np.float64)
    if not len(first) or not len(second):
        raise StatsError("no games to compute a difference of means from")
    deals = [
        pd.Series(np.full(len(values), np.nan) if given is None else given)
        for values, given in ((first, first_deals), (second, second_deals))
    ]
    cluster, clusters = cluster_codes(pd.concat(deals, ignore_index=True), len(first) + len(second))
    groups = (first, cluster[: len(first)]), (second, cluster[len(first) :])
    seen = [np.bincount(numbers, minlength=clusters) > 0 for _, numbers in groups]
    parts = [influence(values, numbers, clusters) for values, numbers in groups]

    # A deal that both groups have contributes to both means; only the difference of these contributions counts.
    variance = float(((parts[0] - parts[1]) ** 2).sum()) * clusters / max(clusters - 1, 1)
    for (values, _), part, there in zip(groups, parts, seen):
        if scores and float(np.abs(part).max()) < 1e-12:
            variance += smoothed_error(values, int(there.sum())) ** 2
    if variance < 1e-24:  # equal deal by deal: as if there were two more deals, one up, one down
        step = 1.0 if scores else float(np.concatenate((first, second)).std())
        variance = 2 * (step / (clusters + 2)) ** 2
    freedom = max(min(int(there.sum()) for there in seen) - 1, 1)
    error = math.sqrt(variance)
    gap = float(first.mean() - second.mean())
    if error < 1e-12:
        return MeanDifference(gap, math.nan, math.nan, math.nan, 1.0, int((seen[0] & seen[1]).sum()))
    p_value = float(2 * stdtr(freedom, -abs(gap) / error))
    half = float(stdtrit(freedom, 0.975)) * error
    low, high = gap - half, gap + half
    if scores:
        low, high = max(low, -1.0), min(high, 1.0)
    return MeanDifference(gap, error, low, high, p_value, int((seen[0] & seen[1]).sum()))
