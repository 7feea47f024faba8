"""`arena rate`: any list of games, held against the reference values; what is wrong with a file is said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Arena

REFERENCE = json.loads((Path(__file__).parents[1] / "data" / "statistics.json").read_text())
EIGHT = REFERENCE["ratings_8_players_no_draws"]
QUIET = ("--workers", 1)


def write(name: str, *lines: str) -> str:
    Path(name).write_text("\n".join(lines) + "\n")
    return name


@pytest.fixture
def eight(arena: Arena) -> str:
    """The 5,040 games of the reference, written into the working directory."""
    rows = ["first,second,score"]
    for pairing, counts in EIGHT["counts"].items():
        first, second = pairing.split(" vs ")
        for count, score in zip(counts, ("1", "0.5", "0")):
            rows += [f"{first},{second},{score}"] * count
    return write("eight.csv", *rows)


def rated(found: str) -> dict[str, Any]:
    def never(text: str) -> None:
        raise AssertionError(f"{text} is no JSON")

    values: dict[str, Any] = json.loads(found, parse_constant=never)
    return values


def test_agrees_with_the_reference(arena: Arena, eight: str) -> None:
    values = rated(arena("rate", eight, "--prior", 0, "--json").out)
    expected = EIGHT["bradley_terry_mle"]["with_first_advantage"]
    assert {row["bot"] for row in values["ratings"]} == set(expected["ratings"])
    for row in values["ratings"]:
        assert row["elo"] == pytest.approx(expected["ratings"][row["bot"]], abs=0.001)
        assert row["games"] == 1260
        assert row["score"] == pytest.approx((row["wins"] + row["draws"] / 2) / 1260)
    assert values["first_advantage"] == pytest.approx(expected["first_advantage"], abs=0.001)
    assert (values["prior"], values["anchors"], values["games"]) == (0, {}, 5040)


def test_shape(arena: Arena, eight: str) -> None:
    values = rated(arena("rate", eight, "--json", "--los", "--nash").out)
    columns = "ratings first_advantage first_advantage_error95 prior anchors "
    columns += "bots games groups notes los nash_prior"
    assert set(values) == set(columns.split())
    assert {"bot", "elo", "elo_error95", "games", "score", "nash_weight", "nash_elo"} <= set(values["ratings"][0])
    assert values["prior"] == 2
    assert any("prior" in note for note in values["notes"])
    assert sum(row["nash_weight"] for row in values["ratings"]) == pytest.approx(1)
    likely = values["los"]
    assert likely["Alpha"]["Hotel"] > 0.99
    assert likely["Alpha"]["Bravo"] + likely["Bravo"]["Alpha"] == pytest.approx(1)


def test_rates_a_run_by_its_name(arena: Arena) -> None:
    arena("match", "greedy", "random", "--games", 20, "--seed", 3, "--out", "results/mine", *QUIET)
    by_name = rated(arena("rate", "mine", "--json").out)
    assert by_name == rated(arena("rate", "results/mine", "--json").out)
    assert by_name["ratings"][0]["bot"] == "greedy"
    arena("export", "mine", "--all")
    arena("export", "mine", "--records", "games.parquet")
    arena("export", "mine", "--records", "games.txt")
    for file in ("results/mine/games.csv", "games.parquet", "games.txt"):
        assert rated(arena("rate", file, "--json").out)["ratings"] == by_name["ratings"]


GOOD = ("first,second,score", "a,b,1", "b,a,1", "a,b,0", "b,a,0")


@pytest.mark.parametrize(
    ("lines", "options", "message"),
    [
        ((*GOOD, ",b,1"), (), "line 6: no name in column 'first'"),
        (GOOD, ("--anchor", "c=100"), "no bot 'c'"),
        (GOOD, ("--anchor", "a"), "--anchor a: expected BOT=ELO"),
        (GOOD, ("--anchor", "a=nan"), "--anchor a=nan: expected BOT=ELO"),
        (GOOD, ("--anchor", "a=1", "--anchor", "a=2"), "'a' is anchored twice"),
        (GOOD, ("--prior", "-1"), "'--prior': expected a number from 0 to 1000000, found -1"),
        (GOOD, ("--prior", "nan"), "found nan"),
    ],
)
def test_mistakes_are_said(arena: Arena, lines: tuple[str, ...], options: tuple[str, ...], message: str) -> None:
    Path("games.csv").write_text("".join(f"{line}\n" for line in lines))
    found = arena("rate", "games.csv", *options, code=2)
    assert message in found.err
    assert "Traceback" not in found.err
    assert found.out == ""


@pytest.mark.parametrize("source", ["nothing.csv", "nothing"])
def test_what_is_not_there_is_said(arena: Arena, source: str) -> None:
    err = arena("rate", source, code=2).err
    assert f"no run named '{source}'" in err
    assert "To rate a list of games" in err


def test_what_is_no_parquet_is_said_in_a_sentence(arena: Arena) -> None:
    Path("games.parquet").write_bytes(b"PAR1 and then nothing")
    assert "cannot read games.parquet: " in arena("rate", "games.parquet", code=2).err
