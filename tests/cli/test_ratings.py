"""`arena rate`: any list of games, also on standard input (`-`); what is wrong with a file is said."""

from __future__ import annotations

import gzip
import importlib.util
import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena.results.table import RATED_COLUMNS
from tests.cli.conftest import Arena, content

QUIET = ("--workers", 1)


def rated(found: str) -> dict[str, Any]:
    """Return the content, of the standings only what a list of games can say."""

    def never(text: str) -> None:
        raise AssertionError(f"{text} is no JSON")

    json.loads(found, parse_constant=never)
    values = content(found)
    known = ("variant", "rank", "bot", *RATED_COLUMNS)
    rows = [{name: row[name] for name in known if name in row} for row in values["standings"]]
    return values | {"standings": rows}


def test_rates_a_run_by_its_name(arena: Arena) -> None:
    arena("match", "greedy", "random", "--games", 20, "--seed", 3, "--out", "results/mine", *QUIET)
    by_name = rated(arena("rate", "mine", "--json").out)
    assert by_name == rated(arena("rate", "results/mine", "--json").out)
    assert by_name["standings"][0]["bot"] == "greedy"
    likely = rated(arena("rate", "mine", "--json", "--los").out)["los"]
    assert likely[0]["random"] + likely[1]["greedy"] == pytest.approx(1)
    arena("export", "mine", "--all")
    arena("export", "mine", "--records", "games.txt")
    files = ["results/mine/games.csv", "games.txt"]
    if importlib.util.find_spec("pyarrow"):
        arena("export", "mine", "--records", "games.parquet")
        files.append("games.parquet")
    for file in files:
        assert rated(arena("rate", file, "--json").out)["standings"] == by_name["standings"]


def test_a_comparison_is_rated_by_variant(arena: Arena) -> None:
    variants = ("base", "expert")
    arena(
        "compare", "first", "random", "--variants", ",".join(variants), "--games", 20, "--seed", 3, "-o", "cmp", *QUIET
    )
    found = rated(arena("rate", "cmp", "--json").out)["standings"]
    each = {name: rated(arena("rate", f"cmp/{name}", "--json").out)["standings"] for name in variants}
    assert found == [{"variant": name} | row for name, rows in each.items() for row in rows]


def test_a_prior_moves_the_ratings_of_two_bots(arena: Arena) -> None:
    arena("match", "counter", "greedy", "--games", 40, "--seed", 3, "--out", "two", *QUIET)
    gaps = []
    for prior in ((), ("--prior", 500)):
        shown = [
            {row["bot"]: row["elo"] for row in rated(arena(command, "two", *prior, "--json").out)["standings"]}
            for command in ("standings", "rate")
        ]
        assert shown[0] == pytest.approx(shown[1], abs=0.01)
        gaps.append(shown[0]["counter"])
    assert gaps[1] < gaps[0] / 5


def test_pairings_with_deals_of_their_own_share_no_evidence(arena: Arena) -> None:
    """The table is the one of the standings, whatever form the games come in."""
    arena("tournament", "greedy", "random", "first", "--games", 20, "--seed", 3, "--out", "r", *QUIET)
    arena("export", "r", "--all")
    arena("export", "r", "--pgn", "games.pgn")
    standings = rated(arena("standings", "r", "--json").out)["standings"]
    wanted = {row["bot"]: pytest.approx(row["elo_error95"], abs=0.1) for row in standings}
    for source in ("r", "r/games.csv", "games.pgn"):
        values = rated(arena("rate", source, "--json").out)
        assert {row["bot"]: row["elo_error95"] for row in values["standings"]} == wanted, source
        assert "30 deals" in arena("rate", source).out


# ---------------------------------------------------------------- standard input


Given = Callable[[str | bytes], None]


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> Given:
    """Return a function that gives the next command its standard input."""

    def give(data: str | bytes) -> None:
        raw = data.encode() if isinstance(data, str) else data
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))

    return give


def test_records_are_read(arena: Arena, given: Given, played: Path) -> None:
    records = arena("export", played, "--records", "-").out
    wanted = rated(arena("rate", played, "--json").out)["standings"]
    for data in (records, gzip.compress(records.encode()), arena("export", played, "--pgn", "-").out):
        given(data)
        assert rated(arena("rate", "-", "--json").out)["standings"] == wanted
    given(records)
    assert arena("replay", "-", 3, "--record").out == arena("replay", played, 3, "--record").out
    given(records.splitlines()[0])
    assert arena("replay", "-", "--json").out == arena("replay", records.splitlines()[0], "--json").out
