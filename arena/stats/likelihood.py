"""The likelihood behind `arena.stats.ratings`: games as arrays, Newton's method, sandwich errors.

Everything here is in natural units (logits; 1 logit = 400/ln 10 Elo) and in the order of `GameCounts.bots`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.special import expit, log_expit

from arena.stats.frames import Bools, Floats, Ints, StatsError
from arena.stats.games import GameArrays, numbered

MAX_ROUNDS = 200
_BLOCK = 4096


@dataclass(frozen=True)
class GameCounts(GameArrays):
    """The games of a field, counted.

    lo, hi                          one entry per pair of bots that met, lo < hi
    seats                           shape (2, pairs, 2): [first was (lo, hi), pair, (games, points of first)]
    games .. clusters_of_bot        one entry per bot
    """

    lo: Ints
    hi: Ints
    seats: Floats
    games: Ints
    wins: Ints
    draws: Ints
    losses: Ints
    clusters_of_bot: Ints


def tabulate(games: GameArrays) -> GameCounts:
    """Count the games of a field by bot and by pairing."""
    first, second, score = games.first, games.second, games.score
    cluster, clusters = games.cluster, games.clusters
    n = len(games.bots)

    straight = first < second
    key = np.where(straight, first * n + second, second * n + first)
    met, pair = numbered(key)
    seat = 2 * pair + ~straight
    played = np.bincount(seat, minlength=2 * len(met)).reshape(-1, 2).T
    points = np.bincount(seat, weights=score, minlength=2 * len(met)).reshape(-1, 2).T

    won, drawn, lost = (
        np.bincount(first[score == mine], minlength=n) + np.bincount(second[score == 1 - mine], minlength=n)
        for mine in (1.0, 0.5, 0.0)
    )
    present, _ = numbered(np.concatenate([first * clusters + cluster, second * clusters + cluster]))
    return GameCounts(
        **vars(games),
        lo=met // n,
        hi=met % n,
        seats=np.stack([played, points], axis=-1).astype(np.float64),
        games=won + drawn + lost,
        wins=won,
        draws=drawn,
        losses=lost,
        clusters_of_bot=np.bincount(present // clusters, minlength=n),
    )


@dataclass(frozen=True)
class Model:
    """Log likelihood of the games between the `used` bots, with virtual draws and fixed parameters.

    component   connected group of each bot: the strengths of a group without an anchor have mean 0
    prior       virtual draws per bot (BayesElo's: spread over its opponents by games, half in each seat)
    fixed       strengths held, {bot number: logits}
    estimated   whether the advantage is a parameter; otherwise it is `advantage`
    """

    data: GameCounts
    component: Ints
    prior: float
    fixed: dict[int, float]
    used: Bools
    estimated: bool
    advantage: float

    def cells(self) -> tuple[Ints, Ints, Floats, Floats, Floats]:
        """First, second, games, virtual draws, points of the first (virtual included); one entry per seat order.

        A virtual draw is half a point. Seat orders that were never played are included: the virtual draws of
        two bots are split evenly between both orders, so that they say nothing about the advantage.
        """
        data = self.data
        inside = self.used[data.lo] & self.used[data.hi]
        lo, hi, seats = data.lo[inside], data.hi[inside], data.seats[:, inside]
        met = seats[..., 0].sum(axis=0)
        virtual = 0.25 * self.prior * met * (1 / data.games[lo] + 1 / data.games[hi])
        virtual = np.concatenate([virtual, virtual])
        first, second = np.concatenate([lo, hi]), np.concatenate([hi, lo])
        games, points = seats[..., 0].ravel(), seats[..., 1].ravel()
        return first, second, games, virtual, points + virtual / 2

    def _free(self) -> Bools:
        """Return which of the parameters (strengths, then the advantage) are fitted."""
        free = np.append(self.used, self.estimated)
        free[list(self.fixed)] = False
        return free

    def _information(self, first: Ints, second: Ints, weight: Floats) -> Floats:
        """Sum of weight * x x' over cells with x = +1 at first, -1 at second, +1 at the advantage."""
        n = len(self.data.bots)
        matrix = np.zeros((n + 1, n + 1))
        inner = np.bincount(first * n + second, weight, n * n).reshape(n, n)
        matrix[:n, :n] = -(inner + inner.T)
        forth, back = inner.sum(axis=1), inner.sum(axis=0)
        matrix[np.arange(n), np.arange(n)] += forth + back
        matrix[:n, n] = matrix[n, :n] = forth - back
        matrix[n, n] = weight.sum()
        return matrix

    def _gauged(self, information: Floats) -> Floats:
        """Information of the free parameters, regularised by fixing the mean of each unanchored group."""
        free = self._free()
        matrix = information.copy()
        anchored = set(self.component[list(self.fixed)].tolist())
        for part in np.unique(self.component[self.used]).tolist():
            members = np.nonzero(self.used & (self.component == part))[0]
            if part not in anchored:
                size = max(float(np.trace(information[np.ix_(members, members)])), 1e-12) / len(members) ** 2
                matrix[np.ix_(members, members)] += size
        return matrix[np.ix_(free, free)]

    def maximum(self) -> tuple[Floats, float]:
        """Most likely strengths (nan for bots that are not used) and advantage, by Newton's method."""
        first, second, games, virtual, points = self.cells()
        count = games + virtual
        n = len(self.data.bots)
        free = self._free()
        theta = np.zeros(n + 1)
        theta[n] = self.advantage
        for bot, value in self.fixed.items():
            theta[bot] = value

        def likelihood(theta_tried: Floats) -> float:
            x = theta_tried[first] - theta_tried[second] + theta_tried[n]
            return float(points @ x + count @ log_expit(-x))

        best = likelihood(theta)
        for _ in range(MAX_ROUNDS):
            chance = expit(theta[first] - theta[second] + theta[n])
            rest = points - count * chance
            gradient = np.append(
                np.bincount(first, rest, minlength=n) - np.bincount(second, rest, minlength=n), rest.sum()
            )
            information = self._information(first, second, count * chance * (1 - chance))
            if not free.any():
                break
            step = np.zeros(n + 1)
            step[free] = np.linalg.solve(self._gauged(information), gradient[free])
            size = 1.0
            while (reached := likelihood(theta + size * step)) < best - 1e-12 * abs(best) and size > 1e-9:
                size /= 2
            theta += size * step
            best = reached
            if float(np.abs(size * step).max()) < 1e-10:
                break
        else:
            raise StatsError(f"the ratings did not converge in {MAX_ROUNDS} iterations; use a prior above 0")
        return np.where(self.used, theta[:n], np.nan), float(theta[n])

    def sandwich(self, strength: Floats, advantage: float, group: Ints) -> tuple[Floats, float]:
        """Covariance of the strengths (nan for bots not used) and variance of the advantage.

        The sandwich estimator: the spread of each cluster's summed residuals between two inverse information
        matrices. Residuals say nothing where they cannot vary, so the spread that the model expects is added
        for virtual draws, for games between bots of different `group` (all won by one side), and, weighted by
        1/clusters, for the games of bots that were seen in few clusters.
        """
        data = self.data
        n = len(data.bots)
        free = self._free()
        covariance = np.full((n, n), np.nan)
        covariance[np.ix_(self.used, self.used)] = 0.0
        if not free.any():
            return covariance, 0.0
        first, second, games, virtual, _ = self.cells()
        level = np.where(self.used, strength, 0.0)
        chance = expit(level[first] - level[second] + advantage)
        expected = chance * (1 - chance)
        information = self._gauged(self._information(first, second, (games + virtual) * expected))

        few = 1 / np.minimum(data.clusters_of_bot[first], data.clusters_of_bot[second])
        unseen = virtual + games * (few + (group[first] != group[second]))
        spread = self._information(first, second, unseen * expected)
        spread += _cluster_spread(data, self.used, level, advantage)

        half = np.linalg.solve(information, spread[np.ix_(free, free)])
        inner = np.linalg.solve(information, half.T)
        bots = np.nonzero(free[:n])[0]
        covariance[np.ix_(bots, bots)] = inner[: len(bots), : len(bots)]
        return covariance, float(inner[-1, -1]) if self.estimated else 0.0


def _cluster_spread(data: GameCounts, used: Bools, level: Floats, advantage: float) -> Floats:
    """Sum over clusters of the outer product of a cluster's summed scores (residual times x)."""
    n = len(data.bots)
    known = np.nonzero(used[data.first] & used[data.second])[0]
    first, second = data.first[known], data.second[known]
    rest = data.score[known] - expit(level[first] - level[second] + advantage)
    cluster = data.cluster[known]
    values = np.concatenate([rest, -rest, rest])
    columns = np.concatenate([first, second, np.full(len(known), n)])
    rows = sparse.coo_matrix((values, (np.tile(cluster, 3), columns)), shape=(data.clusters, n + 1)).tocsr()
    if rows.nnz < data.clusters * (n + 1) / 8:
        return np.asarray((rows.T @ rows).toarray(), dtype=np.float64)
    # A sparse product costs the square of a row's entries: for crowded rows a dense one is quicker.
    spread = np.zeros((n + 1, n + 1))
    for start in range(0, data.clusters, _BLOCK):
        block = rows[start : start + _BLOCK].toarray()
        spread += block.T @ block
    return spread
