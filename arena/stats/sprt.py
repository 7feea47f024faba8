"""Run a sequential probability ratio test (SPRT): stop as soon as the pairs decide between two hypotheses.

This is the generalised SPRT of fishtest, on pair cells (pentanomial) or single games (trinomial), for hypotheses in
logistic or in normalized Elo. The test reads the schedule unit by unit, so the verdict depends neither on the speed of
a game nor on the number of workers. Once a bound is crossed at unit n, only units 1..n count.

With luck taken out, the scores of pairs can have any value, and the likelihood treats them as normal.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from arena.errors import did_you_mean
from arena.stats.distributions import expit, normal_cdf, t_width
from arena.stats.frames import Floats, Ints, StatsError
from arena.stats.intervals import FEWEST_DEALS
from arena.stats.pairs import (
    NORMALIZED_SCALE,
    ZERO_CELL,
    HeadToHead,
    adjusted_head_to_head,
    cell_scores,
    check_counts,
    elo_of_score,
    head_to_head,
    moments,
    regularised,
    score_of_elo,
)

ScaleName = Literal["logistic", "normalized"]
_Verdict = Literal["H0", "H1", "continue"]
BIAS_REMARK = "early stopping exaggerates this estimate"
BLOCK = 512
_ROOT_ROUNDS = 200
IMAGINED = 2
"""Imagined pairs won, and as many lost, in the variance of adjusted scores: few or one-sided pairs show too little."""


@dataclass(frozen=True)
class SprtTest:
    """The hypotheses: Elo is elo0 (H0, false alarm rate alpha) or elo1 (H1, miss rate beta), on one of two scales.

    Raises StatsError for impossible hypotheses or error rates.

    >>> test = SprtTest(0, 5)
    >>> round(test.lower, 3), round(test.upper, 3)
    (-2.944, 2.944)
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05
    model: ScaleName = "logistic"

    def __post_init__(self) -> None:
        if self.model not in get_args(ScaleName):
            known = get_args(ScaleName)
            raise StatsError(
                f"unknown model '{self.model}'{did_you_mean(self.model, known)} (known: {', '.join(known)})"
            )
        limit = 800.0 if self.model == "logistic" else 200.0
        for name, elo in (("elo0", self.elo0), ("elo1", self.elo1)):
            if not (math.isfinite(elo) and abs(elo) <= limit):
                raise StatsError(f"{name} = {elo:g}: expected {self.model} Elo from -{limit:g} to {limit:g}")
        if not self.elo0 < self.elo1:
            raise StatsError(f"elo0 = {self.elo0:g} must be less than elo1 = {self.elo1:g}")
        for name, rate in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < rate < 0.5:
                raise StatsError(f"{name} = {rate:g}: expected an error rate between 0 and 0.5")

    @property
    def lower(self) -> float:
        """Return the log likelihood ratio at or below which H0 is accepted."""
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """Return the log likelihood ratio at or above which H1 is accepted."""
        return math.log((1 - self.beta) / self.alpha)

    def scores(self, counts: Sequence[float]) -> tuple[float, float]:
        """Return the mean scores under H0 and H1; normalized Elo is relative to the deviation of pairs so counted."""
        if self.model == "logistic":
            return score_of_elo(self.elo0), score_of_elo(self.elo1)
        per_elo = math.sqrt(2 * moments(np.asarray(counts))[2]) / NORMALIZED_SCALE
        return 0.5 + self.elo0 * per_elo, 0.5 + self.elo1 * per_elo

    def verdict(self, llr: float) -> _Verdict:
        """Return "H1" or "H0" if `llr` is at or beyond that bound, otherwise "continue"."""
        if llr >= self.upper:
            return "H1"
        return "H0" if llr <= self.lower else "continue"


def llr(test: SprtTest, counts: Sequence[float] | npt.ArrayLike) -> float:
    """Return the log likelihood ratio of H1 to H0 for five pair counts or three game counts.

    >>> round(llr(SprtTest(0, 5), [5, 0, 35, 0, 10]), 6)
    0.223748
    """
    return float(llr_of_many(test, check_counts(counts)[:, None])[0])


