"""Estimate from the pairs of two bots which is better, and with what confidence.

The unit of evidence is the pair (two games on one deal, seats swapped), counted in five cells by its points:
LL, LD+DL, LW+DD+WL, DW+WD, WW (0, 0.5, 1, 1.5, 2 points). Unpaired games are counted in three cells: L, D, W.
Functions that take `counts` accept five or three of them. docs/statistics.md has the definitions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from arena.stats import other_side
from arena.stats.distributions import Z95, normal_cdf, t_cdf, t_quantile
from arena.stats.frames import (
    Floats,
    GameArrays,
    StatsError,
    as_floats,
    check_games,
    complete_pairs,
    games_of,
    require_bot,
)
from arena.stats.intervals import chance_above, room_above

if TYPE_CHECKING:
    import pandas as pd

ZERO_CELL = 1e-3
SCORE_LIMIT = 1e-3
CELLS = {5: ("pairs", ("LL", "LD+DL", "LW+DD+WL", "DW+WD", "WW")), 3: ("games", ("L", "D", "W"))}
ELO_SCALE = 400 / math.log(10)
NORMALIZED_SCALE = 800 / math.log(10)


def elo_of_score(score: float) -> float:
    """Return the Elo difference for an expected score, which is clipped to 0.001 .. 0.999 (about -1200 .. 1200).

    >>> round(elo_of_score(0.75), 2), round(elo_of_score(1.0), 2)
    (190.85, 1199.83)
    """
    kept = min(max(score, SCORE_LIMIT), 1 - SCORE_LIMIT)
    return -400 * math.log10(1 / kept - 1)


def score_of_elo(elo: float) -> float:
    """Return the expected score of a bot that is `elo` stronger.

    >>> round(score_of_elo(100), 4)
    0.6401
    """
    return 1 / (1 + 10 ** (-elo / 400))


def check_counts(counts: Sequence[float] | npt.ArrayLike) -> Floats:
    """Return five pair counts or three game counts as floats, or raise StatsError.

    >>> check_counts([3, -1, 4])
    Traceback (most recent call last):
    arena.stats.frames.StatsError: counts 3,-1,4: the 2nd (D) is -1; counts are whole numbers from 0 up
    """
    values = as_floats(counts, "counts")
    if values.ndim != 1 or len(values) not in CELLS:
        names = (f"{number} for {what} ({', '.join(cells)})" for number, (what, cells) in CELLS.items())
        raise StatsError(f"counts: {values.size} numbers; expected {' or '.join(names)}")
    text = ",".join(f"{value:g}" for value in values)
    for value, name, ordinal in zip(values, CELLS[len(values)][1], ("1st", "2nd", "3rd", "4th", "5th")):
        if not (math.isfinite(value) and value >= 0 and value == math.floor(value)):
            raise StatsError(f"counts {text}: the {ordinal} ({name}) is {value:g}; counts are whole numbers from 0 up")
    if values.sum() == 0:
        raise StatsError(f"counts {text}: all zero; there is nothing to compute")
    return values


def regularised(counts: Floats) -> Floats:
    """Return counts with 0.001 in place of each zero, so that logarithms and variances stay finite."""
    return np.where(counts == 0, ZERO_CELL, counts)


def cell_scores(cells: int) -> Floats:
    """Return the score (0..1) of each cell: 0, 1/4, ..., 1 for pairs, 0, 1/2, 1 for games."""
    return np.arange(cells, dtype=np.float64) / (cells - 1)


def moments(counts: Floats) -> tuple[float, float, float]:
    """Return the number of units, the mean score and the variance of a unit's score, regularised."""
    filled = regularised(counts)
    number = float(filled.sum())
    scores = cell_scores(len(filled))
    mean = float(filled @ scores) / number
    variance = float(filled @ (scores - mean) ** 2) / number
    return number, mean, variance


@dataclass(frozen=True)
class Fishtest:
    """The figures of fishtest for `counts`: a normal approximation, for many pairs that both bots win some of.

    elo, elo_error95   Elo difference and half the width of its 95% interval
    los                likelihood of superiority, 0..1
    normalized_elo     the difference in units of one game's standard deviation, times 800/ln 10
    """

    elo: float
    elo_error95: float
    los: float
    normalized_elo: float


def fishtest(counts: Sequence[float] | npt.ArrayLike) -> Fishtest:
    """Return the figures as fishtest computes them, for comparison with other programs.

    Empty cells count as 0.001 and scores are clipped to 0.001 .. 0.999. For few or one-sided pairs the error is far
    too small (ten split pairs: ± 3.4 Elo): the arena itself shows `head_to_head`.

    >>> figures = fishtest([5, 0, 35, 0, 10])
    >>> f"{figures.elo:.2f} ± {figures.elo_error95:.2f}, superior with {figures.los:.3f}"
    '34.86 ± 52.80, superior with 0.905'
    """
    values = check_counts(counts)
    number, mean, variance = moments(values)
    spread = math.sqrt(variance / number)
    low, high = elo_of_score(mean - Z95 * spread), elo_of_score(mean + Z95 * spread)
    return Fishtest(
        elo=elo_of_score(mean),
        elo_error95=(high - low) / 2,
        los=float(normal_cdf((mean - 0.5) / spread)),
        normalized_elo=_normalized(values),
    )


