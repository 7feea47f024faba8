"""Whether a Bradley-Terry fit exists, the fit, and bounds for bots that have no finite rating.

A finite maximum-likelihood rating exists only for bots that can all be reached from one another by chains of wins
(or draws). Bots outside such a chain get a bound. Units are logits, as in `arena.stats.likelihood`.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from graphlib import TopologicalSorter
from typing import Literal

import numpy as np
from scipy.optimize import brentq
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import NegativeCycleError, connected_components, csgraph_from_dense, johnson
from scipy.special import log_expit

from arena.stats.frames import Bools, Floats, Ints, StatsError
from arena.stats.likelihood import GameCounts, Model

BOUND_CHANCE = 0.025


@dataclass(frozen=True)
class Fit:
    """Fitted logits. Where `flag` is not "", `strength` is a bound (nan for "?") and `covariance` is nan."""

    strength: Floats
    covariance: Floats
    flag: tuple[str, ...]
    advantage: float
    advantage_variance: float


def _links(anchored: Ints) -> tuple[Ints, Ints]:
    """Edges in both directions between anchored bots, whose rating differences are given."""
    return np.concatenate([anchored[:-1], anchored[1:]]), np.concatenate([anchored[1:], anchored[:-1]])


def _groups(n: int, start: Ints, end: Ints, connection: Literal["weak", "strong"]) -> Ints:
    """Return the number of each node's group in a graph of n nodes; `connection` is "weak" or "strong"."""
    graph = coo_matrix((np.ones(len(start)), (start, end)), shape=(n, n))
    return np.asarray(connected_components(graph, connection=connection)[1], dtype=np.int64)


def components(data: GameCounts, anchored: Ints) -> Ints:
    """Return the connected group of each bot; the largest is group 0 (ties: that of the alphabetically first bot)."""
    a, b = _links(anchored)
    n = len(data.bots)
    label = _groups(n, np.concatenate([data.lo, a]), np.concatenate([data.hi, b]), "weak")
    count = int(label.max()) + 1
    size = np.bincount(label, minlength=count)
    earliest = np.full(count, n)
    np.minimum.at(earliest, label, np.arange(n))
    rank = np.empty(count, dtype=np.int64)
    rank[np.lexsort((earliest, -size))] = np.arange(count)
    return rank[label]


def win_groups(data: GameCounts, anchored: Ints) -> Ints:
    """Strongly connected group of each bot in the graph "has beaten or drawn with".

    Between two groups all games went one way, so without a prior no finite rating fits them.
    """
    games, points = data.seats[..., 0], data.seats[..., 1]
    lo_won = (points[0] > 0) | (points[1] < games[1])
    hi_won = (points[1] > 0) | (points[0] < games[0])
    a, b = _links(anchored)
    start = np.concatenate([data.lo[lo_won], data.hi[hi_won], a])
    end = np.concatenate([data.hi[lo_won], data.lo[hi_won], b])
    return _groups(len(data.bots), start, end, "strong")


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

    model = Model(data, component, prior, fixed, used, estimated, advantage or 0.0)
    strength, height = model.maximum()
    covariance, variance = model.sandwich(strength, height, group if bounded else np.arange(n))
    if used.all():
        return Fit(strength, covariance, ("",) * n, height, variance)
    strength, flag = _place_outsiders(data, component, group, used, strength, height)
    unknown = advantage is None and not estimated
    return Fit(strength, covariance, flag, height, math.nan if unknown else variance)


def apart(data: GameCounts, component: Ints, anchored: Ints) -> list[int]:
    """Bots whose games against the others (of the largest group, or that of the anchors) all went one way."""
    group = win_groups(data, anchored)
    return [int(bot) for bot in np.nonzero(~_main_bots(data, component, group, anchored))[0]]


def _main_bots(data: GameCounts, component: Ints, group: Ints, anchored: Ints) -> Bools:
    """The bots that get a number: in each connected group the win group of the anchors, or else the largest.

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
    """Bounds for bots outside the main win groups, and all flags.

    A win group above the main one is treated as a block with its own inner differences. Its bound is the level
    at which it would have won all it won against those already placed with a probability of 2.5%, the games of
    one deal counting once (the least likely of them): below that level its results would be a surprise.
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
    """Return the nodes that edges lead to from the roots, without these, in topological order."""
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
    """Strengths of a win group from the games between its bots, mean 0; nan outside."""
    if inner.sum() == 1:
        return np.where(inner, 0.0, np.nan)
    return Model(data, component, 0.0, {}, inner, False, advantage).maximum()[0]


def _bound(gap: Floats, cluster: Ints) -> float:
    """Level at which all games with these gaps (logits of the winner at level 0) are won with probability 2.5%."""
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
