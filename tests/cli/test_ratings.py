"""`arena ratings`: any list of games, held against the reference values; what is wrong with a file is said."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path
from typing import Any

import pytest

from arena.stats.pairs import elo_of_score
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


@pytest.mark.parametrize(
    ("options", "fit"),
    [((), "with_first_advantage"), (("--no-first-advantage",), "no_first_advantage")],
)
def test_agrees_with_the_reference(arena: Arena, eight: str, options: tuple[str, ...], fit: str) -> None:
    values = rated(arena("rate", eight, "--prior", 0, "--json", *options).out)
    expected = EIGHT["bradley_terry_mle"][fit]
    assert {row["bot"] for row in values["ratings"]} == set(expected["ratings"])
    for row in values["ratings"]:
        assert row["elo"] == pytest.approx(expected["ratings"][row["bot"]], abs=0.001)
        assert row["games"] == 1260
        assert row["score"] == pytest.approx((row["wins"] + row["draws"] / 2) / 1260)
    assert values["first_advantage"] == pytest.approx(expected["first_advantage"], abs=0.001)
    assert (values["prior"], values["anchors"], values["games"]) == (0, {}, 5040)
    if not options:
        for row in values["ratings"]:
            simulated = EIGHT["ordo_simulated_error95"][row["bot"]]["error95"]
            assert row["elo_error95"] == pytest.approx(simulated, rel=0.05)
        assert values["first_advantage_error95"] > 5


def test_shape(arena: Arena, eight: str) -> None:
    values = rated(arena("rate", eight, "--json", "--los", "--nash").out)
    assert set(values) == {
        "ratings",
        "first_advantage",
        "first_advantage_error95",
        "prior",
        "anchors",
        "bots",
        "games",
        "groups",
        "notes",
        "los",
        "nash_prior",
    }
    assert {"bot", "elo", "elo_error95", "games", "score", "nash_weight", "nash_elo"} <= set(values["ratings"][0])
    assert values["prior"] == 2
    assert any("prior" in note for note in values["notes"])
    assert sum(row["nash_weight"] for row in values["ratings"]) == pytest.approx(1)
    likely = values["los"]
    assert likely["Alpha"]["Hotel"] > 0.99
    assert likely["Alpha"]["Bravo"] + likely["Bravo"]["Alpha"] == pytest.approx(1)


def test_anchors(arena: Arena, eight: str) -> None:
    free = rated(arena("rate", eight, "--prior", 0, "--json").out)
    held = rated(arena("rate", eight, "--prior", 0, "--anchor", "Delta=1500", "--json").out)
    elo = {row["bot"]: row["elo"] for row in free["ratings"]}
    for row in held["ratings"]:
        assert row["elo"] == pytest.approx(elo[row["bot"]] - elo["Delta"] + 1500, abs=1e-6)
    assert held["anchors"] == {"Delta": 1500}
    assert next(row for row in held["ratings"] if row["bot"] == "Delta")["elo_error95"] == 0


@pytest.mark.parametrize("form", ["table", "markdown", "csv", "json", "html"])
def test_every_format_names_every_bot_and_no_nan(arena: Arena, eight: str, form: str) -> None:
    out = arena("rate", eight, "--format", form, "--los").out
    for bot in EIGHT["ordo_simulated_error95"]:
        assert bot in out
    assert "nan" not in out.lower()


def test_csv_is_read_back(arena: Arena, eight: str) -> None:
    rows = list(csv.DictReader(arena("rate", eight, "--format", "csv").out.splitlines()))
    assert [row["rank"] for row in rows] == [str(place) for place in range(1, 9)]
    assert float(rows[0]["elo"]) > float(rows[-1]["elo"])


def test_a_perfect_score_without_a_prior_is_a_bound_and_no_number(arena: Arena) -> None:
    lines = ["a,b,1", "b,a,0", "b,c,1", "c,b,1", "b,c,0", "c,b,0"] * 5
    write("perfect.csv", "first,second,score", *lines)
    values = rated(arena("rate", "perfect.csv", "--prior", 0, "--json").out)
    best = values["ratings"][0]
    assert (best["bot"], best["elo"], best["elo_error95"], best["flag"]) == ("a", None, None, ">")
    assert math.isfinite(best["elo_bound"])
    shown = arena("rate", "perfect.csv", "--prior", 0).out
    assert f"> {best['elo_bound']:+.0f}" in shown
    assert rated(arena("rate", "perfect.csv", "--json").out)["ratings"][0]["elo"] is not None


def test_groups_without_a_game_between_them_are_said(arena: Arena) -> None:
    games = ["a,b,1", "b,a,1", "a,b,0", "c,d,1", "d,c,1", "c,d,0"] * 4
    write("two.csv", "first,second,score", *games)
    values = rated(arena("rate", "two.csv", "--json", "--los").out)
    assert sorted(map(sorted, values["groups"])) == [["a", "b"], ["c", "d"]]
    assert any("2 groups" in note for note in values["notes"])
    assert values["los"]["a"]["c"] is None
    shown = arena("rate", "two.csv").out
    assert "group" in shown
    assert "2 groups" in shown


def test_deals_make_errors_of_shared_cards(arena: Arena) -> None:
    # every deal is won twice by whoever moves first: pairs are always split
    lines = [f"{a},{b},1,{deal}" for deal in range(50) for a, b in (("a", "b"), ("b", "a"))]
    write("shared.csv", "first,second,score,deal", *lines)
    write("apart.csv", "first,second,score", *[line.rsplit(",", 1)[0] for line in lines])
    shared, apart = (
        rated(arena("rate", f"{name}.csv", "--no-first-advantage", "--json").out)["ratings"][0]["elo_error95"]
        for name in ("shared", "apart")
    )
    assert shared < apart / 2


@pytest.mark.process
def test_a_league_has_commands_of_its_own(arena: Arena) -> None:
    arena("league", "create", "open", "--out", "open", "--isolation", "none")
    assert "open is a league; for its ratings: arena standings open" in arena("rate", "open", code=2).err


def test_rates_a_run_by_its_name(arena: Arena) -> None:
    arena("match", "greedy", "random", "--games", 20, "--seed", 3, "--out", "results/mine", *QUIET)
    by_name = rated(arena("rate", "mine", "--json").out)
    assert by_name == rated(arena("rate", "results/mine", "--json").out)
    assert by_name["ratings"][0]["bot"] == "greedy"
    arena("export", "mine", "--all")
    assert rated(arena("rate", "results/mine/games.csv", "--json").out)["ratings"] == by_name["ratings"]


GOOD = ("first,second,score", "a,b,1", "b,a,1", "a,b,0", "b,a,0")


@pytest.mark.parametrize(
    ("lines", "options", "message"),
    [
        ((), (), "empty; expected a header line first,second,score[,deal]"),
        (("first,second,score",), (), "no games"),
        (("first,second,points", "a,b,1"), (), "no column 'score'"),
        ((*GOOD, "a,b,nan"), (), "line 6: score is missing (NaN)"),
        ((*GOOD, "a,b,2"), (), "line 6: score is 2"),
        ((*GOOD, "a,b,-1"), (), "line 6: score is -1"),
        ((*GOOD, "a,b,won"), (), "line 6: score is 'won', which is not a number"),
        (("first,second,score", "a,a,1"), (), "only one bot ('a')"),
        ((*GOOD, "a,a,1"), (), "line 6: 'a' plays itself"),
        ((*GOOD, ",b,1"), (), "line 6: no name in column 'first'"),
        (GOOD, ("--anchor", "c=100"), "no bot 'c'"),
        (GOOD, ("--anchor", "a"), "--anchor a: expected BOT=ELO"),
        (GOOD, ("--anchor", "a=nan"), "--anchor a=nan: expected BOT=ELO"),
        (GOOD, ("--anchor", "a=1", "--anchor", "a=2"), "'a' is anchored twice"),
        (GOOD, ("--prior", "-1"), "'--prior': expected a number from 0 to 1000000, found -1"),
        (GOOD, ("--prior", "nan"), "found nan"),
        (GOOD, ("--json", "--format", "csv"), "choose one"),
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
    assert source in err
    assert "no such file" in err or "To rate a list of games" in err


def test_two_bots_are_rated_as_in_the_standings(arena: Arena) -> None:
    """From their pairs; with a prior of one's own by the model of a field."""
    rows = [f"{deal},{first},{second},{int(first == 'a')}" for deal in range(3) for first, second in ("ab", "ba")]
    Path("g.csv").write_text("\n".join(["deal,first,second,score", *rows]) + "\n")
    values = json.loads(arena("rate", "g.csv", "--json", "--los").out)
    best = values["ratings"][0]
    assert (best["bot"], best["elo"], best["elo_error95"], best["flag"]) == ("a", None, None, ">")
    assert best["elo_bound"] == pytest.approx(elo_of_score(0.05 ** (1 / 3)) / 2)
    assert 0.9 < values["los"]["a"]["b"] < 1
    modelled = json.loads(arena("rate", "g.csv", "--json", "--prior", 2).out)
    assert modelled["ratings"][0]["elo"] > 0
    assert any("one way" in note for note in modelled["notes"])
