"""Estimate Elo after a sequential test that stopped: median-unbiased, with an interval that allows for the stopping.

A result is more extreme if the test stopped earlier (Siegmund 1978, as fishtest does): first all results that ended
with H1, early before late, then all that ended with H0, late before early. The estimate is the score at which results
above the one seen are as likely as results below it; at the ends of the interval one of the two has 2.5%. The log
likelihood ratio is modelled as a walk whose steps are the values of the cells of the result, which allows for few units
and for steps far beyond a bound; more than STEPS units are taken several at a time, as normal steps. With luck taken
out, all steps are normal, as in the test.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from arena.stats.distributions import expit, normal_cdf
from arena.stats.frames import Floats
from arena.stats.intervals import FEWEST_DEALS
from arena.stats.pairs import cell_scores, elo_of_score, regularised
from arena.stats.sprt import SprtResult, hypotheses, with_score

STEPS = 200
_GRID = 400
_FARTHEST = 9.0
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
    elo = _elo_where(result, 0.5)
    if result.units < FEWEST_DEALS:
        return StoppedEstimate(elo, math.nan, math.nan)
    return StoppedEstimate(elo, _elo_where(result, 0.025), _elo_where(result, 0.975))


def _elo_where(result: SprtResult, chance: float) -> float:
    """Return the Elo at which results above the one seen have this chance."""
    low, high = -_FARTHEST, _FARTHEST
    if _above(result, low) > chance:
        return -math.inf
    if _above(result, high) < chance:
        return math.inf
    while high - low > 1e-3:
        middle = (low + high) / 2
        low, high = (middle, high) if _above(result, middle) < chance else (low, middle)
    return elo_of_score(float(expit((low + high) / 2)))


def _above(result: SprtResult, level: float) -> float:
    """Return the chance of a result above the one seen, and half of an equal one, at the score expit(`level`)."""
    score = float(expit(level))
    if result.luck is None:
        filled = regularised(np.array(result.counts, dtype=np.float64))[:, None]
        share = filled / filled.sum()
        null, other = hypotheses(result.test, share)
        worth = np.log(other / null)[:, 0]
        likely = with_score(share, cell_scores(len(share))[:, None], score)[:, 0]
        mean = float(likely @ worth)
        deviation = math.sqrt(float(likely @ (worth - mean) ** 2))
    else:
        low, high = result.test.scores(result.counts)
        mean = (high - low) * (score - (low + high) / 2) / result.luck.variance
        deviation = (high - low) / math.sqrt(result.luck.variance)
    at_once = math.ceil(result.units / STEPS)
    inward = _OVERSHOOT * (math.sqrt(at_once) - 1) * deviation
    lower, upper = result.lower + inward, result.upper - inward
    cell = (upper - lower) / _GRID
    if at_once == 1 and result.luck is None:
        kernel, reach = _split_steps(worth / cell, likely)
    else:
        kernel, reach = _normal_steps(at_once * mean / cell, math.sqrt(at_once) * deviation / cell)
    walk = np.zeros(_GRID)
    walk[min(max(round(-lower / cell - 0.5), 0), _GRID - 1)] = 1.0
    ended = np.zeros(2)  # at H0, at H1
    now = ended
    for _ in range(math.ceil(result.units / at_once)):
        spread = np.convolve(walk, kernel)
        walk = spread[reach : reach + _GRID]
        now = np.array([spread[:reach].sum(), spread[reach + _GRID :].sum()])
        ended = ended + now
    if result.verdict == "H1":
        return float(ended[1] - now[1] / 2)
    return float(1 - ended[0] + now[0] / 2)


def _split_steps(steps: Floats, likely: Floats) -> tuple[Floats, int]:
    """Return the chances of steps of whole cells, each divided between its neighbours, and the index of a step of 0."""
    reach = min(math.ceil(float(np.abs(steps).max())) + 1, 2 * _GRID)
    places = np.clip(steps, -reach, reach - 1) + reach
    whole = np.floor(places).astype(np.int64)
    kernel: Floats = np.bincount(whole, likely * (1 - (places - whole)), 2 * reach + 1).astype(np.float64)
    kernel += np.bincount(whole + 1, likely * (places - whole), 2 * reach + 1)
    return kernel, reach


def _normal_steps(mean: float, deviation: float) -> tuple[Floats, int]:
    """Return the same as `_split_steps`, for normal steps."""
    reach = min(math.ceil(abs(mean) + 6 * deviation) + 1, 2 * _GRID)
    ends = normal_cdf((np.arange(-reach, reach + 2) - 0.5 - mean) / max(deviation, 1e-9))
    ends[0], ends[-1] = 0.0, 1.0
    return ends[1:] - ends[:-1], reach
