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


def test_create_from_a_file(arena: Arena) -> None:
    Path("my.toml").write_text('rules = "tactical"\nisolation = "none"\n[placement]\nerror = 30\nsample = 5\n')
    out = arena(
        "league", "create", "mine", "--config", "my.toml", "--set", "placement.error=50", "--out", "here/there"
    ).out
    assert "in here/there" in out
    assert "--league here/there" in out
    found = values(arena("league", "show", "here/there", "--json").out)["settings"]
    assert (found["name"], found["rules"], found["error"], found["sample"]) == ("mine", "tactical", 50, 5)


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
