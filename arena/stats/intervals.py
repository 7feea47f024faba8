"""Compute mean scores with 95% intervals that respect shared deals, and limits that hold for few pairs.

All rows of one deal (both games of a pair, and the same deal in other pairings) are one cluster of evidence. With
one opponent and complete pairs this is the interval from pairs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from arena.stats.distributions import expit, logit, normal_quantile, t_cdf, t_quantile, t_width
from arena.stats.frames import Floats, Ints, StatsError, cluster_codes

if TYPE_CHECKING:
    import pandas as pd


FEWEST_DEALS = 10
"""Fewer deals do not show how much their results spread, so no error and no interval is given."""


@dataclass(frozen=True)
class MeanScore:
    """A mean score 0..1 and its 95% interval, which is nan for fewer than FEWEST_DEALS deals."""

    mean: float
    low: float
    high: float


def influence(score: Floats, cluster: Ints, clusters: int) -> Floats:
    """Return the contribution of each cluster to the mean: the sum of its deviations over the number of rows."""
    return np.bincount(cluster, weights=score - score.mean(), minlength=clusters) / len(score)


def smoothed_error(score: Floats, clusters: int) -> float:
    """Return a standard error for scores without spread: the error of a rate with one win and one loss added."""
    rate = (float(score.mean()) * clusters + 1) / (clusters + 2)
    return math.sqrt(rate * (1 - rate) / clusters)


def mean_interval(score: npt.ArrayLike, deals: pd.Series | npt.ArrayLike | None = None) -> MeanScore:
    """Return the mean of scores in 0..1 with its 95% interval.

    Wilson's interval for the number of independent games that would have the clustered standard error, with
    Student's t for few deals: it stays within 0..1 and does not collapse for perfect scores. Fewer than FEWEST_DEALS
    deals give none.

    >>> interval = mean_interval([1, 1, 0, 1, 1, 0, 1, 1] * 3, deals=[deal // 2 for deal in range(24)])
    >>> f"{interval.mean:.2f} in {interval.low:.2f} .. {interval.high:.2f}"
    '0.75 in 0.56 .. 0.88'
    >>> mean_interval([1, 1, 0, 1])
    MeanScore(mean=0.75, low=nan, high=nan)
    """
    values = np.asarray(score, dtype=np.float64)
    if not len(values):
        raise StatsError("no games to compute a mean score from")
    return clustered_interval(values, *cluster_codes(deals, len(values)))


def clustered_interval(values: Floats, cluster: Ints, clusters: int) -> MeanScore:
    """Return the mean of scores in 0..1 with its 95% interval, for clusters numbered 0 .. `clusters` - 1.

    Single scores may lie outside 0..1 (with luck taken out); their mean is held within.
    """
    mean = min(max(float(values.mean()), 0.0), 1.0)
    if clusters < FEWEST_DEALS:
        return MeanScore(mean, math.nan, math.nan)
    width = float(t_width(clusters - 1))
    error = math.sqrt(clusters / (clusters - 1) * float((influence(values, cluster, clusters) ** 2).sum()))
    # without any spread, or at an end, the number of deals is the only evidence
    number = clusters if error < 1e-12 or mean in (0, 1) else mean * (1 - mean) / error**2
    share = width * width / number
    centre = (mean + share / 2) / (1 + share)
    half = math.sqrt(share * mean * (1 - mean) + share * share / 4) / (1 + share)
    return MeanScore(mean, max(0.0, centre - half) if mean > 0 else 0.0, min(1.0, centre + half) if mean < 1 else 1.0)


def clustered_error(values: npt.ArrayLike, deals: pd.Series | npt.ArrayLike | None) -> float:
    """Return half the 95% interval of the mean of any figures, clustered by deal; nan below FEWEST_DEALS deals.

    >>> round(clustered_error([1.0, 3.0] * 6, range(12)), 2), clustered_error([1.0, 3.0, 2.0, 6.0], [1, 1, 2, 2])
    (0.66, nan)
    """
    figures = np.asarray(values, dtype=np.float64)
    cluster, clusters = cluster_codes(deals, len(figures))
    if clusters < FEWEST_DEALS:
        return math.nan
    variance = clusters / (clusters - 1) * float((influence(figures, cluster, clusters) ** 2).sum())
    return float(t_width(clusters - 1)) * math.sqrt(variance)


@dataclass(frozen=True)
class MeanDifference:
    """Mean of one group minus mean of another, with standard error, 95% interval and two-sided p-value.

    `shared` is the number of deals that both groups have: the effect of the cards cancels out there.
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
    """Return the difference of two means, paired by deal where both groups have the deal.

    With `scores` the values lie in 0..1, and the interval of their difference within -1..1. If all deals show the same
    difference, the error is as if there were two more deals, one better and one worse by the whole scale (by the
    standard deviation of all values if they are not scores). Values that are all equal show no difference, but do not
    bound one either: error and interval are nan. They are, and so is the p-value, for a group of fewer than
    FEWEST_DEALS deals.

    >>> change = mean_difference([1, 1, 0, 1] * 3, range(12), [0, 1, 0, 1] * 3, range(12))
    >>> f"{change.difference:.2f} ± {change.error:.2f}, p = {change.p_value:.2f}, {change.shared} deals shared"
    '0.25 ± 0.13, p = 0.08, 12 deals shared'
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
    gap, shared = float(first.mean() - second.mean()), int((seen[0] & seen[1]).sum())
    fewest = min(int(there.sum()) for there in seen)
    if fewest < FEWEST_DEALS:
        return MeanDifference(gap, math.nan, math.nan, math.nan, math.nan, shared)
    parts = [influence(values, numbers, clusters) for values, numbers in groups]

    # a deal that both groups have contributes to both means: only the difference of these contributions counts
    variance = float(((parts[0] - parts[1]) ** 2).sum()) * clusters / (clusters - 1)
    for (values, _), part, there in zip(groups, parts, seen):
        if scores and float(np.abs(part).max()) < 1e-12:
            variance += smoothed_error(values, int(there.sum())) ** 2
    if variance < 1e-24:  # equal deal by deal: imagine two more deals, one up, one down
        step = 1.0 if scores else float(np.concatenate((first, second)).std())
        variance = 2 * (step / (clusters + 2)) ** 2
    error = math.sqrt(variance)
    if error < 1e-12:
        return MeanDifference(gap, math.nan, math.nan, math.nan, 1.0, shared)
    p_value = float(2 * t_cdf(fewest - 1, -abs(gap) / error))
    half = float(t_quantile(fewest - 1, 0.975)) * error
    low, high = gap - half, gap + half
    if scores:
        low, high = max(low, -1.0), min(high, 1.0)
    return MeanDifference(gap, error, low, high, p_value, shared)


# ---------------------------------------------------------------- limits from counts
#
# Gaffke's limits (Learned-Miller and Thomas, "A New Confidence Interval for the Mean of a Bounded Random Variable",
# 2019): one imagined result at the end of the scale is added to those seen, 0 for the lower and 1 for the upper limit,
# and the limit is a quantile of the mean under random weights (a Dirichlet distribution with one unit for each
# result). For results of only 0 and 1 these are the limits of Clopper and Pearson; for many results they approach the
# normal approximation. Nothing is assumed about the distribution of the results, so the two games of a pair may depend
# on each other in any way.
#
# All functions work on many sets of counts at once: `weights` has the shape (sets, cells), `scores` (cells,) rises from
# 0 to 1. More than 10^9 results count as 10^9: the integral has no digits for more.


def _nodes(end: float, step: float) -> tuple[Floats, Floats]:
    """Return the nodes along the path of the integral, and their weights."""
    nodes = np.arange(0.0, end + step / 2, step)
    return np.sinh(nodes), np.cosh(nodes) * np.where(nodes == 0, step / 2, step) / np.pi


_FEW, _MANY = _nodes(9.0, 0.1), _nodes(4.0, 0.16)
_ENOUGH = 15
_ROUNDS = 100
_MOST = 1e9
_BLOCK = 4096


def chance_above(weights: Floats, scores: Floats, level: Floats) -> Floats:
    """Return the probability that the randomly weighted mean lies above `level` (sets,), strictly between its ends."""
    return _chance(_held(weights), scores, 1 - level)


def _held(weights: Floats) -> Floats:
    share = np.minimum(1.0, _MOST / weights.sum(axis=1))[:, None]
    return np.asarray(np.maximum(weights * share, np.minimum(weights, 1.0)), dtype=np.float64)


def _chance(weights: Floats, scores: Floats, room: Floats) -> Floats:
    """Return the probability that the mean lies above 1 - `room`.

    It does if a sum of gamma variables with the factors scores - 1 + room is above 0. The chance of that is an
    integral over the sum's moment generating function, taken through its saddle point.
    """
    factor = (scores - 1)[None, :] + room[:, None]
    # the integral is accurate in the tails; on the other side of the mean it gives the opposite chance
    below = (weights * factor).sum(axis=1) > 0
    factor = np.where(below[:, None], -factor, factor)
    limit = 1 / np.where(weights > 0, factor, -np.inf).max(axis=1)
    low, high = np.zeros_like(limit), limit
    point = limit / 2
    for _ in range(_ROUNDS):  # Newton's method for the saddle point, held in its bracket
        ratio = factor / (1 - factor * point[:, None])
        slope = (weights * ratio).sum(axis=1) - 1 / point
        curve = (weights * ratio**2).sum(axis=1) + point**-2
        low, high = np.where(slope < 0, point, low), np.where(slope < 0, high, point)
        step = point - slope / curve
        step = np.where((step > low) & (step < high), step, (low + high) / 2)
        moved = np.abs(step - point) > 1e-6 * point
        point = step
        if not moved.any():
            break
    ratio = factor / (1 - factor * point[:, None])
    width = ((weights * ratio**2).sum(axis=1) + point**-2) ** -0.5
    tail = np.empty(len(weights))
    # where few results differ from the rest the integrand has a long tail; otherwise it is nearly normal
    many = weights.sum(axis=1) - weights.max(axis=1) >= _ENOUGH
    for rows, (height, share) in ((many, _MANY), (~many, _FEW)):
        if not rows.any():
            continue
        path = point[rows, None] + 1j * width[rows, None] * height
        power = -np.log(path)
        for cell in np.nonzero(weights[rows].any(axis=0))[0]:
            power -= weights[rows, cell, None] * np.log(1 - factor[rows, cell, None] * path)
        tail[rows] = (np.exp(power).real * share).sum(axis=1) * width[rows]
    tail = np.clip(tail, 0.0, 1.0)
    return np.where(below, 1 - tail, tail)


def room_above(counts: Floats, scores: Floats, tail: Floats) -> Floats:
    """Return 1 minus the upper limit (sets,) of the mean, above which results so low have a chance below `tail`.

    A set with all counts in the last cell has no limit: 0.

    >>> room_above(np.array([[3.0, 7.0], [0.0, 9.0]]), np.array([0.0, 1.0]), np.array([0.025, 0.025])).round(4).tolist()
    [0.0667, 0.0]
    """
    room = np.zeros(len(counts))
    limited = np.nonzero(counts[:, :-1].sum(axis=1) > 0)[0]
    for start in range(0, len(limited), _BLOCK):
        rows = limited[start : start + _BLOCK]
        room[rows] = _room_above(_held(counts[rows]), scores, tail[rows])
    return room


def _room_above(weights: Floats, scores: Floats, tail: Floats) -> Floats:
    weights[:, -1] += 1
    # the first guess is the beta distribution with the same mean and variance; exact for results of 0 and 1
    number = weights.sum(axis=1)
    mean = weights @ scores / number
    spread = (weights * (scores - mean[:, None]) ** 2).sum(axis=1) / number / (number + 1)
    size = np.minimum(mean * (1 - mean) / spread - 1, _MOST)
    beta = np.stack([(1 - mean) * size, mean * size], axis=1)
    about = logit(1 - mean) + normal_quantile(tail) * np.sqrt((1 / beta).sum(axis=1))
    start = expit(_solved(beta, np.array([0.0, 1.0]), np.ones_like(mean), tail, about))
    most = 1 - np.where(weights > 0, scores, np.inf).min(axis=1)
    solution = _solved(weights, scores, most, tail, logit(np.clip(start / most, 1e-20, 1 - 1e-9)))
    return np.asarray(most * expit(solution), dtype=np.float64)


def _solved(weights: Floats, scores: Floats, most: Floats, tail: Floats, start: Floats) -> Floats:
    """Return x such that the mean lies above 1 - most * expit(x) with the probability `tail`."""
    wanted = -normal_quantile(tail)

    def miss(x: Floats) -> Floats:
        """Return the error of the tail in normal deviations: nearly a straight line."""
        chance = np.clip(_chance(weights, scores, most * expit(x)), 1e-300, 1 - 1e-16)
        return np.asarray(wanted + normal_quantile(chance), dtype=np.float64)

    old = start
    low, high = np.full_like(old, -60.0), np.full_like(old, 40.0)
    old_miss = miss(old)
    new = old - 0.1 * np.sign(old_miss)
    for _ in range(_ROUNDS):  # the secant method, held in its bracket
        new_miss = miss(new)
        low = np.where(new_miss < 0, np.maximum(new, low), low)
        high = np.where(new_miss < 0, high, np.minimum(new, high))
        with np.errstate(all="ignore"):
            step = new - new_miss * (new - old) / (new_miss - old_miss)
        step = np.where((step > low) & (step < high), step, (low + high) / 2)
        done = (np.abs(new_miss) < 1e-10) | (np.abs(step - new) < 1e-13)
        old, old_miss = new, new_miss
        new = np.where(done, new, step)
        if done.all():
            break
    return new
