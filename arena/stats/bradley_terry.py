"""Fit the Bradley-Terry model behind `arena.stats.ratings`: likelihood, Newton's method, and intervals.

Everything is in natural units (logits; 1 logit = 400/ln 10 Elo) and in the order of `GameCounts.bots`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from arena.stats import other_side
from arena.stats.distributions import expit, log_expit
from arena.stats.frames import Bools, Floats, GameArrays, Ints, StatsError, numbered

MAX_ROUNDS = 200
FEWEST_EFFECTIVE = 0.25
"""Effective wins (or losses) below which an interval has no end on the side of the extreme."""
_BLOCK = 4096
_CELLS_AT_ONCE = 1 << 22


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
        np.bincount(first[score == mine], minlength=n) + np.bincount(second[other_side(score) == mine], minlength=n)
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
    """Log likelihood of the games between bots, with virtual draws and fixed parameters.

    component   connected group of each bot: the strengths of a group without an anchor have mean 0
    prior       virtual draws per bot (BayesElo's: spread over its opponents by games, half in each seat)
    fixed       strengths held, {bot number: logits}
    advantage   the first player's advantage, if it is held; None: it is estimated
    """

    data: GameCounts
    component: Ints
    prior: float
    fixed: dict[int, float]
    advantage: float | None

    def cells(self) -> tuple[Ints, Ints, Floats, Floats, Floats]:
        """Return first, second, games, virtual draws and points of the first (virtual ones included), by seat order.

        A virtual draw is half a point. Seat orders that were never played are included: the virtual draws of
        two bots are split evenly between both orders, so that they do not bear on the advantage.
        """
        data = self.data
        met = data.seats[..., 0].sum(axis=0)
        virtual = 0.25 * self.prior * met * (1 / data.games[data.lo] + 1 / data.games[data.hi])
        virtual = np.concatenate([virtual, virtual])
        first, second = np.concatenate([data.lo, data.hi]), np.concatenate([data.hi, data.lo])
        games, points = data.seats[..., 0].ravel(), data.seats[..., 1].ravel()
        return first, second, games, virtual, points + virtual / 2

    def _free(self) -> Bools:
        """Return which of the parameters (strengths, then the advantage) are fitted."""
        free = np.append(np.ones(len(self.data.bots), dtype=bool), self.advantage is None)
        free[list(self.fixed)] = False
        return free

    def _information(self, first: Ints, second: Ints, weight: Floats) -> Floats:
        """Sum weight * x x' over cells, with x = +1 at first, -1 at second, +1 at the advantage."""
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
        """Return the information of the free parameters, regularised by fixing the mean of each unanchored group."""
        free = self._free()
        matrix = information.copy()
        anchored = set(self.component[list(self.fixed)].tolist())
        for part in sorted({*self.component.tolist()}):  # np.unique loads numpy.ma
            members = np.nonzero(self.component == part)[0]
            if part not in anchored:
                size = max(float(np.trace(information[np.ix_(members, members)])), 1e-12) / len(members) ** 2
                matrix[np.ix_(members, members)] += size
        return matrix[np.ix_(free, free)]

    def maximum(self) -> Floats:
        """Return the most likely strengths, then the advantage, by Newton's method."""
        first, second, games, virtual, points = self.cells()
        count = games + virtual
        n = len(self.data.bots)
        free = self._free()
        theta = np.zeros(n + 1)
        theta[n] = self.advantage or 0.0
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
            raise StatsError(f"the ratings did not converge in {MAX_ROUNDS} iterations; use a larger prior")
        return theta

    def at(self, theta: Floats) -> Fit:
        """Return the fit at the maximum.

        Its errors come from the sandwich estimator: the spread of each cluster's summed residuals between two inverse
        information matrices. For the games of bots that were seen in few clusters, the spread that the model expects
        is added, weighted by 1/clusters. Nobody observed a virtual draw, so it adds the squares of its residuals (half
        of a win's and half of a loss's), not the variance that the model expects.
        """
        data = self.data
        n = len(data.bots)
        free = self._free()
        first, second, games, virtual, _ = self.cells()
        chance = expit(theta[first] - theta[second] + theta[n])
        expected = chance * (1 - chance)
        weight = (games + virtual) * expected
        information = self._information(first, second, weight)
        cover = np.zeros((n + 1, n + 1))
        cover[np.ix_(free, free)] = np.linalg.inv(self._gauged(information))
        few = 1 / np.minimum(data.clusters_of_bot[first], data.clusters_of_bot[second])
        played = self._information(first, second, games * few * expected) + _cluster_spread(data, theta)
        prior = self._information(first, second, virtual * (0.5 - expected))
        third = np.bincount(first * n + second, weight * (1 - 2 * chance), n * n).reshape(n, n).astype(np.float64)
        return Fit(theta[:n], float(theta[n]), cover, information, played, prior, third - third.T)


def _cluster_spread(data: GameCounts, theta: Floats) -> Floats:
    """Sum over clusters of the outer product of a cluster's summed scores (residual times x)."""
    n = len(data.bots)
    first, second = data.first, data.second
    rest = data.score - expit(theta[first] - theta[second] + theta[n])
    values = np.concatenate([rest, -rest, rest])
    columns = np.concatenate([first, second, np.full(len(rest), n)])
    clusters = np.tile(data.cluster, 3)
    if len(values) < data.clusters * (n + 1) / 8:
        from scipy import sparse  # slow to load

        rows = sparse.coo_matrix((values, (clusters, columns)), shape=(data.clusters, n + 1)).tocsr()
        return np.asarray((rows.T @ rows).toarray(), dtype=np.float64)
    # a sparse product costs the square of a row's entries: a dense one is faster for crowded rows
    order = np.argsort(clusters, kind="stable")
    clusters, columns, values = clusters[order], columns[order], values[order]
    spread = np.zeros((n + 1, n + 1))
    for start in range(0, data.clusters, _BLOCK):
        height = min(_BLOCK, data.clusters - start)
        part = slice(*np.searchsorted(clusters, (start, start + height)))
        cells = (clusters[part] - start) * (n + 1) + columns[part]
        block = np.bincount(cells, values[part], height * (n + 1)).reshape(height, n + 1)
        spread += block.T @ block
    return spread


# ---------------------------------------------------------------- the fit and its intervals


@dataclass(frozen=True)
class Fit:
    """Fitted strengths and advantage, and what their errors follow from: matrices over strengths, then the advantage.

    cover         the inverse of `information`, 0 for what is fixed
    information   of games and virtual draws together
    played        spread of the games' scores, summed by deal
    prior         spread that stands for the virtual draws
    bend          shape (bots, bots): sum of pq(q - p) of games that the row's bot began, less those that it did not
    """

    strength: Floats
    advantage: float
    cover: Floats
    information: Floats
    played: Floats
    prior: Floats
    bend: Floats

    @property
    def advantage_variance(self) -> float:
        """Return the variance of the first player's advantage."""
        path = self.cover[-1]
        return float(path @ (self.played + self.prior) @ path)

    def differences(self, centre: Floats) -> Differences:
        """Return the intervals of strengths relative to a centre: `centre` has a row of weights for each bot."""
        n = len(self.strength)
        path = np.zeros((n + 1, n + 1))
        path[:, :n] = self.cover[:, :n] @ (np.eye(n) - centre.T)
        information, played, prior = (path.T @ matrix @ path for matrix in (self.information, self.played, self.prior))
        return Differences(path[:n], information, played, prior, self.bend)


@dataclass(frozen=True)
class Differences:
    """Intervals of the differences between any two bots, or between a bot and the centre, whose number is `centre`.

    path          a column for each bot: how the strengths move with what is least known about its difference
    information, played, prior   the matrices of `Fit` between the columns of `path`
    """

    path: Floats
    information: Floats
    played: Floats
    prior: Floats
    bend: Floats

    @property
    def centre(self) -> int:
        """Return the number that stands for the centre."""
        return len(self.path)

    @property
    def covariance(self) -> Floats:
        """Return the covariance of the bots' differences from the centre."""
        return (self.played + self.prior)[:-1, :-1]

    def of(self, order: Ints) -> Differences:
        """Return the same with the bots in another order."""
        both = np.append(order, self.centre)
        information, played, prior = (m[np.ix_(both, both)] for m in (self.information, self.played, self.prior))
        return Differences(self.path[np.ix_(order, both)], information, played, prior, self.bend[np.ix_(order, order)])

    def reach(self, one: Ints, other: Ints, width: Floats) -> tuple[Floats, Floats]:
        """Return how far the intervals of strength[one] - strength[other] reach down and up, inf where there is no end.

        `width` is the quantile of the error. Along the direction in which the difference is least certain, wins (or
        losses) are about a Poisson count, so the interval is longer towards the extreme. On that side only games count,
        not virtual draws: with fewer than FEWEST_EFFECTIVE wins it has no end.
        """
        down, up = np.empty(len(one)), np.empty(len(one))
        turn = self.bend @ self.path
        pull = self.bend.sum(axis=1)
        block = max(_CELLS_AT_ONCE // max(len(self.path), 1), 1)
        for start in range(0, len(one), block):
            part = slice(start, start + block)
            i, j = one[part], other[part]
            known, games, prior = (
                matrix[i, i] + matrix[j, j] - 2 * matrix[i, j] for matrix in (self.information, self.played, self.prior)
            )
            known = np.where(known > 1e-30, 1 / np.maximum(known, 1e-30), 0.0)
            direction, turned = (known * (matrix[:, i] - matrix[:, j]) for matrix in (self.path, turn))
            bend = pull @ direction**3 - 3 * (direction**2 * turned).sum(axis=0)
            down[part], up[part] = _ends(known, games * known**2, prior * known**2, bend, width[part])
        return down, up


def _ends(known: Floats, games: Floats, prior: Floats, bend: Floats, width: Floats) -> tuple[Floats, Floats]:
    """Return how far intervals reach down and up.

    `known` is the information of games and prior about the difference, `games` and `prior` the spread of its score,
    `bend` the third derivative of its log likelihood. docs/statistics.md has the formulas.
    """
    information = np.maximum(known, 1e-30)
    deviation = np.sqrt(games + prior) / information
    bend = bend / information
    skewed = np.abs(bend) * deviation > 1e-9
    size = np.where(skewed, np.abs(bend), 1.0)
    effective = np.maximum(information - prior, 0.0) ** 3 / information / np.maximum(games * size**2, 1e-200)
    near = _poisson_side(1 / np.maximum(size * deviation, 1e-150) ** 2, width, 1) / size
    far = _poisson_side(np.maximum(effective, FEWEST_EFFECTIVE), width, -1) / size
    far = np.where(effective < FEWEST_EFFECTIVE, np.inf, far)
    near, far = (np.where(skewed, side, width * deviation) for side in (near, far))
    return np.where(bend > 0, far, near), np.where(bend > 0, near, far)


def _poisson_side(count: Floats, width: Floats, sign: int) -> Floats:
    """Return y > 0 with exp(sign y) - 1 - sign y = width² / (2 count): how far a Poisson count may be off, in logs."""
    target = width**2 / (2 * count)
    small = np.sqrt(2 * target)
    y = np.where(sign > 0, np.log1p(target), target) + np.minimum(small, 1.0)  # from above, where Newton converges
    for _ in range(30):
        y = y - (np.expm1(sign * y) - sign * y - target) / np.maximum(sign * np.expm1(sign * y), 1e-12)
    return np.where(small < 1e-3, small - sign * small**2 / 6, y)


def centre_of(strength: Floats, most: float) -> tuple[float, Bools]:
    """Return the mean of strengths of which each counts as at most `most` away from it, and which are nearer.

    Where no bot is nearer (two camps far apart), it is half-way between the two bots next to it, which count as near.
    """
    points = np.sort(np.concatenate([strength - most, strength + most]))
    pull = np.clip(strength - points[:, None], -most, most).sum(axis=1)  # falls from point to point
    balanced = points[np.abs(pull) < 1e-9]
    if len(balanced):
        middle = float(balanced[0] + balanced[-1]) / 2
    else:
        middle = float(np.interp(0.0, pull[::-1], points[::-1]))
    away = strength - middle
    near = np.abs(away) < most
    if near.any():
        return float(strength[near].sum() + most * np.sign(away[~near]).sum()) / int(near.sum()), near
    near = (away == away[away > 0].min()) | (away == away[away < 0].max())
    return float(strength[near].mean()), near


def fit(data: GameCounts, component: Ints, prior: float, fixed: dict[int, float], advantage: float | None) -> Fit:
    """Fit strengths (logits) and the first player's advantage; see arena.stats.ratings.rate."""
    # anchors only shift a group, which is fitted around 0: far from it, Newton's first step would see no information
    n = len(data.bots)
    parts = component[sorted(fixed)]
    total = np.bincount(parts, [fixed[bot] for bot in sorted(fixed)], n)
    shift = (total / np.maximum(np.bincount(parts, minlength=n), 1))[component]
    model = Model(data, component, prior, {bot: value - shift[bot] for bot, value in fixed.items()}, advantage)
    try:
        found = model.at(model.maximum())
    except np.linalg.LinAlgError:
        raise StatsError("these games do not fix the ratings; use a larger prior, or anchors less far apart") from None
    return replace(found, strength=found.strength + shift)


def components(data: GameCounts, anchored: Ints) -> Ints:
    """Return the connected group of each bot; the largest is group 0 (ties: alphabetically by bot).

    Anchored bots count as connected, since the differences of their ratings are given.
    """
    n = len(data.bots)
    start, end = np.concatenate([data.lo, anchored[:-1]]), np.concatenate([data.hi, anchored[1:]])
    start, end = np.concatenate([start, end]), np.concatenate([end, start])
    label = np.arange(n)
    while (label[start] != label[end]).any():  # the smallest number spreads along games, then along what it reached
        np.minimum.at(label, end, label[start])
        label = label[label]
    _, label = numbered(label)
    count = int(label.max()) + 1
    size = np.bincount(label, minlength=count)
    earliest = np.full(count, n)
    np.minimum.at(earliest, label, np.arange(n))
    rank = np.empty(count, dtype=np.int64)
    rank[np.lexsort((earliest, -size))] = np.arange(count)
    return rank[label]
