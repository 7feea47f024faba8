"""`arena ladder`: the ladder is played once, kept and shown; a bot is placed on it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Arena, json_of

pytestmark = [pytest.mark.process, pytest.mark.slow]
LADDER = 'bots = ["random", "first", "greedy"]\ngames = 4\nseed = 5\n'
QUIET = ("--workers", 1)


def test_the_ladder_is_played_once(arena: Arena) -> None:
    Path("mine.toml").write_text(LADDER)
    call = ("ladder", "--config", "mine.toml", "--rules", "base", *QUIET)
    first = arena(*call)
    assert first.err.count("base, match") == 3
    assert [line.split()[1] for line in first.out.splitlines()[4:7]] == ["greedy", "first", "random"]
    again = json_of(*call, "--show", "--json")
    assert again["seed"] == 5
    table = again["rules"]["base"]
    assert [row["bot"] for row in table] == ["greedy", "first", "random"]
    assert [row["games"] for row in table] == [8, 8, 8]
    assert (table[0]["below"], table[0]["below_score"]) == ("first", 1.0)
    assert table[2]["below"] == ""
    assert all(row["ms"] > 0 for row in table)
    assert json_of(*call, "--games", 6, "--json")["rules"]["base"][0]["games"] == 12
    Path("apart.toml").write_text(LADDER.replace('"greedy"', '"greedy", "odds", "net"'))
    there = ("--rules", "base", "--out", "results/mine", "--show")
    arena("match", "net", "odds", "--games", 4, "--seed", 5, *QUIET, "--out", "results/mine/base/net-odds")
    assert "the field falls into 2 groups" in " ".join(arena("ladder", "--config", "apart.toml", *there).out.split())
    assert Path("results/mine/base/greedy-first/standings.csv").is_file()
    assert "no match of this ladder" in arena(*call, "--show", "--out", "elsewhere", code=2).err


def test_a_bot_is_placed(arena: Arena) -> None:
    Path("mine.toml").write_text(LADDER)
    call = ("ladder", "counter", "--config", "mine.toml", *QUIET, "--games", 4)
    found = json_of(*call, "--json")["standings"]
    assert [one["rules"] for one in found] == ["base"]
    assert [(rung["bot"], rung["games"]) for rung in found[0]["met"]] == [("greedy", 4), ("first", 4)]
    assert "games (" not in arena(*call).err, "they were played before"
    assert "--show" in arena("ladder", "counter", "--show", code=2).err
    assert "for a BOT" in arena("ladder", "--isolation", "none", code=2).err
