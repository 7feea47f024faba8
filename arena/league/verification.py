"""The verification of a league: its database, bots' files, games and tables, compared with each other.

Nothing is run and nothing is changed; the engine replays games from their records. What a clock measured, and whether a
bot would make the same moves again, cannot be verified, nor are the ratings of earlier tables.
"""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterator
from hashlib import sha256

from arena.errors import ArenaError
from arena.league import versions
from arena.league.fixtures import secret_seed
from arena.league.rating import league_standings
from arena.league.store import League
from arena.text import one_line
from arena.tournament.games import GameResult
from arena.tournament.rows import game_faults

_NOISE = 0.01  # Elo, between machines


def verified_games(league: League) -> Iterator[tuple[GameResult, str | None]]:
    """Yield each game with what is wrong with it, or None."""
    config = {"rules": league.settings.rules, "seed": secret_seed(league), "own_deals": True}
    return game_faults(league.reader().results(), config)


def league_faults(league: League) -> Iterator[str]:
    """Yield what is wrong with a league, apart from single games."""
    for part in (_database, _versions, _pairs, _events):
        try:
            for fault in part(league):
                yield one_line(fault, 400)
        except (ArenaError, sqlite3.Error, ArithmeticError, LookupError, TypeError, ValueError) as error:
            yield one_line(f"cannot be read: {error}", 400)


def _database(league: League) -> Iterator[str]:
    for fault in league.reader().faults():
        yield f"database: {fault}"


def _versions(league: League) -> Iterator[str]:
    for (name,) in league.query("SELECT hash FROM files ORDER BY hash"):
        if sha256(league.value("SELECT content FROM files WHERE hash = ?", name)).hexdigest() != name:
            yield f"file {str(name)[:12]}: its content differs from the submission"
    states = {*versions.OPEN, versions.ACTIVE, versions.REPLACED, versions.REFUSED}
    for version in versions.in_state(league, retired=True):
        if version.state not in states:
            yield f"{version.label}: '{version.state}' is not a valid state"
        if versions.submission_of_version(league, version).hash != version.hash:
            yield f"{version.label}: its files or its entry differ from the submission"


def _pairs(league: League) -> Iterator[str]:
    if league.settings.pairs:
        rows = league.query("SELECT deal, pairing FROM games GROUP BY deal, pairing HAVING count(*) <> 2 ORDER BY 1, 2")
        for deal, pairing in rows:
            yield f"deal {deal} of pairing {pairing}: one of its two games is missing"


def _events(league: League) -> Iterator[str]:
    before = 0
    total = league.count_games()
    for event, count, so_far in league.query("SELECT event, games, total FROM events ORDER BY event"):
        if not before <= so_far <= total or count > so_far:
            yield f"event {event}: impossible total of {so_far} games, after {before} before and with {total} now"
        before = max(before, so_far)
    wrong = "SELECT event, version FROM ratings WHERE games <> wins + draws + losses OR games > ? ORDER BY 1, 2"
    for event, version in league.query(wrong, total):
        yield f"event {event}: the games of version {version} in the table do not add up"
    yield from _last_table(league, total)


def _last_table(league: League, total: int) -> Iterator[str]:
    """Rate the games again if the last table counts all of them."""
    last = "SELECT event FROM events WHERE total = ? AND event = (SELECT max(event) FROM ratings)"
    for (event,) in league.query(last, total):
        stored = dict(league.query("SELECT version, elo FROM ratings WHERE event = ?", event))
        for row in league_standings(league).rows:
            elo = stored.get(row.version.id, math.inf)
            if elo != row.elo and (elo is None or row.elo is None or abs(elo - row.elo) > _NOISE):
                yield f"event {event}: the rating of {row.version.label} in the table is not that of its games"
