"""Does one line of ratings fit a field? What the results of pairings say that strengths do not.

A residual is a game's score minus what the ratings expect of it. If strengths explain all, those of each pairing sum to
nothing but luck, whose size the spread over deals tells: games on one deal are correlated. What is left over
goes round in circles (Jiang, Lim, Yao, Ye: HodgeRank, 2011), so triangles of bots show it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy import sparse
from scipy.special import expit, fdtrc, stdtrit

from arena.stats.frames import Floats, GameArrays, numbered
from arena.stats.pairs import ELO_SCALE
from arena.stats.ratings import FEWEST_DEALS, Ratings

MOST_CELLS = 20_000_000
"""Deals times pairings up to which the fit is tested."""
_LIKELY = 50
"""Triangles whose errors are computed by deal: the largest, by errors that take pairings as independent."""


@dataclass(frozen=True)
class Triangle:
    """Three bots: the first does better against the second, it against the third, and it against the first, than
    strengths allow, by `excess` Elo in sum. `error95` is half its 95% interval.
    """

    bots: tuple[str, str, str]
    scores: tuple[float, float, float]
    excess: float
    error95: float


@dataclass(frozen=True)
class LineFit:
    """How well one line of ratings fits the results of the pairings.

    pairings, deals   the evidence: bots that met, and deals they met on
    misfit            what the results of pairings leave over, in units of what luck leaves over on average: about 1 if
                      the line fits
    p_value           how often luck alone leaves over so much
    cyclic            share (0..1) of what the results say that goes round in circles, luck taken off
    triangles         the three that stand out most against their errors, most first
    """

    pairings: int
    deals: int
    misfit: float
    p_value: float
    cyclic: float
    triangles: tuple[Triangle, ...]


def line_fit(games: GameArrays, ratings: Ratings) -> LineFit | None:
    """Test whether the `ratings` of these games explain the results of all pairings.

    The test is Rao and Scott's of second order: Pearson's sum over pairings, whose mean and spread under luck alone are
    estimated from the deals. None if there is nothing to test: no three bots that all met, fewer than FEWEST_DEALS
    deals, or a field too large for it.
    """
    elo = dict(zip(ratings.bots, ratings.elo))
    level = np.array([elo[bot] for bot in games.bots]) / ELO_SCALE
    known = np.flatnonzero(np.isfinite(level[games.first] - level[games.second]))
    first, second = games.first[known], games.second[known]
    chance = expit(level[first] - level[second] + ratings.first_advantage / ELO_SCALE)
    n, straight = len(games.bots), first < second
    met, pairing = numbered(np.where(straight, first * n + second, second * n + first))
    deals, deal = numbered(games.cluster[known])
    if len(deals) < FEWEST_DEALS or len(deals) * len(met) > MOST_CELLS:
        return None
    low, high = met // n, met % n
    sign = np.where(straight, 1.0, -1.0)
    weight = np.bincount(pairing, chance * (1 - chance), len(met))
    residual = sparse.coo_matrix((sign * (games.score[known] - chance), (deal, pairing)), (len(deals), len(met)))
    # scaled by the expected deviation: what strengths can explain is a plane then, and the rest at right angles to it
    scaled = residual.toarray() / np.sqrt(weight)
    steps = np.zeros((len(met), n))
    steps[np.arange(len(met)), low], steps[np.arange(len(met)), high] = 1.0, -1.0
    steps *= np.sqrt(weight)[:, None]
    bots_met = steps[:, np.bincount(np.concatenate([low, high]), minlength=n) > 0]
    basis, size, _ = np.linalg.svd(bots_met, full_matrices=False)
    basis = basis[:, size > 1e-9 * size[0]]
    if basis.shape[1] == len(met):
        return None
    explained = scaled @ basis @ basis.T
    left = scaled - explained
    over = float((left.sum(axis=0) ** 2).sum())
    luck, freedom = _luck(left)
    told = np.sqrt(weight) * (level[low] - level[high]) + explained.sum(axis=0)
    line = max(float(told @ told) - _luck(explained)[0], 0.0)
    circles = max(over - luck, 0.0)
    points = np.bincount(pairing, np.where(straight, games.score[known], 1 - games.score[known]), len(met))
    share = points / np.bincount(pairing, minlength=len(met))
    return LineFit(
        pairings=len(met),
        deals=len(deals),
        misfit=over / luck if luck > 0 else math.nan,
        p_value=float(fdtrc(freedom, freedom * (len(deals) - 1), over / luck)) if luck > 0 else math.nan,
        cyclic=circles / (circles + line) if circles else 0.0,
        triangles=_triangles(games.bots, low, high, scaled / np.sqrt(weight), share),
    )


def _luck(left: Floats) -> tuple[float, float]:
    """The mean of Pearson's sum under luck alone, and its degrees of freedom (Satterthwaite)."""
    deals = len(left)
    centred = left - left.mean(axis=0)
    own = (centred**2).sum(axis=1)
    mean = float(own.sum()) * deals / (deals - 1)
    inner = centred @ centred.T if deals < left.shape[1] else centred.T @ centred
    spread = float((inner**2).sum() - (own**2).sum()) * deals / (deals - 1)  # without what a deal has with itself
    return mean, min(max(mean**2 / spread, 1.0), left.shape[1]) if spread > 0 else float(left.shape[1])


