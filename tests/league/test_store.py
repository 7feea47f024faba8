"""The folder of a league: made whole or not at all, found, refused with a remedy, read beside writers."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.league.league_settings import LeagueError
from arena.league.store import LEAGUE, LEAGUE_DATABASE, league_folder, open_league
from tests.league.leagues import SECRET, enter, league


def test_made_and_opened_again(tmp_path: Path) -> None:
    with league(tmp_path / "one", rules="tactical") as made:
        wanted = made.settings
        assert made.meta("secret") == SECRET
    with open_league(tmp_path / "one", write=False) as found:
        assert found.settings == wanted
        assert found.query("SELECT kind FROM events") == [("created",)]
    assert [path.name for path in (tmp_path / "one").iterdir()] == [LEAGUE_DATABASE]


def test_a_league_is_made_once(tmp_path: Path) -> None:
    with league(tmp_path / "one") as made:
        enter(made, "ann")
    with pytest.raises(LeagueError, match=r"already holds a league"), league(tmp_path / "one"):
        pass
    with open_league(tmp_path / "one") as found:
        assert found.value("SELECT count(*) FROM versions") == 1


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
    with pytest.raises(LeagueError, match=r"did you mean 'open'\?"):
        open_league("opne")
    for text in ("open", "leagues/open", f"leagues/open/{LEAGUE_DATABASE}", str(tmp_path / "leagues" / "open")):
        assert league_folder(text).resolve() == tmp_path / "leagues" / "open"
