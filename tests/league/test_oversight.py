"""Leagues that nobody watches: budgets, the audit log, pauses, verification."""

from __future__ import annotations

import json
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from arena.cli.main import main
from arena.league import book, fixtures, oversight, versions
from arena.league.league_settings import LeagueError
from arena.league.player import open_session
from arena.league.store import League, open_league
from arena.league.verification import league_faults, verified_games
from tests.league.leagues import FIRST, LAST, MIDDLE, RANDOM, enter, handled, league, skip_check, submission, submit

# ---------------------------------------------------------------- budgets


def receive(found: League, name: str, source: str, author: str | None = "Ann") -> versions.Version:
    return book.enqueue(found, submission(name, source, author)).version


def test_submissions_per_day_are_limited(tmp_path: Path) -> None:
    with league(tmp_path / "a", budget={"submissions": 2}) as found:
        receive(found, "one", FIRST)
        receive(found, "two", LAST)
        receive(found, "two", LAST)  # known: nothing to be done with it
        with pytest.raises(oversight.BudgetSpent, match=r"^Ann has used 2 of 2 submissions in 24 hours; "):
            receive(found, "three", MIDDLE)
        receive(found, "three", MIDDLE, "Bob")
        receive(found, "four", RANDOM, None)
        oversight.change_limits(found, {"submissions": 3})
        receive(found, "five", FIRST + "\n")
        assert oversight.use_of(found, "Ann")["submissions"] == 3
        with found.change():
            found.run("UPDATE audit SET happened = happened - 86400")  # a day later
        assert oversight.use_of(found, "Ann")["submissions"] == 0


def test_room_per_author_is_limited(tmp_path: Path) -> None:
    with league(tmp_path / "a", budget={"author_mb": 1}) as found:
        receive(found, "one", FIRST + "#" * (700 << 10))
        with pytest.raises(oversight.BudgetSpent, match="the limit of 1 MiB per author"):
            receive(found, "two", LAST + "#" * (700 << 10))
        receive(found, "two", LAST)


def test_bots_of_an_author_are_limited(tmp_path: Path) -> None:
    with league(tmp_path / "a", budget={"bots": 1}) as found:
        first = receive(found, "one", FIRST, "Ann")
        with pytest.raises(oversight.BudgetSpent, match="Ann already has 1 of 1 bots in the league"):
            receive(found, "two", LAST, "Ann")
        receive(found, "one", LAST, "Ann")  # a new version
        for name in ("three", "four"):  # the organiser's
            receive(found, name, f"# {name}\n{FIRST}", None)
        book.retire(found, "one")
        assert receive(found, "five", f"# five\n{FIRST}", "Ann").bot != first.bot


def test_room_of_the_league_is_limited(tmp_path: Path) -> None:
    with league(tmp_path / "a", budget={"disk_mb": 1}) as found:
        enter(found, "a", "b")
        (tmp_path / "a" / "fat").write_bytes(b"x" * (1 << 20))
        with pytest.raises(oversight.BudgetSpent, match="of its 1 MiB"):
            receive(found, "one", FIRST)
        assert main(["league", "work", str(tmp_path / "a"), "--max-games", "4", "--workers", "1"]) == 2
    assert open_league(tmp_path / "a", write=False).count_games() == 0


# ---------------------------------------------------------------- pauses