def _normalized(values: Floats) -> float:
    _, mean, variance = moments(values)
    return (mean - 0.5) / math.sqrt((len(values) - 1) / 2 * variance) * NORMALIZED_SCALE


@dataclass(frozen=True)
class HeadToHead:
    """The estimate from `counts`. The interval holds the truth in at least 95% of cases, even for few results.

    unit                "pairs" (five cells) or "games" (three cells)
    units, games        number of pairs (or games) and of games
    score               mean points of a game, 0..1
    flag                "" for a number; ">" if every game was won, "<" if every game was lost: then there is only a
                        bound, not an estimate
    elo, elo_error95    Elo difference and half the width of its 95% interval; infinite for a flagged result
    elo_low, elo_high   the 95% interval; far from 0 it is not symmetric around `elo`. For a flagged result one end is
                        infinite and the other a one-sided 95% bound
    los                 likelihood of superiority, 0..1
    normalized_elo      the difference in units of one game's standard deviation, times 800/ln 10; infinite if flagged
    """

    counts: tuple[int, ...]
    unit: str
    units: int
    games: int
    score: float
    flag: str
    elo: float
    elo_error95: float
    elo_low: float
    elo_high: float
    los: float
    normalized_elo: float

    @property
    def bound(self) -> float:
        """Return the one-sided 95% bound on the Elo difference of a flagged result; nan without a flag."""
        return {">": self.elo_low, "<": self.elo_high}.get(self.flag, math.nan)


def head_to_head(counts: Sequence[float] | npt.ArrayLike) -> HeadToHead:
    """Estimate Elo difference, interval and likelihood of superiority from five pair counts or three game counts.

    The interval comes from `score_intervals`. The likelihood is the chance of a score above 1/2 after `counts` and one
    more unit, half of it won and half of it lost.

    >>> result = head_to_head([5, 0, 35, 0, 10])
    >>> f"{result.elo:.1f} ± {result.elo_error95:.1f}, superior with {result.los:.3f}"
    '34.9 ± 60.4, superior with 0.902'
    >>> result = head_to_head([0, 0, 0, 0, 25])
    >>> f"{result.flag} {result.bound:.0f}"
    '> 358'
    """
    return heads_to_heads([check_counts(counts)])[0]


def adjusted_head_to_head(counts: Sequence[float] | npt.ArrayLike, score: float, error95: float) -> HeadToHead:
    """Estimate as `head_to_head`, with luck taken out: from a mean `score` and half its 95% interval by Student's t.

    Only units, games and the standard deviation behind `normalized_elo` come from `counts`. Scores are clipped to
    0.001 .. 0.999.
    """
    counted = head_to_head(counts)
    low, elo, high = (elo_of_score(end) for end in (score - error95, score, score + error95))
    degrees = max(counted.units - 1, 1)
    _, _, variance = moments(check_counts(counts))
    return replace(
        counted,
        score=score,
        flag="",
        elo=elo,
        elo_error95=(high - low) / 2,
        elo_low=low,
        elo_high=high,
        los=float(t_cdf(degrees, (score - 0.5) / error95 * t_quantile(degrees, 0.975))),
        normalized_elo=(score - 0.5) / math.sqrt((len(counted.counts) - 1) / 2 * variance) * NORMALIZED_SCALE,
    )


def heads_to_heads(many: Sequence[Sequence[float] | npt.ArrayLike]) -> list[HeadToHead]:
    """Return `head_to_head` of each of many counts (all of five cells, or all of three), faster than one by one."""
    if not len(many):
        return []
    values = np.stack([check_counts(counts) for counts in many])
    distinct, index = np.unique(values, axis=0, return_inverse=True)
    low, room = score_intervals(distinct)
    scores = cell_scores(values.shape[1])
    weights = distinct.copy()
    weights[:, [0, -1]] += 0.5
    middle = np.full(len(distinct), 0.5)
    likely = 0.5 + (chance_above(weights, scores, middle) - chance_above(weights[:, ::-1], scores, middle)) / 2
    results = [
        _head_to_head(*line) for line in zip(distinct, low.tolist(), room.tolist(), likely.tolist(), strict=True)
    ]
    return [results[row] for row in np.ravel(index).tolist()]


def _head_to_head(values: Floats, low: float, room: float, likely: float) -> HeadToHead:
    units = round(float(values.sum()))
    flag = ">" if values[-1] == values.sum() else "<" if values[0] == values.sum() else ""
    endless = {">": math.inf, "<": -math.inf, "": 0.0}[flag]
    elo = endless or round(_elo(moments(values)[1]), 9) + 0.0
    ends = -math.inf if flag == "<" else min(_elo(low), elo), math.inf if flag == ">" else max(-_elo(room), elo)
    per_game = 2 if len(values) == 5 else 1
    return HeadToHead(
        counts=tuple(round(float(value)) for value in values),
        unit=CELLS[len(values)][0],
        units=units,
        games=units * per_game,
        score=float(values @ cell_scores(len(values))) / units,
        flag=flag,
        elo=elo,
        elo_error95=math.inf if flag else (ends[1] - ends[0]) / 2,
        elo_low=ends[0],
        elo_high=ends[1],
        los=likely,
        normalized_elo=endless or round(_normalized(values), 9) + 0.0,
    )


