"""`arena league create` and the sandbox that it asks for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from arena.bots.isolation import process
from arena.bots.isolation.sandbox import SandboxMissing
from tests.bots.isolation.inside import why_not
from tests.cli.conftest import Arena
from tests.cli.league.conftest import ONE, QUICK, values
from tests.league.leagues import FIRST, written


def test_create(arena: Arena) -> None:
    out = arena("league", "create", "open", *QUICK).out
    assert "Created the league open in leagues/open: rules base, bots not isolated, no clock." in out
    assert "arena submit bots/mine.py --league open" in out
    assert "already" in arena("league", "create", "open", *QUICK, code=2).err
    found = values(arena("league", "show", "open", "--json").out)
    assert found["settings"]["error"] == 100
    assert (found["standings"], found["games"]) == ([], 0)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("create", "open", "--config", "nosuch.toml"), "nosuch.toml: cannot be read"),
        (("create", "open", "--set", "placement.games=3"), "an even number"),
        (("show", "open"), "there is no league 'open'. Create one with: arena league create open"),
    ],
)
def test_wrong_use(arena: Arena, args: tuple[str, ...], message: str) -> None:
    assert message in arena("league", *args, code=2).err
    assert not Path("leagues").exists()


def test_the_sandbox_is_what_is_usual(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    """And without it nothing is made or played, unless another level is asked for."""

    def missing() -> Any:
        raise SandboxMissing("bots cannot be sandboxed here: install bubblewrap")

    usable = why_not() is None
    if usable:
        arena("league", "create", "boxed")
        assert values(arena("league", "show", "boxed", "--json").out)["settings"]["isolation"] == "sandbox"
    monkeypatch.setattr(process, "require_bubblewrap", missing)
    assert "install bubblewrap" in arena("league", "create", "open", code=2).err
    assert not Path("leagues/open").exists()
    if usable:
        written(Path("bots"), first=FIRST)
        assert "install bubblewrap" in arena("submit", "bots/first.py", "--league", "boxed", code=2).err
        assert values(arena("league", "show", "boxed", "first", "--json", code=2).out or "{}") == {}
        arena("submit", "bots/first.py", "--league", "boxed", "--isolation", "none", *ONE)


def test_the_only_league_need_not_be_named(played: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [line["bot"] for line in values(played("submit", "bots/first.py", "--json", *ONE).out)["standings"]]
    assert sorted(names) == ["first", "last", "random"]
    assert values(played("league", "play", "--max-games", 2, "--json", *ONE).out)["played"] == 2
    assert values(played("league", "people", "--json").out)["league"] == "open"
    assert values(played("league", "history", "--json").out)["league"] == "open"
    assert "open is paused" in played("league", "pause").out
    played("league", "pause", "--undo")
    assert "last is out of the table" in played("league", "retire", "last").err
    assert "last is back" in played("league", "retire", "open", "last", "--undo").err
    assert "unexpected extra argument (b)" in played("league", "retire", "a", "b", "c", code=2).err
    monkeypatch.chdir("leagues/open")
    assert values(played("league", "history", "--json").out)["league"] == "open"


@pytest.mark.parametrize(
    ("command", "completed"),
    [
        (("submit", "bots/first.py"), "arena submit bots/first.py --league"),
        (("league", "play"), "arena league play"),
        (("league", "retire", "first"), "arena league retire"),
        (("serve",), "arena serve"),
    ],
)
def test_which_league_is_not_guessed(arena: Arena, command: tuple[str, ...], completed: str) -> None:
    written(Path("bots"), first=FIRST)
    none = arena(*command, code=2).err
    assert "there is no league in leagues/. Create one with: arena league create NAME, or name" in none
    assert f"{completed} FOLDER" in none
    assert ("--server URL" in none) == (command[0] == "submit")
    for name in ("club", "open"):
        arena("league", "create", name, *QUICK)
    several = arena(*command, code=2).err
    assert f"there are 2 leagues here: club, open. Name one of them: {completed} club" in several
