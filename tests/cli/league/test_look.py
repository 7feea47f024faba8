"""The commands of `arena league` that only read."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
from pathlib import Path

import pytest

from tests.cli.conftest import Arena
from tests.cli.league.conftest import QUICK, values


def test_standings(played: Arena) -> None:
    out = played("league", "show", "open").out
    lines = out.splitlines()
    assert lines[0].startswith("open: rules base, bots not isolated, no clock; 3 bots, ")
    assert [line.split()[0] for line in lines[4:7]] == ["1", "2", "3"]
    assert "Change: Elo since event 3" in out
    found = values(played("league", "show", "open", "--json").out)
    columns = "rank bot version author elo elo_error95 new elo_change "
    columns += "rank_change games wins draws losses score forfeits hash"
    assert set(found["standings"][0]) == set(columns.split())
    assert [line["rank"] for line in found["standings"]] == [1, 2, 3]
    assert sum(line["elo"] for line in found["standings"]) == pytest.approx(0)
    # a bot that has come moves the mean; what the others moved is shown without that
    moved = [line["elo_change"] for line in found["standings"] if not line["new"]]
    assert sum(moved) == pytest.approx(0)
    assert "**open: rules base" in played("league", "show", "open", "--print", "markdown").out


def test_standings_as_they_were(played: Arena) -> None:
    now = values(played("league", "show", "open", "--json").out)["standings"]
    last = values(played("league", "show", "open", "--at", 4, "--json").out)
    assert [(line["bot"], line["elo"]) for line in last["standings"]] == [(one["bot"], one["elo"]) for one in now]
    before = values(played("league", "show", "open", "--at", 3, "--json").out)
    assert {line["bot"] for line in before["standings"]} == {"first", "last"}
    assert "No bot was in the table" in played("league", "show", "open", "--at", 1).out
    assert "events are numbered from 1 to 4" in played("league", "show", "open", "--at", 99, code=2).err


def test_history(played: Arena) -> None:
    played("league", "retire", "open", "last", "--reason", "too \x1b[2Jweak")
    found = values(played("league", "history", "open", "--json").out)["events"]
    assert [(line["kind"], line["bot"]) for line in found] == [
        ("created", None),
        ("accepted", "first"),
        ("accepted", "last"),
        ("accepted", "random"),
        ("retired", "last"),
    ]
    assert found[3]["elo"] is not None
    assert found[4]["elo_before"] is not None
    out = played("league", "history", "open").out
    assert "last v1 retired" in out
    assert "\x1b" not in out


def test_list_with_damaged_leagues(arena: Arena) -> None:
    arena("league", "create", "open", *QUICK)
    for name, content in {"empty": b"", "garbage": b"no database at all " * 100}.items():
        Path("leagues", name).mkdir()
        Path("leagues", name, "league.sqlite").write_bytes(content)
    shutil.copytree("leagues/open", "leagues/unset")
    with contextlib.closing(sqlite3.connect("leagues/unset/league.sqlite")) as db:
        db.execute("DELETE FROM meta WHERE key = 'settings'")
        db.commit()
    found = arena("league", "show")
    assert [line.split()[0] for line in found.out.splitlines()[2:]] == ["open"]
    assert {line.split(" cannot be read: ")[0] for line in found.err.splitlines()} == {"empty", "garbage", "unset"}
    told = values(arena("league", "show", "--json").out)
    assert [line["name"] for line in told["leagues"]] == ["open"]
    assert all(line["reason"] for line in told["unread"])
    shutil.rmtree("leagues/open")
    assert arena("league", "show").out == "No league in leagues/ can be read.\n"
