"""A league as a run: its games with records, for whatever reads the games of a run.

Players are versions, such as `greedy v2`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from arena.league import versions
from arena.league.store import League
from arena.league.versions import ACTIVE, REPLACED
from arena.results.reading.game import StoredGames
from arena.results.reading.recorded_run import run_of
from arena.results.reading.run import RunData
from arena.tournament.match.results import GameResult
from arena.tournament.match.tasks import GameId

FORMAT = "league"


def league_results(league: League, counting: bool = False) -> Iterator[GameResult]:
    """All games in the order of their deals, or only those that are `counting` for the table."""
    sides = {pairing: (a, b) for pairing, a, b in league.query("SELECT pairing, a, b FROM pairings")}
    known = versions.in_state(league, ACTIVE, REPLACED) if counting else versions.in_state(league, retired=True)
    labels = {one.id: one.label for one in known}
    for row in league.games():
        pairing = GameId.from_key(row.id).pairing
        if pairing not in sides:  # stored since they were read
            return
        a, b = sides[pairing]
        if a in labels and b in labels:
            yield GameResult.from_row(row, labels[a], labels[b])


def league_run(league: League) -> RunData:
    """The games that count for the table, as those of a run without an end."""
    return replace(run_of(league_results(league, counting=True), league.folder, FORMAT), joint=True)


class LeagueGames(StoredGames):
    """All games of a league."""

    def __init__(self, league: League) -> None:
        bots = [one.label for one in versions.in_state(league, retired=True)]
        super().__init__(str(league.folder), bots)
        self._league = league

    def __iter__(self) -> Iterator[GameResult]:
        return league_results(self._league)

    def count(self) -> int:
        return self._league.count_games()


class LeagueRecords:
    """The games that count, for who wants their records one by one."""

    def __init__(self, league: League) -> None:
        self._league = league

    def records(self) -> Iterator[tuple[int, int, str]]:
        """Identity, half points of the bot that began, and record of each game."""
        for game in league_results(self._league, counting=True):
            yield game.id.key, round(2 * game.score), game.record
