"""`--deals FILE`: a run plays the deals of a file, keeps them, and needs the file no more."""

from __future__ import annotations

from pathlib import Path

import pytest

import arena as public
from arena.game.deals import make_deal
from arena.game.record import cards_text
from arena.game.rules import load_rules
from tests.cli.conftest import Arena, content

pytestmark = pytest.mark.process
QUIET = ("--workers", 1, "-q")
BASE = load_rules("base")
DIES = "import os\n\ndef act(view, moves):\n    return moves[0] if view.turns < 9 else os._exit(1)\n"


def write(*lines: str) -> str:
    Path("deals.txt").write_text("\n".join(lines) + "\n")
    return "deals.txt"


def test_listed_deals_are_those_of_their_seed(arena: Arena) -> None:
    """Numbers or cards: the games are the same as those of a run with that seed."""
    file = write("# three deals", "1:0", "", f"{cards_text(make_deal(BASE, 1, 1))}  # in full", "1:2")
    arena("match", "greedy", "random", "--deals", file, "--seed", 1, "-o", "listed", *QUIET)
    arena("match", "greedy", "random", "--games", 6, "--seed", 1, "-o", "usual", *QUIET)
    listed, usual = (arena("export", run, "--records", "-").out.splitlines() for run in ("listed", "usual"))
    assert [line.split("; ", 1)[1] for line in listed] == [line.split("; ", 1)[1] for line in usual]
    assert [line.split(" ")[2] for line in listed[::2]] == [cards_text(make_deal(BASE, 1, n)) for n in range(3)]


def test_the_run_needs_no_file(arena: Arena) -> None:
    file = write("42:17", "42:17:0", "7:7")
    assert arena("match", "greedy", "random", "--deals", file, "--seed", 1, "--dry-run").out == "6 games of 2 bots.\n"
    arena("match", "greedy", "random", "--deals", file, "--seed", 1, "--games", 2, "-o", "run", *QUIET)
    Path(file).unlink()
    assert arena("run", "run", "--games", 6, *QUIET).out.startswith(
        "greedy-random: match, rules base, 6 games, listed deals"
    )
    assert arena("verify", "run").out == "6 games replayed, all with their stored results.\n"
    assert "need 4 deals, found 3 in the list; list more deals" in arena("run", "run", "--games", 7, code=2).err
    arena("export", "run", "--records", "r.txt")
    assert arena("verify", "r.txt").out == "6 games replayed, all with their stored results.\n"
    assert content(arena("rate", "r.txt", "--json").out)["games_played"] == 6
    for other in ((), ("--deals", write("1:1"))):
        refused = arena("match", "greedy", "random", "--seed", 1, "-o", "run", *other, code=2).err
        assert 'deals: "a list of 3 with the hash ' in refused


def test_games_that_are_cut_off_have_the_listed_deal(arena: Arena) -> None:
    Path("dies.py").write_text(DIES)
    arena("match", "dies.py", "first", "--deals", write("5:1", "5:2"), "-o", "run", *QUIET, code=1)
    assert set(public.load("run").games["forfeit"]) == {"crash"}
    assert arena("verify", "run").out == "4 games replayed, all with their stored results.\n"


def test_runs_on_different_lists_are_not_compared(arena: Arena) -> None:
    for rules, deal in (("base", "1:1"), ("expert", "1:2")):
        command = ("match", "first", "random", "--deals", write(deal), "--rules", rules, "--seed", 1, "-o", rules)
        arena(*command, *QUIET)
    assert "play different lists of deals" in arena("compare", "--from", "base", "expert", code=2).err
