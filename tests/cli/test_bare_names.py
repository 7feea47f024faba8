"""A bare name of a bot that a file here has, too: every command that takes a bot says which of them it took."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from arena.cli.commands import cli
from arena.cli.league import league
from arena.cli.options import complete_bots
from arena.paths import data_folder
from tests.cli.conftest import Arena

pytestmark = pytest.mark.process

BROKEN = "def act(view, moves: 1/0"
OWN = "bots/greedy.py"
FEW = "--games 2 --workers 1"
LINES = {
    "run": f"cup.toml {FEW}",
    "match": f"greedy random {FEW}",
    "tournament": f"random x=greedy {FEW}",
    "sprt": "greedy random --max-pairs 1 --workers 1",
    "compare": f"greedy random --variants base,tactical {FEW}",
    "check": "greedy --isolation process --rules base --games 2",
    "play": "greedy --plain",
    "ladder": f"random {FEW}",
    "debug": "greedy {run} 1 --as first",
    "tune": f"search --param rollouts:1..2 --against greedy --trials 1 --confirm 2 {FEW}",
    "submit": "greedy --author Ada",
}
"""A command line for each command that takes a bot, by name or in a file."""


def test_each_command_that_takes_a_bot_is_tested() -> None:
    taking = {
        name
        for name, command in {**cli.commands, **league.commands}.items()
        if any(complete_bots is param._custom_shell_complete for param in command.params)
    }
    assert {"match", "check", "submit"} <= taking <= set(LINES)


@pytest.fixture
def own_greedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bots").mkdir()
    (tmp_path / OWN).write_text(BROKEN)
    (tmp_path / "configs").mkdir()
    for file in ("cup.toml", "configs/ladder.toml"):
        (tmp_path / file).write_text('bots = ["greedy", "first"]\nseed = 1\n')
    monkeypatch.setattr(sys, "stdin", io.StringIO())


@pytest.mark.usefixtures("own_greedy")
@pytest.mark.parametrize("name", [one for one in LINES if one != "submit"])
def test_the_bot_that_was_taken_is_said(arena: Arena, name: str, played: Path) -> None:
    if name == "tune":
        pytest.importorskip("optuna")
    options = {option for parameter in {**cli.commands, **league.commands}[name].params for option in parameter.opts}
    as_json = "--json" in options
    given = ["--quiet"] * ("--quiet" in options) + ["--json"] * as_json
    found = arena(name, *LINES[name].format(run=played).split(), *given, code=None)
    assert found.code in (0, 3, 4), found.err
    assert found.err.count(OWN) == 1
    if as_json:
        assert [OWN in note for note in json.loads(found.out)["notes"]].count(True) == 1
    else:
        assert OWN not in found.out


@pytest.mark.usefixtures("own_greedy")
def test_a_submission_says_which_of_two_files(arena: Arena) -> None:
    arena("league", "create", "open", "--set", "isolation=none")
    for spec in ("greedy", "mine=greedy:depth=2"):
        refused = arena("submit", spec, "--author", "Ada", code=2).err
        assert OWN in refused
        assert str(data_folder("bots") / "greedy.py") in refused
    assert "Python" in arena("submit", OWN, "--author", "Ada", code=2).err
    assert "greedy" not in arena("standings", "leagues/open").out


@pytest.mark.usefixtures("own_greedy")
def test_names_that_the_user_did_not_write_are_not_said(arena: Arena) -> None:
    """The advice after a match compares its bots with the ladder's."""
    assert OWN not in arena("match", "random", "mine=first", *FEW.split(), "--quiet").err
