"""Who should play whom next: pure functions of the standings.

A game between two bots tells the more, the less certain the difference of their ratings is and the more open the game:
its information is p (1 - p), where p is the chance that one of them wins (Elo's formula).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from arena.league.rating import Standings
from arena.stats.frames import Floats
from arena.stats.pairs import ELO_SCALE, score_of_elo

_WORTH = 0.25  # opponents that tell less than this share of what the best one does are left out


def openness(difference: float) -> float:
    """Information of a game between bots `difference` Elo apart, at most 0.25.

    >>> openness(0), round(openness(-400), 3)
    (0.25, 0.083)
    """
    p = score_of_elo(difference)
    return p * (1 - p)


def spread(count: int, sample: int) -> list[int]:
    """`sample` of the indices of `count` rows, spread evenly from the first to the last.

    >>> spread(9, 3), spread(2, 5), spread(5, 1)
    ([0, 4, 8], [0, 1], [2])
    """
    if sample >= count:
        return list(range(count))
    if sample == 1:
        return [count // 2]
    return sorted({round(at * (count - 1) / (sample - 1)) for at in range(sample)})


def nearest(elo: float, others: Mapping[int, float], sample: int) -> list[int]:
    """At most `sample` opponents, those that tell most about a bot of this rating, best first.

    >>> nearest(100, {1: 90, 2: -700, 3: 250, 4: 100}, 3)
    [4, 1, 3]
    """
    worth = {number: openness(elo - rating) for number, rating in others.items()}
    order = sorted(worth, key=lambda number: (-worth[number], number))[:sample]
    return [number for number in order if worth[number] >= _WORTH * worth[order[0]]]


def games_needed(error: float, target: float, games: int) -> int:
    """Games in total that bring an error down to the target, assuming it shrinks with their square root.

    >>> games_needed(80, 40, 100)
    400
    """
    return math.ceil(games * (error / target) ** 2)


def least_certain(
    found: Standings,
    pairs: int,
    games: int,
    in_hand: Sequence[tuple[int, int, int]] = (),
) -> list[tuple[int, int]]:
    """The `pairs` pairings (numbers of versions) whose games would tell most about the table, best first.

    Each choice counts those before it as played (`games` games each), and so the games that others have `in_hand`
    (two versions and a number of games): the covariance is reduced as those games will reduce it. Bots without games
    and groups without a game between them come first, because nothing is known about them.
    """
    chosen = _links(found)[:pairs]
    n = len(found.rated)
    if n < 2 or len(chosen) >= pairs:
        return chosen
    numbers = [one.id for one in found.rated]
    place = {number: at for at, number in enumerate(numbers)}
    covariance = found.covariance / ELO_SCALE**2
    gap = found.elo[:, None] - found.elo[None, :]
    p = 1 / (1 + 10 ** (-gap / 400))
    information = p * (1 - p)
    same = np.equal.outer(np.array(found.group), np.array(found.group))
    for a, b, played in in_hand:
        if a in place and b in place and same[place[a], place[b]]:
            i, j = place[a], place[b]
            covariance = _shrunk(covariance, i, j, played * information[i, j])
    upper = np.triu(same, 1)
    while len(chosen) < pairs and upper.any():
        variance = np.diag(covariance)[:, None] + np.diag(covariance)[None, :] - 2 * covariance
        worth = np.where(upper, information * variance, -1.0)
        i, j = divmod(int(worth.argmax()), n)
        chosen.append((numbers[i], numbers[j]))
        upper[i, j] = False
        covariance = _shrunk(covariance, i, j, games * information[i, j])
    return chosen


def own_share(found: Standings, number: int, opponents: Sequence[int], games: int) -> float:
    """How much of a version's error is its own: the share (0..1) that more games of its own would remove.

    The rest is due to the table around it, such as two groups of its opponents that have hardly met. Estimated from
    what another `games` games (as many as it has played) against these opponents would remove: half of the variance
    that is its own.
    """
    place = {one.id: at for at, one in enumerate(found.rated)}
    met = [other for other in opponents if other in place]
    if number not in place or not met:
        return 1.0
    i = place[number]
    covariance = found.covariance / ELO_SCALE**2
    before = float(covariance[i, i])
    for other in met:
        j = place[other]
        information = games / len(met) * openness(float(found.elo[i] - found.elo[j]))
        covariance = _shrunk(covariance, i, j, information)
    after = max(float(covariance[i, i]), 0.0)
    return math.sqrt(min(2 * (before - after) / before, 1.0)) if before > 0 else 0.0


def _shrunk(covariance: Floats, i: int, j: int, information: float) -> Floats:
    """The covariance after games between two bots (Sherman-Morrison formula)."""
    along = covariance[:, i] - covariance[:, j]
    variance = along[i] - along[j]
    return np.asarray(covariance - np.outer(along, along) * (information / (1 + information * variance)))


def _links(found: Standings) -> list[tuple[int, int]]:
    """Pairings without which ratings cannot be compared: bots without games, and a link to each other group."""
    if len(found.rows) < 2:
        return []
    homes = [place.version.id for place in found.rows]
    if found.rated:  # the middle of the largest group, and the rest of it
        members = [one.id for one, group in zip(found.rated, found.group) if group == found.group[0]]
        homes = [members[len(members) // 2], *members]

    def link(number: int) -> tuple[int, int]:
        return next(home for home in homes if home != number), number

    pairs = [link(row.version.id) for row in found.rows if row.elo is None and row.version.id != homes[0]]
    seen = {found.group[0]} if found.group else set()
    for group, one in zip(found.group, found.rated):
        if group not in seen:
            seen.add(group)
            pairs.append(link(one.id))
    return pairs