def _triangles(
    bots: tuple[str, ...], low: np.ndarray, high: np.ndarray, logits: Floats, share: Floats
) -> tuple[Triangle, ...]:
    """The three triangles that stand out most; `logits` are what each deal adds to the log odds of each pairing."""
    deals = len(logits)
    total, variance = logits.sum(axis=0), logits.var(axis=0) * deals
    index = {pair: number for number, pair in enumerate(zip(low.tolist(), high.tolist()))}
    found = []
    for a, b, c in combinations(range(len(bots)), 3):
        if (a, b) in index and (b, c) in index and (a, c) in index:
            sides = index[a, b], index[b, c], index[a, c]
            excess = total[sides[0]] + total[sides[1]] - total[sides[2]]
            found.append((-abs(excess) / math.sqrt(max(variance[[*sides]].sum(), 1e-12)), (a, b, c), sides, excess))
    triangles = []
    for _, corners, sides, excess in sorted(found)[:_LIKELY]:
        sums = logits[:, sides[0]] + logits[:, sides[1]] - logits[:, sides[2]]
        error = stdtrit(deals - 1, 0.975) * math.sqrt(float(sums.var()) * deals * deals / (deals - 1))
        won = (share[sides[0]], share[sides[1]], 1 - share[sides[2]])
        one, two, three = (bots[corner] for corner in corners)
        if excess < 0:  # the other way round
            two, three, excess = three, two, -excess
            won = (1 - won[2], 1 - won[1], 1 - won[0])
        triangles.append(Triangle((one, two, three), won, float(excess) * ELO_SCALE, float(error) * ELO_SCALE))
    return tuple(sorted(triangles, key=lambda t: (-t.excess / max(t.error95, 1e-9), t.bots))[:3])


def places(ratings: Ratings) -> list[tuple[int, int]]:
    """The first and the last place that each bot's error allows, in the order of `ratings.bots`.

    With 95% confidence for each bot: its differences from all others are tested together (Bonferroni). A bot that
    cannot be told from the others, because it has no number or too few deals, may have any place.
    """
    n = len(ratings.bots)
    if ratings.duel is not None:
        sure = ratings.duel.elo_low > 0
        return [(1, 1 if sure else 2), (2 if sure else 1, 2)]
    variance = np.diag(ratings.covariance)
    spread = np.sqrt(np.maximum(variance[:, None] + variance[None, :] - 2 * ratings.covariance, 0.0))
    deals = np.minimum(ratings.clusters[:, None], ratings.clusters[None, :])
    width = stdtrit(np.maximum(deals, 1), 1 - 0.025 / max(n - 1, 1))
    sure = (ratings.group[:, None] == ratings.group[None, :]) & (deals >= FEWEST_DEALS)
    ahead = sure & (ratings.elo[:, None] - ratings.elo[None, :] > width * spread)
    return [(1 + int(above), n - int(below)) for above, below in zip(ahead.sum(axis=0), ahead.sum(axis=1))]
