"""The choice of the next pairings, in a placement and in further play.

A game between two bots is most informative if the difference between their ratings is uncertain and the game is open:
its information is p (1 - p), where p is the chance that one of them wins (Elo's formula).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from arena.league import pairings
from arena.league.pairings import Fixture
from arena.league.rating import Standings, StandingsRow, league_standings
from arena.league.store import League
from arena.league.versions import Version
from arena.stats.frames import Floats
from arena.stats.pairs import ELO_SCALE, score_of_elo

OWN_SHARE = 0.5
"""A placement also ends when the bot's own part of the error is down to this share of the target: the remaining error
is due to the rest of the table, and only games between others can reduce it."""
PAIRINGS = 8  # per stretch of play
STRETCH_SHARE = 20
"""A stretch of play adds at least a 20th to the stored games. The ratings between two stretches, whose cost grows with
the number of games, then take a small part of the time."""

_WORTH = 0.25  # opponents less informative than this share of the best one are left out


def for_placement(league: League, version: Version) -> list[Fixture]:
    """Return what a version in placement plays next; empty if its rating is certain enough."""
    settings = league.settings
    # the anchor's rating is fixed, but where it stands among the others is not known yet
    table = league_standings(league, version, anchored=version.name != settings.anchor)
    others = {row.version.id: row for row in table.rows if row.version.id != version.id}
    met = set(pairings.head_to_heads(league, version.id))
    own = table.row_of(version.id)
    assert own is not None
    left = settings.most_games - own.score.games
    if not others or left <= 0:
        return []
    missing = min(settings.sample, len(others)) - len(met & others.keys())
    if missing > 0 or own.elo is None or own.width is None:
        order = _sample_first(league, list(others.values()))
        unmet = [other for other in order if other.id not in met][:missing]
        return _shared(version, unmet, min(settings.games * len(unmet), left), settings.games_a_deal)
    if own.width <= settings.error:
        return []
    ratings = {number: row.elo for number, row in others.items() if row.elo is not None}
    best = nearest(own.elo, ratings, settings.sample)
    if own.width * own_share(table, version.id, best, own.score.games) <= OWN_SHARE * settings.error:
        return []
    opponents = [others[number].version for number in best]
    wanted = games_needed(own.width, settings.error, own.score.games) - own.score.games
    step = settings.games * len(opponents)
    return _shared(version, opponents, min(max(wanted, 2 * len(opponents)), 4 * step, left), settings.games_a_deal)


def _sample_first(league: League, rows: Sequence[StandingsRow]) -> list[Version]:
    """Return all versions of some rows: the anchor, a sample from top to bottom, then the others."""
    order = [row.version for row in rows]
    anchor = [version for version in order if version.name == league.settings.anchor]
    sample = [order[index] for index in _spread(len(order), league.settings.sample)]
    return list(dict.fromkeys([*anchor, *sample, *order]))


def _shared(version: Version, opponents: Sequence[Version], wanted: int, games_a_deal: int) -> list[Fixture]:
    """Return fixtures with about `wanted` games (at least one deal), shared among the opponents in whole deals.

    The first opponents get the remainder.
    """
    deals, more = divmod(max(wanted // games_a_deal, 1), len(opponents))
    shares = [deals + 1 if index < more else deals for index in range(len(opponents))]
    return [Fixture(version, other, share) for other, share in zip(opponents, shares) if share]


def for_play(league: League, table: Standings, left: int | None) -> list[Fixture]:
    """Return the next stretch of play: at most `left` games, rounded up to whole pairs."""
    step = max(league.settings.games, table.total // STRETCH_SHARE // PAIRINGS // 2 * 2)
    games_a_deal = league.settings.games_a_deal
    pairs = least_certain(table, PAIRINGS, step)
    by_id = {row.version.id: row.version for row in table.rows}
    deals = step // games_a_deal
    if left is not None:
        units = (left + games_a_deal - 1) // games_a_deal
        pairs = pairs[:units]
        deals = min(deals, max(1, units // max(len(pairs), 1)))
    return [Fixture(by_id[a], by_id[b], deals) for a, b in pairs]


# ---------------------------------------------------------------- the information of a game


def openness(difference: float) -> float:
    """Return the information of a game between bots `difference` Elo apart, at most 0.25.

    >>> openness(0), round(openness(-400), 3)
    (0.25, 0.083)
    """
    p = score_of_elo(difference)
    return p * (1 - p)


def _spread(count: int, sample: int) -> list[int]:
    """Return `sample` of the indices of `count` rows, spread evenly from the first to the last.

    >>> _spread(9, 3), _spread(2, 5), _spread(5, 1)
    ([0, 4, 8], [0, 1], [2])
    """
    if sample >= count:
        return list(range(count))
    if sample == 1:
        return [count // 2]
    return sorted({round(at * (count - 1) / (sample - 1)) for at in range(sample)})


def nearest(elo: float, others: Mapping[int, float], sample: int) -> list[int]:
    """Return the numbers of at most `sample` opponents, the most informative ones for a bot of this rating, best first.

    >>> nearest(100, {1: 90, 2: -700, 3: 250, 4: 100}, 3)
    [4, 1, 3]
    """
    worth = {number: openness(elo - rating) for number, rating in others.items()}
    order = sorted(worth, key=lambda number: (-worth[number], number))[:sample]
    return [number for number in order if worth[number] >= _WORTH * worth[order[0]]]


def games_needed(error: float, target: float, played: int) -> int:
    """Return how many games in total reduce an error to a target, both in Elo.

    The error is assumed to shrink with the square root of the number of games.

    >>> games_needed(80, 40, 100)
    400
    """
    return math.ceil(played * (error / target) ** 2)


def least_certain(table: Standings, pairs: int, step: int) -> list[tuple[int, int]]:
    """Return the `pairs` most informative pairings, each as the numbers of two versions, best first.

    Each choice counts the earlier ones as played (`step` games each): the covariance is reduced as these games will
    reduce it. Bots without games and groups without a game between them come first, because nothing is known about
    them.
    """
    chosen = _links(table)[:pairs]
    n = len(table.rated)
    if n < 2 or len(chosen) >= pairs:
        return chosen
    numbers = [version.id for version in table.rated]
    covariance = table.covariance / ELO_SCALE**2
    gap = table.elo[:, None] - table.elo[None, :]
    p = 1 / (1 + 10 ** (-gap / 400))
    information = p * (1 - p)
    same = np.equal.outer(np.array(table.group), np.array(table.group))
    upper = np.triu(same, 1)
    while len(chosen) < pairs and upper.any():
        variance = np.diag(covariance)[:, None] + np.diag(covariance)[None, :] - 2 * covariance
        worth = np.where(upper, information * variance, -1.0)
        i, j = divmod(int(worth.argmax()), n)
        chosen.append((numbers[i], numbers[j]))
        upper[i, j] = False
        covariance = _shrunk(covariance, i, j, step * information[i, j])
    return chosen


def own_share(table: Standings, number: int, opponents: Sequence[int], played: int) -> float:
    """Return the share (0..1) of a version's error that more games of its own would remove.

    The rest is due to the table around it, such as two groups of its opponents that have hardly met. The estimate is
    what another `played` games (as many as there are) against these opponents would remove: half of the version's own
    variance.
    """
    index = {version.id: i for i, version in enumerate(table.rated)}
    met = [other for other in opponents if other in index]
    if number not in index or not met:
        return 1.0
    i = index[number]
    covariance = table.covariance / ELO_SCALE**2
    before = float(covariance[i, i])
    for other in met:
        j = index[other]
        information = played / len(met) * openness(float(table.elo[i] - table.elo[j]))
        covariance = _shrunk(covariance, i, j, information)
    after = max(float(covariance[i, i]), 0.0)
    return math.sqrt(min(2 * (before - after) / before, 1.0)) if before > 0 else 0.0


def _shrunk(covariance: Floats, i: int, j: int, information: float) -> Floats:
    """Return the covariance after games between two bots (Sherman-Morrison formula)."""
    along = covariance[:, i] - covariance[:, j]
    variance = along[i] - along[j]
    return np.asarray(covariance - np.outer(along, along) * (information / (1 + information * variance)))


def _links(table: Standings) -> list[tuple[int, int]]:
    """Return pairings without which ratings cannot be compared: one for each bot without games and each other group."""
    if len(table.rows) < 2:
        return []
    homes = [row.version.id for row in table.rows]
    if table.rated:  # the middle of the largest group, and the rest of it
        members = [version.id for version, group in zip(table.rated, table.group) if group == table.group[0]]
        homes = [members[len(members) // 2], *members]

    def link(number: int) -> tuple[int, int]:
        return next(home for home in homes if home != number), number

    pairs = [link(row.version.id) for row in table.rows if row.elo is None and row.version.id != homes[0]]
    seen = {table.group[0]} if table.group else set()
    for group, version in zip(table.group, table.rated):
        if group not in seen:
            seen.add(group)
            pairs.append(link(version.id))
    return pairs