def score_intervals(counts: Floats) -> tuple[Floats, Floats]:
    """Return the lower ends (results,) of 95% intervals for the mean score, and 1 minus the upper ends.

    `counts` has the shape (results, cells). Each end has a tail of 2.5% (see `arena.stats.intervals`). Where all games
    went one way, one end is the end of the scale and the other has a tail of 5%.
    """
    scores = cell_scores(counts.shape[1])
    one_sided = (counts[:, [0, -1]] == counts.sum(axis=1)[:, None]).any(axis=1)
    tail = np.where(one_sided, 0.05, 0.025)
    return room_above(counts[:, ::-1], scores, tail), room_above(counts, scores, tail)


def units_needed(counts: Sequence[float] | npt.ArrayLike, error: float) -> int | None:
    """Return the number of further pairs (games, for three counts) that bring the 95% error down to `error` Elo.

    Assume that further pairs are distributed like the ones seen so far. Return 0 if the error is small enough already,
    None if all units lie in one cell: without any spread nothing can be predicted.

    >>> units_needed([5, 0, 35, 0, 10], error=20)
    329
    >>> units_needed([0, 0, 0, 0, 25], error=20) is None
    True
    """
    values = check_counts(counts)
    if not (math.isfinite(error) and error > 0):
        raise StatsError(f"error {error:g}: expected a 95% error in Elo above 0")
    if int(np.count_nonzero(values)) < 2:
        return None
    if head_to_head(values).elo_error95 <= error:
        return 0
    _, mean, variance = moments(values)
    room = min(mean, 1 - mean)

    def excess(half_width: float) -> float:
        return (_elo(mean + half_width) - _elo(mean - half_width)) / 2 - error

    widest = room * (1 - 1e-12)
    from scipy.optimize import brentq  # slow to load

    half_width = widest if excess(widest) <= 0 else float(brentq(excess, 0.0, widest, xtol=1e-15))
    # with y = 1/sqrt(N) the interval is about deviation * y to each side, plus half the one imagined result, y^2/2
    deviation = Z95 * math.sqrt(variance)
    wanted = (math.sqrt(deviation**2 + 2 * half_width) - deviation) ** -2
    return max(1, math.ceil(wanted * (1 - 1e-9)) - round(float(values.sum())))


def _elo(score: float) -> float:
    """Return the Elo of a score between 0 and 1, clipped only at the limits of floats."""
    kept = min(max(score, 1e-300), 1 - 2**-53)
    return 400 * (math.log10(kept) - math.log10(1 - kept)) + 0.0


def pair_cells(games: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each complete pair (arena.stats.frames.complete_pairs), in the order of their first games.

    Columns: `deal_seed` and `pairing` (if known), `deal`, `bot`, `opponent` (in alphabetical order), `points` of the
    bot (0..2), `cell` (0..4). Games without a deal or a partner are left out.
    """
    checked = check_games(games)
    if "deal" not in checked.columns:
        raise StatsError("games: no column 'deal', so no pairs can be found; count single games instead")
    coded = games_of(checked)
    there, back = complete_pairs(coded)
    row, points = np.minimum(there, back), coded.score[there] + other_side(coded.score[back])
    names = np.array(coded.bots, dtype=object)
    table = checked.filter(["deal_seed", "pairing", "deal"]).iloc[row].reset_index(drop=True)
    table["bot"], table["opponent"] = names[coded.first[there]], names[coded.second[there]]
    table["points"], table["cell"] = points, (2 * points).astype(np.int64)
    return table


def counts_between(games: pd.DataFrame | GameArrays, bot: str, opponent: str) -> tuple[int, ...]:
    """Count the complete pairs of two bots by cell as `bot` sees them; their games if there are no pairs.

    A game without its partner (in a run in progress) is left out if there is any complete pair.
    """
    coded = games if isinstance(games, GameArrays) else games_of(games)
    for name in (bot, opponent):
        require_bot(name, coded.bots)
    if bot == opponent:
        raise StatsError(f"'{bot}' cannot be compared with itself")
    one, other = coded.bots.index(bot), coded.bots.index(opponent)
    began = (coded.first == one) & (coded.second == other)
    met = coded.only(began | ((coded.first == other) & (coded.second == one)))
    half_points = (2 * np.where(met.first == one, met.score, other_side(met.score))).astype(np.int64)
    there, back = complete_pairs(met)
    if len(there):
        return tuple(np.bincount(half_points[there] + half_points[back], minlength=5).tolist())
    return tuple(np.bincount(half_points, minlength=3).tolist())
