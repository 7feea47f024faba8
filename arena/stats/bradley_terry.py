"""Fit the Bradley-Terry model behind `arena.stats.ratings`: likelihood, Newton's method, sandwich errors, and bounds.

Everything is in natural units (logits; 1 logit = 400/ln 10 Elo) and in the order of `GameCounts.bots`. A finite
maximum-likelihood rating exists only for bots that can all be reached from one another by chains of wins (or draws);
bots outside such a chain get a bound.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from graphlib import TopologicalSorter

import numpy as np

from arena.stats.distributions import expit, log_expit
from arena.stats.frames import Bools, Floats, GameArrays, Ints, StatsError, numbered
from arena.stats.score import other_side

BOUND_CHANCE = 0.025
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
        """Return first, second, games, virtual draws and points of the first (virtual ones included), by seat order.

        A virtual draw is half a point. Seat orders that were never played are included: the virtual draws of
        two bots are split evenly between both orders, so that they do not bear on the advantage.
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
        for part in np.unique(self.component[self.used]).tolist():
            members = np.nonzero(self.used & (self.component == part))[0]
            if part not in anchored:
                size = max(float(np.trace(information[np.ix_(members, members)])), 1e-12) / len(members) ** 2
                matrix[np.ix_(members, members)] += size
        return matrix[np.ix_(free, free)]

    def maximum(self) -> tuple[Floats, float]:
        """Return the most likely strengths (nan for unused bots) and advantage, by Newton's method."""
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
        """Return the covariance of the strengths (nan for unused bots) and the variance of the advantage.

        The sandwich estimator: the spread of each cluster's summed residuals between two inverse information
        matrices. Where residuals cannot vary they carry no information, so the spread that the model expects is added
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
    clusters = np.tile(cluster, 3)
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


# ---------------------------------------------------------------- the fit


@dataclass(frozen=True)
class Fit:
    """Fitted logits. Where `flag` is not "", `strength` is a bound (nan for "?") and `covariance` is nan."""

    strength: Floats
    covariance: Floats
    flag: tuple[str, ...]
    advantage: float
    advantage_variance: float


def _links(anchored: Ints) -> tuple[Ints, Ints]:
    """Return edges in both directions between anchored bots, whose rating differences are given."""
    return np.concatenate([anchored[:-1], anchored[1:]]), np.concatenate([anchored[1:], anchored[:-1]])


def _groups(n: int, start: Ints, end: Ints) -> Ints:
    """Return the number of each node's strongly connected group in a graph of n nodes."""
    if _reached(n, start, end).all() and _reached(n, end, start).all():
        return np.zeros(n, dtype=np.int64)
    from scipy.sparse import coo_matrix  # slow to load
    from scipy.sparse.csgraph import connected_components

    graph = coo_matrix((np.ones(len(start)), (start, end)), shape=(n, n))
    return np.asarray(connected_components(graph, connection="strong")[1], dtype=np.int64)


def _reached(n: int, start: Ints, end: Ints) -> Bools:
    """Return which nodes can be reached from the first one."""
    seen: Bools = np.arange(n) == 0
    while not seen[near := end[seen[start]]].all():
        seen[near] = True
    return seen


def components(data: GameCounts, anchored: Ints) -> Ints:
    """Return the connected group of each bot; the largest is group 0 (ties: alphabetically by bot)."""
    a, b = _links(anchored)
    n = len(data.bots)
    start, end = np.concatenate([data.lo, a]), np.concatenate([data.hi, b])
    label = _groups(n, np.concatenate([start, end]), np.concatenate([end, start]))
    count = int(label.max()) + 1
    size = np.bincount(label, minlength=count)
    earliest = np.full(count, n)
    np.minimum.at(earliest, label, np.arange(n))
    rank = np.empty(count, dtype=np.int64)
    rank[np.lexsort((earliest, -size))] = np.arange(count)
    return rank[label]


