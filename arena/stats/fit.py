"""Test whether one line of ratings fits a field.

A residual is a game's score minus what the ratings expect of it. If strengths explain all, the residuals of each
pairing sum to luck alone, whose size shows in the spread over deals: games on one deal are correlated.
"""

from __future__ import annotations

import numpy as np

from arena.stats.distributions import expit
from arena.stats.frames import Floats, GameArrays, numbered
from arena.stats.intervals import FEWEST_DEALS
from arena.stats.pairs import ELO_SCALE
from arena.stats.ratings import Ratings

MOST_CELLS = 20_000_000
"""Deals times pairings up to which the fit is tested."""


def misfit_p_value(games: GameArrays, ratings: Ratings) -> float | None:
    """Return the probability that luck alone leaves as much unexplained as the `ratings` of these games do.

    The test is Rao and Scott's of second order: Pearson's sum over pairings, whose mean and spread under luck alone are
    estimated from the deals. None if there is nothing to test: no three bots that all met, fewer than FEWEST_DEALS
    deals, deals that are all alike, or a field too large for it.
    """
    from scipy.special import fdtrc  # slow to load

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
    residual = np.zeros((len(deals), len(met)))
    np.add.at(residual, (deal, pairing), sign * (games.score[known] - chance))
    # scaled by the expected deviation, what strengths can explain is a plane, and the rest is at right angles to it
    scaled = residual / np.sqrt(weight)
    steps = np.zeros((len(met), n))
    steps[np.arange(len(met)), low], steps[np.arange(len(met)), high] = 1.0, -1.0
    steps *= np.sqrt(weight)[:, None]
    bots_met = steps[:, np.bincount(np.concatenate([low, high]), minlength=n) > 0]
    basis, size, _ = np.linalg.svd(bots_met, full_matrices=False)
    basis = basis[:, size > 1e-9 * size[0]]
    if basis.shape[1] == len(met):
        return None
    left = scaled - scaled @ basis @ basis.T
    over = float((left.sum(axis=0) ** 2).sum())
    luck, freedom = _luck(left)
    if luck == 0:
        return None
    return float(fdtrc(freedom, freedom * (len(deals) - 1), over / luck))


def _luck(left: Floats) -> tuple[float, float]:
    """Return the mean of Pearson's sum under luck alone, and its degrees of freedom (Satterthwaite)."""
    deals = len(left)
    centred = left - left.mean(axis=0)
    own = (centred**2).sum(axis=1)
    mean = float(own.sum()) * deals / (deals - 1)
    inner = centred @ centred.T if deals < left.shape[1] else centred.T @ centred
    spread = (
        float((inner**2).sum() - (own**2).sum()) * deals / (deals - 1)
    )  # without the products of a deal with itself
    return mean, min(max(mean**2 / spread, 1.0), left.shape[1]) if spread > 0 else float(left.shape[1])