def llr_of_many(test: SprtTest, counts: Floats) -> Floats:
    """Return the log likelihood ratios of many sets of counts: `counts` has the shape (cells, results).

    Each column is computed independently: the same counts give the same number in any column.
    """
    filled = regularised(np.asarray(counts, dtype=np.float64))
    number = _sum(filled)
    share = filled / number
    null, other = hypotheses(test, share)
    ratios: Floats = number * _sum(share * np.log(other / null))
    return ratios


def hypotheses(test: SprtTest, share: Floats) -> tuple[Floats, Floats]:
    """Return the most likely distributions under H0 and H1, given observed shares; all of shape (cells, results)."""
    scores = cell_scores(len(share))[:, None]
    if test.model == "logistic":
        null, other = (with_score(share, scores, score_of_elo(elo)) for elo in (test.elo0, test.elo1))
    else:
        per_game = math.sqrt((len(share) - 1) / 2)
        null, other = (
            _with_t_value(share, scores, per_game * elo / NORMALIZED_SCALE) for elo in (test.elo0, test.elo1)
        )
    return null, other


def _sum(values: Floats) -> Floats:
    """Sum over the cells, always in the same order, so that the result does not depend on the shape."""
    total: Floats = values[0]
    for row in values[1:]:
        total = total + row
    return total


def with_score(share: Floats, scores: Floats, score: float | Floats) -> Floats:
    """Return the most likely distribution with mean `score`, given the observed `share`."""
    distance = np.broadcast_to(scores - score, share.shape)
    return share / (1 + _root(share, distance) * distance)


def _with_t_value(share: Floats, scores: Floats, value: float) -> Floats:
    """Return the most likely distribution with (mean - 1/2)/deviation = `value`, given the observed `share`.

    Iterate from the uniform distribution, at most ten rounds or until no cell moves by 1e-9.
    """
    fitted = np.full_like(share, 1 / len(share))
    moving = np.arange(share.shape[1])
    for _ in range(10):
        now, seen = fitted[:, moving], share[:, moving]
        mean = _sum(now * scores)
        deviation = np.sqrt(_sum(now * (scores - mean) ** 2))
        distance = scores - 0.5 - value * deviation * (1 + ((scores - mean) / deviation) ** 2) / 2
        new = seen / (1 + _root(seen, distance) * distance)
        fitted[:, moving] = new
        moving = moving[np.abs(new - now).max(axis=0) >= 1e-9]
        if not len(moving):
            break
    return fitted


@np.errstate(divide="ignore", invalid="ignore")  # a step onto an end of the bracket gives nan and is bisected
def _root(share: Floats, distance: Floats) -> Floats:
    """Return x with sum share * distance / (1 + x * distance) = 0, between -1/max(distance) and -1/min(distance).

    Newton's method on the sum times its two outermost denominators (which has no poles there), with bisection
    wherever a step would leave the bracket. One x per column.
    """
    least, most = distance.min(axis=0), distance.max(axis=0)
    if not ((least < 0) & (most > 0)).all():
        raise StatsError("the hypotheses lie too far from these counts to be compared; bring them nearer to 0")
    root = np.zeros(share.shape[1])
    low, high = -1 / most, -1 / least
    open_ones = np.arange(len(root))
    for _ in range(_ROOT_ROUNDS):
        x, p, a = root[open_ones], share[:, open_ones], distance[:, open_ones]
        a_min, a_max, lo, hi = least[open_ones], most[open_ones], low[open_ones], high[open_ones]
        part = a / (1 + x * a)
        value = _sum(p * part)
        slope = -_sum(p * part * part)
        below = value > 0
        lo, hi = np.where(below, x, lo), np.where(below, hi, x)
        d_min, d_max = 1 + x * a_min, 1 + x * a_max
        flat = value * d_min * d_max
        flat_slope = slope * d_min * d_max + value * (a_min * d_max + a_max * d_min)
        step = x - flat / flat_slope
        # the closed interval: at the root itself a zero step must not turn into a bisection
        new = np.where((step >= lo) & (step <= hi), step, (lo + hi) / 2)
        root[open_ones], low[open_ones], high[open_ones] = new, lo, hi
        open_ones = open_ones[np.abs(new - x) > 1e-15 * np.maximum(np.abs(x), 1.0)]
        if not len(open_ones):
            break
    return root