def win_groups(data: GameCounts, anchored: Ints) -> Ints:
    """Return the strongly connected group of each bot in the graph "has beaten or drawn with".

    Between two groups all games went one way, so without a prior no finite rating fits them.
    """
    games, points = data.seats[..., 0], data.seats[..., 1]
    lo_won = (points[0] > 0) | (points[1] < games[1])
    hi_won = (points[1] > 0) | (points[0] < games[0])
    a, b = _links(anchored)
    start = np.concatenate([data.lo[lo_won], data.hi[hi_won], a])
    end = np.concatenate([data.hi[lo_won], data.lo[hi_won], b])
    return _groups(len(data.bots), start, end)


def advantage_is_bounded(data: GameCounts, used: Bools, anchored: Ints) -> bool:
    """Return whether the games between `used` bots bound the first player's advantage from both sides.

    It diverges upwards if strengths plus an advantage explain every game without exception, i.e. if the graph "beat"
    with weight +1 for wins as the first and -1 for wins as the second player has no cycle of negative weight; downwards
    likewise with the signs reversed.
    """
    inside = used[data.lo] & used[data.hi]
    lo, hi, seats = data.lo[inside], data.hi[inside], data.seats[:, inside]
    games, points = seats[..., 0], seats[..., 1]
    lo_first, hi_first = points[0] > 0, points[1] > 0
    lo_second, hi_second = points[1] < games[1], points[0] < games[0]
    if bool((lo_second & hi_second).any()) and bool((lo_first & hi_first).any()):
        return True
    a, b = _links(anchored)
    n = len(data.bots)
    as_first = (np.concatenate([lo[lo_first], hi[hi_first]]), np.concatenate([hi[lo_first], lo[hi_first]]))
    as_second = (np.concatenate([lo[lo_second], hi[hi_second]]), np.concatenate([hi[lo_second], lo[hi_second]]))
    for sign in (1.0, -1.0):
        weight = np.full((n, n), np.inf)
        np.minimum.at(weight, (a, b), 1e-9)  # a stored zero could be mistaken for no edge
        np.minimum.at(weight, as_first, sign)
        np.minimum.at(weight, as_second, -sign)
        if not _has_negative_cycle(weight[np.ix_(used, used)]):
            return False
    return True


def _has_negative_cycle(weight: Floats) -> bool:
    """Return whether the graph with these weights of edges (inf: no edge) has a cycle of negative weight."""
    from scipy.sparse.csgraph import NegativeCycleError, csgraph_from_dense, johnson  # slow to load

    try:
        johnson(csgraph_from_dense(weight, null_value=np.inf), indices=[0])
    except NegativeCycleError:
        return True
    return False


def fit(data: GameCounts, component: Ints, prior: float, fixed: dict[int, float], advantage: float | None) -> Fit:
    """Fit strengths (logits) and the first player's advantage; see arena.stats.ratings.rate."""
    n = len(data.bots)
    anchored = np.array(sorted(fixed), dtype=np.int64)
    group = win_groups(data, anchored)
    used = np.ones(n, dtype=bool)
    if prior == 0:
        used = _main_bots(data, component, group, anchored)
    estimated = advantage is None
    bounded = not estimated or advantage_is_bounded(data, used, anchored)
    if prior == 0 and not bounded:
        if (used[data.lo] & used[data.hi]).any():
            raise StatsError(
                "without a prior these games cannot tell the first player's advantage from strength "
                "(one seat explains every result); use a prior above 0 or give the advantage"
            )
        estimated = False  # no game is left to estimate it from

    # anchors only shift a group, which is fitted around 0: far from it, Newton's first step would see no information
    parts = component[anchored]
    total = np.bincount(parts, [fixed[bot] for bot in anchored.tolist()], n)
    shift = (total / np.maximum(np.bincount(parts, minlength=n), 1))[component]
    held = {bot: value - shift[bot] for bot, value in fixed.items()}
    model = Model(data, component, prior, held, used, estimated, advantage or 0.0)
    try:
        strength, height = model.maximum()
        covariance, variance = model.sandwich(strength, height, group if bounded else np.arange(n))
    except np.linalg.LinAlgError:
        raise StatsError("these games do not fix the ratings; use a larger prior, or anchors less far apart") from None
    flag: tuple[str, ...] = ("",) * n
    if not used.all():
        strength, flag = _place_outsiders(data, component, group, used, strength, height)
        variance = math.nan if advantage is None and not estimated else variance
    return Fit(strength + shift, covariance, flag, height, variance)


