"""Estimate Elo after a sequential test that stopped: median-unbiased, with an interval that allows for the stopping.

Results are ordered by verdict, then by score (Emerson and Fleming 1990). Near the hypotheses that is the order of the
stopping times; far beyond them all tests stop at about the same time, which says nothing about the score. The estimate
is the score at which results above the one seen are as likely as results below it; at the ends of the interval one of
the two has 2.5%. The sum of the scores is modelled as a walk whose steps are the cells of the result, and the log
likelihood ratio as that of the likeliest counts with this sum, which allows for few units. More than STEPS units are
taken several at a time, as normal steps. With luck taken out, all steps are normal, as in the test.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from arena.stats.distributions import expit, normal_cdf
from arena.stats.frames import Floats
from arena.stats.intervals import FEWEST_DEALS
from arena.stats.pairs import ZERO_CELL, cell_scores, elo_of_score, moments, regularised
from arena.stats.sprt import SprtResult, llr_of_many, with_score

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
        between = (result.upper - result.lower) * variance / (high - low)
        self.width = float(self.cells[1]) if self.share is not None else between / _GRID
        inward = _OVERSHOOT * (math.sqrt(self.at_once) - 1) * (high - low) / self.deviation
        self.numbers = self.at_once * np.arange(1, 20 * STEPS + 1)
        rising = np.maximum.accumulate(ratios)
        self.low, self.high = (
            self.numbers * np.interp(bound / self.numbers, rising, means, -_FAR, _FAR) / self.width
            for bound in (result.lower + inward, result.upper - inward)
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
