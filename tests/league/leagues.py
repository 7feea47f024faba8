"""Leagues for tests: small ones, bots of a few lines, and made-up games."""

from __future__ import annotations

import math
import random
import sqlite3
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from arena.bots.bundle import BundleFile
from arena.league import book, fixtures, placement, versions
from arena.league.league_settings import LeagueSettings, settings_from_dict
from arena.league.placement import LeagueWork
from arena.league.player import LeagueSession, open_session
from arena.league.rating import league_standings
from arena.league.store import League, create_league
from arena.league.submission import Submission
from arena.league.versions import Version
from arena.tournament.games import PairTask, Row, game_key

SECRET = "0123456789abcdef" * 2

FIRST = "def act(view, moves):\n    return moves[0]\n"
LAST = "def act(view, moves):\n    return moves[-1]\n"
MIDDLE = "def act(view, moves):\n    return moves[len(moves) // 2]\n"
RANDOM = "def act(view, moves):\n    return view.rng.choice(moves)\n"
RAISES = "def act(view, moves):\n    raise ValueError('no idea')\n"
BROKEN = "def act(view, moves:\n"


def skip_check(patch: pytest.MonkeyPatch) -> None:
    """Accept all submissions without a check."""

    def accepted(work: LeagueWork, one: Version) -> tuple[str, ...]:
        book.accept(work.session.league, one)
        return ()

    patch.setattr(LeagueWork, "_check", accepted)


def shorten_check(patch: pytest.MonkeyPatch) -> None:
    """Let checks play as few games as possible."""
    patch.setattr(placement, "CHECK_GAMES", 2)


def settings(**changed: Any) -> LeagueSettings:
    """Return settings with small placements, bots inside the workers and no clock."""
    placement_ = {"error": 100, "most_games": 24, "sample": 3, "games": 4} | changed.pop("placement", {})
    values = {"isolation": "none", "clock": {"move_ms": 0}, "placement": placement_} | changed
    return settings_from_dict(values, "test")


@contextmanager
def league(folder: Path, **changed: Any) -> Iterator[League]:
    """Create a league in `folder`, always with the same secret."""
    with create_league(folder, settings(**changed), SECRET) as made:
        yield made


def written(folder: Path, **sources: str) -> list[Path]:
    """Write files of bots by name."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, source in sources.items():
        path = folder / f"{name}.py"
        path.write_text(textwrap.dedent(source))
        paths.append(path)
    return paths


def submission(name: str, source: str, author: str | None = None) -> Submission:
    return Submission(name, author, f"{name}.py", {f"{name}.py": BundleFile(source.encode())})


def submit(found: League, name: str, source: str, workers: int = 1) -> Version:
    """Submit a bot and process it; return the resulting version."""
    with open_session(found, "submit", workers) as session:
        return settle(session, submission(name, source))


def settle(session: LeagueSession, what: Submission) -> Version:
    return settled(session, what).version


def settled(session: LeagueSession, what: Submission) -> placement.SubmissionResult:
    """Submit and process something new."""
    one = book.enqueue(session.league, what).version
    results = {result.version.id: result for result in handled(session)}
    return results.get(one.id) or placement.SubmissionResult(versions.get(session.league, one.id))


def handled(session: LeagueSession) -> list[placement.SubmissionResult]:
    """Work off the queue; return how far each turn has come."""
    results: list[placement.SubmissionResult] = []
    LeagueWork(session, results.append).handle_waiting()
    return results


def play_more(session: LeagueSession, games: float = math.inf) -> int:
    """Play some games, or until Ctrl-C."""
    return LeagueWork(session).go_on(games, waits=games == math.inf)


def enter(found: League, *names: str, source: str = FIRST) -> list[Version]:
    """Put bots into the table without games."""
    made = []
    for name in names:
        one = book.enqueue(found, submission(name, f"# {name}\n{source}")).version
        book.accept(found, one)
        book.promote(found, one)
        made.append(versions.get(found, one.id))
    return made


def row(task: PairTask, game: int, score: int, forfeit: int = 0, by: int = 0) -> Row:
    """Return a made-up game; `score` is in half points of the bot that started."""
    ending = 3 if forfeit else 0
    return Row(
        game_key(task.pairing, task.deal, game),
        score,
        ending,
        forfeit,
        by,
        5,
        3,
        40,
        41,
        20,
        21,
        100,
        120,
        5,
        6,
        b"",
        b"",
        400,
        f"record {task.deal}/{game}",
        "why" if forfeit else None,
    )


def played(found: League, meetings: Iterable[tuple[Version, Version, Sequence[int]]]) -> None:
    """Store pairs of games between versions, given the points (0..2) of the first version in each pair."""
    for one, other, points in meetings:
        tasks = fixtures.deal_units(found, [fixtures.Fixture(one, other, len(points))])
        rows = []
        for task, won in zip(tasks, points):
            mine = won if one.id < other.id else 2 - won  # of a, the version with the lower number
            # a begins game 0; with one point of two, the bot that begins wins
            rows += [row(task, 0, 2 if mine >= 1 else 0), row(task, 1, 0 if mine == 2 else 2)]
        found.insert_games(rows)


def some_points(number: int, share: float, seed: int = 1) -> list[int]:
    """Return the points of `number` pairs, with about this share won."""
    rng = random.Random(seed)
    return [sum(rng.random() < share for _ in range(2)) for _ in range(number)]


def sound(folder: Path) -> sqlite3.Connection:
    """Check that a league's database is whole and consistent; return a connection to it."""
    db = sqlite3.connect(folder / "league.sqlite")
    assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert db.execute("PRAGMA foreign_key_check").fetchall() == []
    halves = db.execute("SELECT count(*) FROM (SELECT 1 FROM games GROUP BY deal HAVING count(*) <> 2)")
    assert halves.fetchone() == (0,), "a deal is not a pair of games"
    shared = db.execute("SELECT count(*) FROM (SELECT 1 FROM games GROUP BY deal HAVING count(DISTINCT pairing) > 1)")
    assert shared.fetchone() == (0,), "a deal was played by two pairings"
    double = db.execute("SELECT bot FROM versions WHERE state = 'active' GROUP BY bot HAVING count(*) > 1")
    assert double.fetchall() == []
    return db


def names(found: League) -> list[str]:
    """Return the versions in the table."""
    return sorted(place.version.label for place in league_standings(found).rows)