def apart(data: GameCounts, component: Ints, anchored: Ints) -> list[int]:
    """Return the bots whose games against the largest win group, or the group of the anchors, all went one way."""
    group = win_groups(data, anchored)
    return [int(bot) for bot in np.nonzero(~_main_bots(data, component, group, anchored))[0]]


def _main_bots(data: GameCounts, component: Ints, group: Ints, anchored: Ints) -> Bools:
    """Return the bots that get a number: in each connected group the win group of the anchors, or else the largest.

    Ties go to the group whose bots played the most games, then to the alphabetically first.
    """
    used = np.zeros(len(data.bots), dtype=bool)
    size, played = np.bincount(group), np.bincount(group, weights=data.games)
    for part in range(int(component.max()) + 1):
        members = np.nonzero(component == part)[0]
        own = [bot for bot in anchored.tolist() if component[bot] == part]
        if not own:
            own = sorted(members.tolist(), key=lambda i: (-size[group[i]], -played[group[i]], i))
        used |= group == group[own[0]]
    return used


def _place_outsiders(
    data: GameCounts, component: Ints, group: Ints, used: Bools, strength: Floats, advantage: float
) -> tuple[Floats, tuple[str, ...]]:
    """Return bounds for the bots outside the main win groups, and all flags.

    A win group above the main one is treated as a block with its own inner differences. Its bound is the level
    at which it would have won all its wins against the bots already placed with a probability of 2.5%, the games
    of one deal counting once (the least likely of them): below that level its results would be a surprise.
    """
    strength, flag = strength.copy(), ["" if main else "?" for main in used.tolist()]
    won = data.score == 1.0
    winner, loser = np.where(won, data.first, data.second), np.where(won, data.second, data.first)
    crossing = group[data.first] != group[data.second]
    above, below = group[winner[crossing]], group[loser[crossing]]
    mains = set(group[used].tolist())
    for sign, mark, start, end in ((1, ">", below, above), (-1, "<", above, below)):
        for part in _outwards(start, end, mains):
            inner = group == part
            level = _inner_strength(data, component, inner, advantage)
            mine, other = (winner, loser) if sign == 1 else (loser, winner)
            games = np.nonzero(inner[mine] & ~inner[other] & np.isfinite(strength[other]))[0]
            ahead = np.where(data.first[games] == winner[games], advantage, -advantage)
            gap = sign * (level[mine[games]] - strength[other[games]]) + ahead
            strength[inner] = level[inner] + sign * _bound(gap, data.cluster[games])
            for bot in np.nonzero(inner)[0].tolist():
                flag[bot] = mark
    return strength, tuple(flag)


def _outwards(start: Ints, end: Ints, roots: set[int]) -> list[int]:
    """Return the nodes that can be reached from the roots, without the roots, in topological order."""
    before: dict[int, set[int]] = defaultdict(set)
    for tail, head in zip(start.tolist(), end.tolist()):
        before[head].add(tail)
    reached, order = set(roots), []
    for node in TopologicalSorter(before).static_order():
        if node not in reached and before[node] & reached:
            reached.add(node)
            order.append(node)
    return order


def _inner_strength(data: GameCounts, component: Ints, inner: Bools, advantage: float) -> Floats:
    """Return the strengths of a win group from the games between its bots, mean 0; nan outside."""
    if inner.sum() == 1:
        return np.where(inner, 0.0, np.nan)
    return Model(data, component, 0.0, {}, inner, False, advantage).maximum()[0]


def _bound(gap: Floats, cluster: Ints) -> float:
    """Find the level at which games with these gaps (logits of the winner at level 0) are all won with chance 2.5%."""
    from scipy.optimize import brentq  # slow to load

    _, code = np.unique(cluster, return_inverse=True)
    hardest = np.full(int(code.max()) + 1, np.inf)
    np.minimum.at(hardest, code, gap)

    def excess(level: float) -> float:
        return float(log_expit(level + hardest).sum()) - math.log(BOUND_CHANCE)

    low, high = -1.0 - float(hardest.max()), 1.0 - float(hardest.min())
    while excess(low) > 0:
        low -= 10.0
    while excess(high) < 0:
        high += 10.0
    return float(brentq(excess, low, high, xtol=1e-12))
