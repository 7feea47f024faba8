"""`arena rate`: any list of games; what is wrong with a file is said."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Arena

QUIET = ("--workers", 1)


def write(name: str, *lines: str) -> str:
    Path(name).write_text("\n".join(lines) + "\n")
    return name


def rated(found: str) -> dict[str, Any]:
    def never(text: str) -> None:
        raise AssertionError(f"{text} is no JSON")

    values: dict[str, Any] = json.loads(found, parse_constant=never)
    return values


def test_shape(arena: Arena) -> None:
    lines = ("ann,bob,1", "bob,ann,0", "bob,cid,1", "cid,bob,0", "ann,cid,1", "cid,ann,0", "bob,ann,1", "cid,bob,1")
    file = write("games.csv", "first,second,score", *20 * lines)
    values = rated(arena("rate", file, "--json", "--los").out)
    columns = "ratings first_advantage first_advantage_error95 prior anchors "
    columns += "bots games groups notes los"
    assert set(values) == set(columns.split())
    assert {"bot", "elo", "elo_error95", "games", "score"} <= set(values["ratings"][0])
    assert values["prior"] == 2
    assert any("prior" in note for note in values["notes"])
    likely = values["los"]
    assert likely["ann"]["cid"] > 0.99
    assert likely["ann"]["bob"] + likely["bob"]["ann"] == pytest.approx(1)


def test_rates_a_run_by_its_name(arena: Arena) -> None:
    arena("match", "greedy", "random", "--games", 20, "--seed", 3, "--out", "results/mine", *QUIET)
    by_name = rated(arena("rate", "mine", "--json").out)
    assert by_name == rated(arena("rate", "results/mine", "--json").out)
    assert by_name["ratings"][0]["bot"] == "greedy"
    arena("export", "mine", "--all")
    arena("export", "mine", "--records", "games.txt")
    files = ["results/mine/games.csv", "games.txt"]
    if importlib.util.find_spec("pyarrow"):
        arena("export", "mine", "--records", "games.parquet")
        files.append("games.parquet")
    for file in files:
        assert rated(arena("rate", file, "--json").out)["ratings"] == by_name["ratings"]


def test_pairings_with_deals_of_their_own_share_no_evidence(arena: Arena) -> None:
    """The table is the one of the standings, whatever form the games come in."""
    arena("tournament", "greedy", "random", "first", "--games", 20, "--seed", 3, "--out", "r", *QUIET)
    arena("export", "r", "--all")
    arena("export", "r", "--pgn", "games.pgn")
    standings = rated(arena("standings", "r", "--json").out)["standings"]
    wanted = {row["bot"]: pytest.approx(row["elo_error95"], abs=0.1) for row in standings}
    for source in ("r", "r/games.csv", "games.pgn"):
        values = rated(arena("rate", source, "--json").out)
        assert {row["bot"]: row["elo_error95"] for row in values["ratings"]} == wanted, source
        assert "30 deals" in arena("rate", source).out


def test_what_is_no_list_of_games_is_said(arena: Arena) -> None:
    err = arena("rate", "nothing.csv", code=2).err
    assert "no run named 'nothing.csv'" in err
    assert "To rate a list of games" in err
    Path("games.zip").write_bytes(b"PK\x03\x04\x8d\0\xff")
    said = arena("rate", "games.zip", code=2).err
    assert "games.zip is no text; expected CSV with a header line first,second,score[,deal]" in said


GOOD = ("first,second,score", "a,b,1", "b,a,1", "a,b,0", "b,a,0")


@pytest.mark.parametrize(
    ("lines", "options", "message"),
    [
        ((*GOOD, ",b,1"), (), "line 6: no name in column 'first'"),
        (GOOD, ("--anchor", "a=nan"), "--anchor a=nan: expected BOT=ELO"),
        (GOOD, ("--anchor", "a=1", "--anchor", "a=2"), "'a' is anchored twice"),
    ],
)
def test_mistakes_are_said(arena: Arena, lines: tuple[str, ...], options: tuple[str, ...], message: str) -> None:
    Path("games.csv").write_text("".join(f"{line}\n" for line in lines))
    found = arena("rate", "games.csv", *options, code=2)
    assert message in found.err
    assert "Traceback" not in found.err
    assert found.out == ""
