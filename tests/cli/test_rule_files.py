"""What was begun with a file of rules goes by these rules, whatever becomes of the file."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.game.rules import load_rules
from tests.cli.conftest import Arena, json_of
from tests.cli.league.conftest import QUICK, no_check  # noqa: F401
from tests.league.leagues import FIRST, LAST, written

pytestmark = pytest.mark.process
QUIET = ("--workers", 1)
TWO = "iello-base:hand_size=2"


def write_rules(hand_size: int) -> None:
    load_rules.cache_clear()  # a command has a process of its own
    Path("w.toml").write_text(f'base = "base"\nhand_size = {hand_size}\n')


def remove_rules() -> None:
    load_rules.cache_clear()
    Path("w.toml").unlink()


def test_a_run_keeps_the_rules_that_it_began_with(arena: Arena) -> None:
    match = ("match", "random", "greedy", "--rules", "w.toml", "--seed", 1, "--out", "run", *QUIET)
    write_rules(2)
    assert "rules base:hand_size=2, 4 games" in arena(*match, "--games", 4).out
    write_rules(3)
    assert f'rules: "{TWO}" there, "iello-base:hand_size=3" asked for' in arena(*match, "--games", 8, code=2).err
    remove_rules()
    arena("resume", "run", "--games", 8, *QUIET)
    assert "8 games replayed, all" in arena("verify", "run").out
    chosen = json_of("standings", "run", "--where", f"rules == {TWO!r} and rules.hand_size == 2", "--json")
    assert [bot["games"] for bot in chosen["standings"]] == [8, 8]
    arena("replay", "run", 1)
    assert "base:hand_size=2" in arena("report", "run", "--out", "-").out


@pytest.mark.usefixtures("no_check")
def test_a_league_keeps_the_rules_that_it_began_with(arena: Arena) -> None:
    write_rules(2)
    assert f"rules {TWO}" in arena("league", "create", "open", "--rules", "w.toml", *QUICK).out
    remove_rules()
    written(Path("bots"), first=FIRST, last=LAST)
    for bot in ("first", "last"):
        arena("submit", f"bots/{bot}.py", "--league", "open", *QUIET)
    assert f"rules {TWO}" in arena("league", "show", "open").out
    assert "16 replayed" in arena("verify", "leagues/open").out
