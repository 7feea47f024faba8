"""`arena league` and `arena submit`, as organisers and authors call them."""

from __future__ import annotations

import contextlib
import re
import shutil
import sqlite3
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from arena.bots.isolation import process
from arena.bots.isolation.sandbox import SandboxMissing
from arena.cli.main import main
from arena.results.run_standings import STANDING_COLUMNS
from tests.bots.isolation.inside import why_not
from tests.cli.conftest import Arena, content
from tests.cli.league.conftest import ONE, QUICK
from tests.league.leagues import FIRST, LAST, written


def test_the_sandbox_is_what_is_usual(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    """And without it nothing is made or played, unless another level is asked for."""

    def missing() -> Any:
        raise SandboxMissing("bots cannot be sandboxed here: install bubblewrap")

    usable = why_not() is None
    if usable:
        arena("league", "create", "boxed")
        assert content(arena("standings", "boxed", "--json").out)["settings"]["isolation"] == "sandbox"
    monkeypatch.setattr(process, "require_bubblewrap", missing)
    assert "install bubblewrap" in arena("league", "create", "open", code=2).err
    assert not Path("leagues/open").exists()
    if usable:
        written(Path("bots"), first=FIRST)
        assert "install bubblewrap" in arena("submit", "bots/first.py", "--league", "boxed", code=2).err
        assert not arena("standings", "boxed", "first", "--json", code=2).out
        arena("submit", "bots/first.py", "--league", "boxed", "--isolation", "none", *ONE)


def test_the_only_league_need_not_be_named(played: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    assert content(played("league", "work", "--max-games", 2, "--json", *ONE).out)["played"] == 2
    monkeypatch.chdir("leagues/open")
    assert content(played("league", "history", "--json").out)["league"] == "open"


def test_leagues_are_completed(played: Arena, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setenv("_ARENA_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", "arena league history o")
    monkeypatch.setenv("COMP_CWORD", "3")
    capsys.readouterr()
    main([])
    assert "open" in capsys.readouterr().out


# ---------------------------------------------------------------- submit


def test_a_bot_of_many_files(open_: Arena) -> None:
    source = "from helper import act as chosen\n\ndef act(view, moves):\n    return chosen(view, moves)\n"
    written(Path("bots/mine"), bot=source, helper=LAST)
    open_("submit", "two=bots/mine/bot.py", "--league", "open", *ONE)
    assert "already has" in open_("submit", "two=bot.py", "--folder", "bots/mine", "--league", "open").err
    files = content(open_("standings", "open", "two", "--json").out)["files"]
    assert [file["path"] for file in files] == ["bot.py", "helper.py"]
    open_("standings", "open", "two", "--files", "back")
    assert Path("back/helper.py").read_text() == LAST
    err = open_("standings", "open", "two", "--files", "back", code=2).err
    assert "back is not empty" in err


@pytest.mark.usefixtures("real_check")
def test_a_bot_whose_file_was_not_submitted(open_: Arena) -> None:
    source = f"from pathlib import Path\nPath(__file__).with_name('weights.txt').read_text()\n{LAST}"
    written(Path("bots"), heavy=source)
    Path("bots/weights.txt").write_text("1 2")
    assert "weights.txt" in open_("submit", "bots/heavy.py", "--league", "open", code=1).err


# ---------------------------------------------------------------- what only reads


def test_standings(played: Arena) -> None:
    assert "lc/standings.csv\n" in played("standings", "leagues/open", "--csv", "lc").err
    assert len(Path("lc/standings.csv").read_text().splitlines()) == 4
    found = content(played("standings", "open", "--json").out)
    columns = {*STANDING_COLUMNS, "name", "version", "author", "hash", "new", "elo_change", "rank_change"}
    assert set(found["standings"][0]) == columns
    assert [line["rank"] for line in found["standings"]] == [1, 2, 3]
    assert sum(line["elo"] for line in found["standings"]) == pytest.approx(0, abs=0.02)
    # a bot that has come moves the mean; what the others moved is shown without that
    moved = [line["elo_change"] for line in found["standings"] if not line["new"]]
    assert sum(moved) == pytest.approx(0, abs=0.02)


def test_reasons_in_the_history_obey_no_terminal(played: Arena) -> None:
    played("league", "retire", "open", "last", "--reason", "too \x1b[2Jweak")
    assert "last v1 retired" in (out := played("league", "history", "open").out)
    assert "\x1b" not in out


def test_times_in_json_are_text_with_their_zone(played: Arena) -> None:
    """As those of `arena runs`."""
    played("league", "people", "open", "--invite", "Ann")
    for command in ("standings open first", "league history", "league history --log", "league people"):
        out = played(*command.split(), "--json").out
        texts = re.findall(r'"(?:submitted|happened|created|expires)":\s*"(.*?)"', out)
        assert texts, command
        assert all(datetime.fromisoformat(text).tzinfo is UTC for text in texts), command


def test_list_with_damaged_leagues(arena: Arena) -> None:
    arena("league", "create", "open", *QUICK)
    for name, data in {"empty": b"", "garbage": b"no database at all " * 100}.items():
        Path("leagues", name).mkdir()
        Path("leagues", name, "league.sqlite").write_bytes(data)
    shutil.copytree("leagues/open", "leagues/unset")
    with contextlib.closing(sqlite3.connect("leagues/unset/league.sqlite")) as db:
        db.execute("DELETE FROM meta WHERE key = 'settings'")
        db.commit()
    found = arena("league")
    assert [line.split()[0] for line in found.out.splitlines()[2:]] == ["open"]
    assert {line.split(" cannot be read: ")[0] for line in found.err.splitlines()} == {"empty", "garbage", "unset"}
    shutil.rmtree("leagues/open")
    assert arena("league").out == "No league in leagues/ can be read.\n"
