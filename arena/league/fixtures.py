"""The games that a league plays next: whose, and on which deals.

Those who have played least meet those near them, so everybody's rating becomes certain at about the same pace, and no
bot plays more than others because it stands at the top. A deal has a number that is unique in the league and grows with
each deal, so games with higher numbers are later ones. It is played by one pairing only, twice with the seats swapped
unless the league's settings (`pairs`) say otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from arena.league.league_settings import LeagueSettings
from arena.league.rating import Standings, StandingsRow
from arena.league.store import LEAGUE, League
from arena.league.versions import Version
from arena.tournament.games import GameId, PairTask, deal_seed

REACH = 400.0
"""Elo. Of the opponents at most this much further away than the nearest one, those with the fewest games come first."""
PAIRINGS = 8  # per stretch of play
STRETCH_SHARE = 20
"""A stretch of play adds at least a 20th to the stored games. The ratings between two stretches, whose cost grows with
the number of games, then take a small part of the time."""


@dataclass(frozen=True)
class Fixture:
    """Two versions and the number of deals that they are to play."""

    a: Version
    b: Version
    deals: int


# ---------------------------------------------------------------- whose games


def for_placement(table: Standings, version: Version, settings: LeagueSettings) -> list[Fixture]:
    """Return what a version in placement plays next; empty if its rating is certain enough.

    The same holds if the difference from a rival is: the rest of its error is then the table's, and only games
    between others can reduce it.
    """
    own = table.row_of(version.id)
    assert own is not None
    games = {row.version.id: row.score.games for row in table.rows}
    rivals = _rivals(table, own, games)[: settings.sample]
    left = settings.most_games - own.score.games
    if not rivals or left <= 0:
        return []
    wanted = settings.games * len(rivals)
    if own.width is not None:
        gaps = [table.difference(version.id, rival.version.id) for rival in rivals]
        if min([own.width, *(gap.error95 for gap in gaps if gap is not None)]) <= settings.error:
            return []
        needed = own.score.games * ((own.width / settings.error) ** 2 - 1)  # errors shrink with the square root
        wanted = min(math.ceil(needed), 4 * wanted)
    return _shared([(version, rival.version) for rival in rivals], min(wanted, left), settings)


def for_play(table: Standings, settings: LeagueSettings, left: float = math.inf) -> list[Fixture]:
    """Return the next stretch of play: at most `left` games, rounded up to a whole pair."""
    games = {row.version.id: row.score.games for row in table.rows}
    step = max(settings.games, table.total // STRETCH_SHARE // PAIRINGS)
    pairs: list[tuple[Version, Version]] = []
    while len(pairs) < PAIRINGS:
        least = min(table.rows, key=lambda row: games[row.version.id])
        known = {version.id for pair in pairs if least.version in pair for version in pair}
        rival = next((rival for rival in _rivals(table, least, games) if rival.version.id not in known), None)
        if rival is None:
            break
        pairs.append((least.version, rival.version))
        for row in (least, rival):
            games[row.version.id] += step
    return _shared(pairs, min(step * len(pairs), left), settings)


def _rivals(table: Standings, row: StandingsRow, games: Mapping[int, int]) -> list[StandingsRow]:
    """Return the best opponents of a row, best first; those whose ratings do not compare with it yet come first."""

    def gap(other: StandingsRow) -> float:
        return 0.0 if row.elo is None or other.elo is None or other.group != row.group else abs(row.elo - other.elo)

    def place(other: StandingsRow) -> tuple[bool, int, float]:
        return other.group == row.group, games[other.version.id], gap(other)

    others = [other for other in table.rows if other.version.id != row.version.id]
    reach = min(map(gap, others), default=0.0) + REACH
    return sorted((other for other in others if gap(other) <= reach), key=place)


def _shared(pairs: Sequence[tuple[Version, Version]], wanted: float, settings: LeagueSettings) -> list[Fixture]:
    """Return fixtures with about `wanted` games (at least one deal), shared among the pairs in whole deals."""
    deals = max(int(wanted) // settings.games_a_deal, 1)
    return [Fixture(a, b, max(deals // len(pairs), 1)) for a, b in pairs[:deals]]


# ---------------------------------------------------------------- on which deals


def deal_units(league: League, fixtures: Sequence[Fixture]) -> list[PairTask]:
    """Return units of work, one deal of each fixture in turn, each with the next number that no game has.

    New pairings are stored with the seed of their deals, which follows from the league's secret and the labels of the
    two versions. Records show the seed but not the secret, so none reveals what a bot submitted later will play.
    """
    settings, secret = league.settings, secret_seed(league)
    columns: list[list[PairTask]] = []
    with league.change():
        for fixture in fixtures:
            a, b = sorted((fixture.a, fixture.b), key=lambda version: version.id)
            pairing = league.value("SELECT pairing FROM meetings WHERE a = ? AND b = ?", a.id, b.id)
            if pairing is None:
                seed = deal_seed(secret, True, a.label, b.label)
                pairing = league.insert("INSERT INTO meetings (a, b, seed) VALUES (?, ?, ?)", a.id, b.id, seed)
            turn = league.value("SELECT count(*) FROM games WHERE pairing = ?", pairing)
            begins = [(0, 1) if settings.pairs else ((turn + at) % 2,) for at in range(fixture.deals)]
            columns.append([PairTask(pairing, 0, a.label, b.label, games=games) for games in begins])
    last = league.value("SELECT max(id) FROM games")
    first = 0 if last is None else GameId.from_key(last).deal + 1
    tasks = (task for row in zip_longest(*columns) for task in row if task is not None)
    return [task._replace(deal=deal) for deal, task in enumerate(tasks, first)]


def secret_seed(league: League) -> int:
    """Return the seed from which the deals of all pairings follow, together with the labels of their versions."""
    try:
        return int(league.meta("secret"), 16)
    except ValueError as error:
        raise LEAGUE.damaged(league.folder, "its secret cannot be read") from error
