"""The folder of a league: made whole or not at all, found, refused with a remedy, read beside writers."""

from __future__ import annotations

import os
import sqlite3
import threading
from pathlib import Path

import pytest

from arena.league.settings import LeagueError
from arena.league.store import DATABASE, LEAGUE, create_league, league_folder, open_league
from tests.league.leagues import SECRET, enter, league, settings


def test_made_and_opened_again(tmp_path: Path) -> None:
    with league(tmp_path / "one", rules="tactical") as made:
        wanted = made.settings
        assert made.meta("secret") == SECRET
    with open_league(tmp_path / "one", write=False) as found:
        assert found.settings == wanted
        assert found.query("SELECT kind FROM events") == [("created",)]
    assert [path.name for path in (tmp_path / "one").iterdir()] == [DATABASE]


def test_secrets_differ(tmp_path: Path) -> None:
    found = set()
    for name in "ab":
        with create_league(tmp_path / name, settings()) as made:
            secret = made.meta("secret")
            assert len(secret) == 32
            assert int(secret, 16) > 0
            found.add(secret)
    assert len(found) == 2


def test_a_league_is_made_once(tmp_path: Path) -> None:
    with league(tmp_path / "one") as made:
        enter(made, "ann")
    with pytest.raises(LeagueError, match=r"already holds a league"), league(tmp_path / "one"):
        pass
    with open_league(tmp_path / "one") as found:
        assert found.value("SELECT count(*) FROM versions") == 1


def test_two_at_once_make_one(tmp_path: Path) -> None:
    """Both have seen that there is none."""
    made: list[str] = []
    gate = threading.Barrier(2)

    def make() -> None:
        gate.wait()
        try:
            with create_league(tmp_path / "one", settings()):
                made.append("made")
        except LeagueError as error:
            made.append(str(error))

    threads = [threading.Thread(target=make) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(one == "made" for one in made) == 1
    assert len(made) == 2, made
    assert all(one == "made" or "already" in one for one in made), made


def test_killed_while_it_was_made(tmp_path: Path) -> None:
    """The file is there, without tables: that is no league, and no hindrance."""
    folder = tmp_path / "one"
    folder.mkdir()
    LEAGUE.open_writer(folder).close()
    with pytest.raises(LeagueError, match=r"there is no league in .* yet"):
        open_league(folder)
    with league(folder) as made:
        assert made.settings.name == "test"


def test_unknown_leagues(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(LeagueError, match="Create one with: arena league create open"):
        open_league("open")
    with league(Path("leagues/open")):
        pass
    with pytest.raises(LeagueError, match=r"did you mean 'open'\?.*in leagues/: open"):
        open_league("opne")
    for text in ("open", "leagues/open", f"leagues/open/{DATABASE}", str(tmp_path / "leagues" / "open")):
        assert league_folder(text).resolve() == tmp_path / "leagues" / "open"


def test_what_is_no_league(tmp_path: Path) -> None:
    def refused(message: str) -> None:
        for write in (False, True):
            with pytest.raises(LeagueError) as caught:
                open_league(tmp_path, write=write)
            assert message in str(caught.value)

    path = tmp_path / DATABASE
    path.write_text("this is text, and more than a few words of it " * 50)
    refused("this is not a database")
    path.unlink()
    sqlite3.connect(path).executescript("CREATE TABLE other (x); PRAGMA application_id = 7")
    refused("a database of another program")
    with pytest.raises(LeagueError, match="another program"), league(tmp_path):
        pass


def test_a_newer_version(tmp_path: Path) -> None:
    with league(tmp_path):
        pass
    sqlite3.connect(tmp_path / DATABASE).execute("PRAGMA user_version = 99")
    for write in (False, True):
        with pytest.raises(LeagueError, match=r"newer version of the arena. Update the program"):
            open_league(tmp_path, write=write)


def test_read_only(tmp_path: Path) -> None:
    with league(tmp_path) as made:
        enter(made, "ann")
    with open_league(tmp_path, write=False) as found:
        assert found.value("SELECT name FROM bots") == "ann"
        with pytest.raises(LeagueError), found.change():
            found.run("DELETE FROM bots")
    with open_league(tmp_path) as found:
        assert found.value("SELECT name FROM bots") == "ann"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    with league(tmp_path):
        pass
    tmp_path.chmod(0o555)
    try:
        with open_league(tmp_path, write=False) as found:
            assert found.name == "test"
    finally:
        tmp_path.chmod(0o755)


def test_a_change_is_whole_or_nothing(tmp_path: Path) -> None:
    with league(tmp_path) as made:
        with pytest.raises(sqlite3.IntegrityError), made.change():
            made.run_many("INSERT INTO bots (name) VALUES (?)", [("ann",), ("bob",), ("ann",)])
        assert made.query("SELECT * FROM bots") == []
        with made.change():
            made.insert("INSERT INTO bots (name) VALUES ('ann')")
        assert made.value("SELECT name FROM bots") == "ann"


def test_a_full_disk_is_said(tmp_path: Path) -> None:
    with league(tmp_path) as made:
        enter(made, "ann")
        (pages,) = made.query("PRAGMA page_count")[0]
        made.query(f"PRAGMA max_page_count = {pages}")
        with (
            pytest.raises(LeagueError, match=r"the disk is full. Everything stored so far is safe"),
            made.change(),
        ):
            made.insert("INSERT INTO files (hash, content) VALUES ('x', ?)", bytes(200_000))
        assert made.value("SELECT name FROM bots") == "ann"


def test_two_write_by_turns(tmp_path: Path) -> None:
    """A writer waits for another's transaction instead of failing."""
    with league(tmp_path):
        pass
    rounds = 50

    def write(number: int) -> None:
        with open_league(tmp_path) as found:
            for at in range(rounds):
                with found.change():
                    count = found.value("SELECT count(*) FROM bots")
                    found.insert("INSERT INTO bots (name) VALUES (?)", f"{count}")
                    assert found.value("SELECT count(*) FROM bots") == count + 1, (number, at)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with open_league(tmp_path, write=False) as found:
        assert found.value("SELECT count(*) FROM bots") == 2 * rounds