@dataclass(frozen=True)
class LuckTakenOut:
    """The effect of taking luck out of the pairs of a test.

    variance   of the adjusted score of a pair, with the imagined pairs
    counted    mean score as counted
    worth      number of pairs as counted that one adjusted pair is worth
    """

    variance: float
    counted: float
    worth: float


@dataclass(frozen=True)
class SprtResult:
    """A state of a test. `units` (pairs or games) is the length of the prefix that counts.

    verdict   "H0", "H1" or "continue"
    llr       log likelihood ratio of the prefix, against the bounds of the test
    estimate  Elo, errors and so on of the prefix; None before the first unit
    remark    a sentence to show with the estimate; "" while the test is running
    luck      the effect of taking luck out, in a test that does; `llr` and `estimate` are then without luck
    """

    test: SprtTest
    counts: tuple[int, ...]
    units: int
    llr: float
    verdict: _Verdict
    estimate: HeadToHead | None
    remark: str
    luck: LuckTakenOut | None = None


def sprt_result(test: SprtTest, counts: Sequence[float] | npt.ArrayLike) -> SprtResult:
    """Return the result for given counts: five for pairs, three for games."""
    values = check_counts(counts)
    return _result(test, tuple(round(float(value)) for value in values), llr(test, values))


def _result(test: SprtTest, counts: tuple[int, ...], ratio: float) -> SprtResult:
    verdict = test.verdict(ratio)
    return SprtResult(
        test=test,
        counts=counts,
        units=sum(counts),
        llr=ratio,
        verdict=verdict,
        estimate=head_to_head(counts) if sum(counts) else None,
        remark="" if verdict == "continue" else BIAS_REMARK,
    )


class Sprt:
    """A running test, fed with the cells of units (pairs: 0..4; games: 0..2) in schedule order."""

    def __init__(self, test: SprtTest, cells: int = 5) -> None:
        """Start a test; `cells` is 5 for pairs and 3 for single games."""
        if cells not in (3, 5):
            raise StatsError(f"an SPRT counts 5 cells (pairs) or 3 (games), not {cells}")
        self.test = test
        self.verdict: _Verdict = "continue"
        self.llr = 0.0
        self._counts = np.zeros(cells, dtype=np.float64)

    @property
    def counts(self) -> tuple[int, ...]:
        """Return the counts of the prefix evaluated so far."""
        return tuple(int(count) for count in self._counts)

    @property
    def units(self) -> int:
        """Return the length of the prefix evaluated so far."""
        return int(self._counts.sum())

    def extend(self, cells: Sequence[int] | Ints) -> None:
        """Count the next cells, up to the verdict; after it nothing changes."""
        fresh = np.asarray(cells, dtype=np.int64)
        if fresh.size and not (fresh.min() >= 0 and fresh.max() < len(self._counts)):
            raise StatsError(f"cells are 0 .. {len(self._counts) - 1}, not {fresh.min()} .. {fresh.max()}")
        for start in range(0, len(fresh), BLOCK):
            if self.verdict != "continue":
                return
            self._count(fresh[start : start + BLOCK])

    def _count(self, cells: Ints) -> None:
        seen = np.cumsum(np.arange(len(self._counts))[:, None] == cells, axis=1) + self._counts[:, None]
        ratios = llr_of_many(self.test, seen)
        crossed = (ratios >= self.test.upper) | (ratios <= self.test.lower)
        last = int(np.argmax(crossed)) if crossed.any() else len(cells) - 1
        self._counts = seen[:, last]
        self.llr = float(ratios[last])
        self.verdict = self.test.verdict(self.llr)

    def result(self) -> SprtResult:
        """Return the current state of the test."""
        return _result(self.test, self.counts, self.llr)