def test_a_paused_league_takes_submissions_and_plays_later(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with league(tmp_path / "a") as found:
        enter(found, "a", "b")
        oversight.pause_league(found, "lunch")
        with pytest.raises(LeagueError, match="already: test is paused: lunch"):
            oversight.pause_league(found)
        receive(found, "one", MIDDLE)
        for games in ("0", "4"):  # a command that comes to an end does not wait for that of the pause
            assert main(["league", "work", str(tmp_path / "a"), "--max-games", games, "--workers", "1"]) == 2
            assert "is paused: lunch; to go on:" in capsys.readouterr().err
        with open_session(found, "submit", 1) as session:
            assert not handled(session)
            threading.Timer(0.5, oversight.resume_league, [found]).start()
            assert session.wait_while_paused()
            handled(session)
        assert {one.name for one in versions.in_state(found, versions.ACTIVE)} == {"a", "b", "one"}
        with pytest.raises(LeagueError, match="not paused"):
            oversight.resume_league(found)


# ---------------------------------------------------------------- verification


def all_faults(found: League) -> list[str]:
    faults = [*league_faults(found)]
    try:
        faults += [fault for _, fault in verified_games(found) if fault]
    except LeagueError as error:  # a game that cannot be read
        faults.append(str(error))
    return faults


def test_a_league_is_sound(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with league(tmp_path / "a") as found:
        enter(found, "a", "b")
        submit(found, "one", MIDDLE)
        assert not all_faults(found)
        total = found.count_games()
    assert main(["verify", str(tmp_path / "a")]) == 0
    assert f"{total} games replayed, all with their stored results" in capsys.readouterr().out
    assert main(["verify", str(tmp_path / "a"), "--json"]) == 0
    about = {"name": str(tmp_path / "a"), "sound": True, "games": total, "bad": 0}
    assert json.loads(capsys.readouterr().out) == {"about": about, "tables": {"faults": []}, "notes": []}
    (tmp_path / "a" / "league.sqlite").write_bytes(b"no database")
    assert main(["verify", str(tmp_path / "a")]) == 1
    assert "not a database" in capsys.readouterr().out


CHANGES = {
    "UPDATE files SET content = x'00'": "its content differs from the submission",
    "UPDATE games SET score = 2 - score": "the record gives",
    "UPDATE games SET record = replace(record, ':', ':1')": "",
    "UPDATE games SET id = id + 4": "",
    "DELETE FROM games WHERE id % 2": "one of its two games is missing",
    "UPDATE sessions SET games = games + 2": "games were stored, but there are",
    "UPDATE meta SET value = 'f' || substr(value, 2) WHERE key = 'secret'": "deal: ",
    "UPDATE versions SET entry = 'b.py:x=1' WHERE version = 2": "b v1: its files or its entry differ",
    "DELETE FROM version_files WHERE version = 2": "its files or its entry differ",
    "UPDATE events SET total = 99999": "impossible total",
    "UPDATE ratings SET wins = wins + 1": "do not add up",
    "UPDATE ratings SET elo = elo + 100": "the rating of one v1 in the table is not that of its games",
}


@pytest.fixture(scope="module")
def played_league(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder = tmp_path_factory.mktemp("league") / "a"
    with pytest.MonkeyPatch.context() as patch:
        skip_check(patch)
        with league(folder) as found:
            enter(found, "a", "b")
            submit(found, "one", MIDDLE)
    return (folder / "league.sqlite").read_bytes()


@pytest.mark.parametrize("sql", CHANGES)
def test_damage_is_found(tmp_path: Path, sql: str, played_league: bytes) -> None:
    (tmp_path / "league.sqlite").write_bytes(played_league)
    with closing(sqlite3.connect(tmp_path / "league.sqlite", isolation_level=None)) as db:
        db.execute(sql)
    with open_league(tmp_path) as found:
        faults = all_faults(found)
    assert any(CHANGES[sql] in fault for fault in faults), faults


# ---------------------------------------------------------------- deals


def test_deals_played_once(tmp_path: Path) -> None:
    with league(tmp_path / "a", pairs=False, placement={"games": 5}) as found:
        a, b, c = enter(found, "a", "b", "c")
        submit(found, "one", MIDDLE)
        assert found.value("SELECT max(n) FROM (SELECT count(*) n FROM games GROUP BY deal)") == 1
        rows = found.query("SELECT pairing, sum(game), count(*) FROM games GROUP BY pairing")
        assert all(abs(2 * second - number) <= 1 for _, second, number in rows)
        tasks = fixtures.deal_units(found, [fixtures.Fixture(a, b, 3), fixtures.Fixture(a, c, 2)])
        assert [task.games for task in tasks] == [(0,), (0,), (1,), (1,), (0,)]
        assert not all_faults(found)
