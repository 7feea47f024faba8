"""The verification of a league: its database, bots' files, games and tables, compared with each other.

Nothing is run and nothing is changed; the engine replays games from their records. What a clock measured, and whether a
bot would make the same moves again, cannot be verified.
"""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field

from arena.errors import ArenaError
from arena.league import oversight, pairings, versions
from arena.league.store import League
from arena.league.submission import StoredFile, Submission
from arena.text import one_line
from arena.tournament.rows import game_faults


@dataclass
class Verification:
    """What was checked, and its faults. `replayed` of the `games` were replayed from their records."""

    name: str
    games: int = 0
    replayed: int = 0
    versions: int = 0
    files: int = 0
    events: int = 0
    entries: int = 0
    faults: list[str] = field(default_factory=list)

    @property
    def sound(self) -> bool:
        """Whether no fault was found."""
        return not self.faults


def verify_league(league: League, most: int | None = None) -> Verification:
    """Check a league and return what was found; all games are replayed, or `most` of them, drawn at random."""
    report = Verification(league.name)
    parts = (
        _database(league),
        _versions(league, report),
        _games(league, report, most),
        _events(league, report),
    )
    with league.snapshot():
        for part in parts:
            try:
                for fault in part:
                    report.faults.append(one_line(fault, 400))
            except (ArenaError, sqlite3.Error, ArithmeticError, LookupError, TypeError, ValueError) as error:
                report.faults.append(one_line(f"cannot be read: {error}", 400))
        with suppress(ArenaError, TypeError):
            report.entries = len(oversight.entries(league))
    return report


def _database(league: League) -> Iterator[str]:
    for fault in league.reader().faults():
        yield f"database: {fault}"


def _versions(league: League, report: Verification) -> Iterator[str]:
    for (name,) in league.query("SELECT hash FROM files ORDER BY hash"):
        report.files += 1
        if StoredFile("", league.value("SELECT content FROM files WHERE hash = ?", name)).hash != name:
            yield f"file {str(name)[:12]}: its content differs from the submission"
    states = {*versions.OPEN, versions.ACTIVE, versions.REPLACED, versions.REFUSED}
    for version in versions.in_state(league, retired=True):
        report.versions += 1
        if version.state not in states:
            yield f"{version.label}: '{version.state}' is not a valid state"
        files = tuple(versions.files_of(league, version.id))
        if Submission(version.name, version.author, version.entry, files).hash != version.hash:
            yield f"{version.label}: its files or its entry differ from the submission"


def _games(league: League, report: Verification, most: int | None) -> Iterator[str]:
    settings = league.settings
    report.games = total = league.count_games()
    config = {"rules": settings.rules, "seed": pairings.secret_seed(league), "own_deals": True}
    games = league.reader().results()
    if most is not None and most < total:
        chosen = set(random.sample(range(total), most))
        games = (game for number, game in enumerate(games) if number in chosen)
    for game, fault in game_faults(games, config):
        report.replayed += 1
        if fault:
            yield f"game {game.name}: {fault}"
    if settings.pairs:
        rows = league.query("SELECT deal, pairing FROM games GROUP BY deal, pairing HAVING count(*) <> 2 ORDER BY 1, 2")
        for deal, pairing in rows:
            yield f"deal {deal} of pairing {pairing}: one of its two games is missing"


def _events(league: League, report: Verification) -> Iterator[str]:
    before = 0
    total = league.count_games()
    for event, count, so_far in league.query("SELECT event, games, total FROM events ORDER BY event"):
        report.events += 1
        if not before <= so_far <= total or count > so_far:
            yield f"event {event}: impossible total of {so_far} games, after {before} before and with {total} now"
        before = max(before, so_far)
    wrong = "SELECT event, version FROM ratings WHERE games <> wins + draws + losses OR games > ? ORDER BY 1, 2"
    for event, version in league.query(wrong, total):
        yield f"event {event}: the games of version {version} in the table do not add up"