class AdjustedSprt:
    """A running test of pairs with luck taken out, fed in schedule order."""

    def __init__(self, test: SprtTest) -> None:
        self.test = test
        self.verdict: _Verdict = "continue"
        self.llr = 0.0
        self.units = 0
        self._counts = [0] * 5
        self._total = self._squares = 0.0

    def extend(self, pairs: Iterable[tuple[int, float]]) -> None:
        """Count the next pairs, up to the verdict: the cell, and the points per game that luck gave the bot."""
        if self.verdict != "continue":
            return
        for cell, luck in pairs:
            score = cell / 4 - luck
            self.units += 1
            self._counts[cell] += 1
            self._total += score
            self._squares += score * score
            null, other = self.test.scores(self._counts)
            excess = self._total - self.units * (null + other) / 2
            self.llr = (other - null) * excess / self._variance(self._total, self._squares)
            self.verdict = self.test.verdict(self.llr)
            if self.verdict != "continue":
                return

    def _variance(self, total: float, squares: float) -> float:
        number = self.units + 2 * IMAGINED
        return (squares + IMAGINED) / number - ((total + IMAGINED) / number) ** 2

    def result(self) -> SprtResult:
        """Return the current state of the test."""
        state = _result(self.test, tuple(self._counts), self.llr)
        if not self.units:
            return state
        cells = cell_scores(5)
        variance = self._variance(self._total, self._squares)
        as_counted = self._variance(float(self._counts @ cells), float(self._counts @ cells**2))
        known = self.units >= FEWEST_DEALS
        error = float(t_width(self.units - 1)) * math.sqrt(variance / self.units) if known else math.nan
        estimate = adjusted_head_to_head(self._counts, self._total / self.units, error)
        luck = LuckTakenOut(variance, float(self._counts @ cells) / self.units, as_counted / variance)
        return replace(state, estimate=estimate, luck=luck)


# ---------------------------------------------------------------- the estimate after a stop
#
# Median-unbiased, with an interval that allows for the stopping.
#
# Results are ordered by verdict, then by score (Emerson and Fleming 1990). Near the hypotheses that is the order of the
# stopping times; far beyond them all tests stop at about the same time, which says nothing about the score. The
# estimate is the score at which results above the one seen are as likely as results below it; at the ends of the
# interval one of the two has 2.5%. The sum of the scores is modelled as a walk whose steps are the cells of the result,
# and the log likelihood ratio as that of the likeliest counts with this sum, which allows for few units. More than
# STEPS units are taken several at a time, as normal steps. With luck taken out, all steps are normal, as in the test.

STEPS = 200
_GRID = 400
_FARTHEST = 7.0
_LEAST = 1e-12
_FAR = 1e3
_OVERSHOOT = 0.5826
"""Mean distance by which a walk of normal steps crosses a bound, in deviations of a step (Siegmund)."""


@dataclass(frozen=True)
class StoppedEstimate:
    """Elo difference of a stopped test: as likely too high as too low, with its 95% interval.

    Ends may be infinite; they are nan for fewer than FEWEST_DEALS units.
    """

    elo: float
    elo_low: float
    elo_high: float


def stopped_estimate(result: SprtResult) -> StoppedEstimate | None:
    """Return the estimate of a test that stopped at a bound; None for other tests."""
    if result.verdict == "continue":
        return None
    walk = _Walk(result)
    elo = walk.elo_where(0.5)
    if result.units < FEWEST_DEALS:
        return StoppedEstimate(elo, math.nan, math.nan)
    return StoppedEstimate(elo, walk.elo_where(0.025), walk.elo_where(0.975))


class _Walk:
    """The sum of the scores of a test's units, in steps of `width`, until it reaches a bound: `low` or `high`."""

    def __init__(self, result: SprtResult) -> None:
        self.won = result.verdict == "H1"
        self.at_once = math.ceil(result.units / STEPS)
        self.cells = cell_scores(len(result.counts))
        self.share: Floats | None = None
        low, high = result.test.scores(result.counts)
        if result.luck is None:
            counts = np.array(result.counts, dtype=np.float64)
            self.score = float(counts @ self.cells) / result.units
            number, _, variance = moments(counts)
            share = regularised(counts)[:, None] / number
            self.share = share if self.at_once == 1 else None
            means = np.linspace(0, 1, 2 * _GRID + 1)[1:-1]
            likeliest = with_score(np.repeat(share, len(means), axis=1), self.cells[:, None], means)
            ratios = llr_of_many(result.test, np.maximum(result.units * likeliest, ZERO_CELL)) / result.units
        else:
            assert result.estimate is not None
            self.score = result.estimate.score
            variance = result.luck.variance
            means = np.array([-_FAR, _FAR])
            ratios = (high - low) * (means - (low + high) / 2) / variance
        self.deviation = math.sqrt(variance)
        between = (result.test.upper - result.test.lower) * variance / (high - low)
        self.width = float(self.cells[1]) if self.share is not None else between / _GRID
        inward = _OVERSHOOT * (math.sqrt(self.at_once) - 1) * (high - low) / self.deviation
        self.numbers = self.at_once * np.arange(1, 20 * STEPS + 1)
        rising = np.maximum.accumulate(ratios)
        self.low, self.high = (
            self.numbers * np.interp(bound / self.numbers, rising, means, -_FAR, _FAR) / self.width
            for bound in (result.test.lower + inward, result.test.upper - inward)
        )

    def elo_where(self, chance: float) -> float:
        """Return the Elo at which results above the one seen have this chance."""
        low, high = -_FARTHEST, _FARTHEST
        if self._above(low) > chance:
            return -math.inf
        if self._above(high) < chance:
            return math.inf
        while high - low > 1e-3:
            middle = (low + high) / 2
            low, high = (middle, high) if self._above(middle) < chance else (low, middle)
        return elo_of_score(float(expit((low + high) / 2)))

    def _above(self, level: float) -> float:
        """Return the chance of a result above the one seen, and half of an equal one, at the score expit(`level`)."""
        kernel, first = self._kernel(float(expit(level)))
        walk, start, beyond = np.ones(1), 0, 0.0
        for number, low, high in zip(self.numbers, self.low, self.high):
            walk = np.convolve(walk, kernel)
            start += first
            ahead = (number + self.at_once) * self.score / self.width
            sums = start + np.arange(len(walk))
            stopped = sums >= high if self.won else sums <= low
            further = np.sign(np.round(sums[stopped] - number * self.score / self.width, 6))
            beyond += float(walk[stopped] @ (1 + (further if self.won else -further))) / 2
            going = np.flatnonzero((sums > low) & (sums < high) & (walk > _LEAST))
            if not len(going):
                break
            walk, start = walk[going[0] : going[-1] + 1], start + int(going[0])
            # no later result is so far out
            if (start + len(walk) + first + len(kernel) - 2 < ahead) if self.won else (start + first > ahead):
                break
        return beyond if self.won else 1 - beyond

    def _kernel(self, score: float) -> tuple[Floats, int]:
        """Return the chances of the steps at a score, and the first of these steps."""
        if self.share is not None:
            return with_score(self.share, self.cells[:, None], score)[:, 0], 0
        mean, deviation = self.at_once * score / self.width, math.sqrt(self.at_once) * self.deviation / self.width
        first, last = math.floor(mean - 6 * deviation), math.ceil(mean + 6 * deviation)
        ends = normal_cdf((np.arange(first, last + 2) - 0.5 - mean) / deviation)
        return ends[1:] - ends[:-1], first
