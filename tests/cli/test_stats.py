"""`arena standings --all`: the figures of a run against those counted by hand from its games."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path
from typing import Any

import pytest

from arena.cli.main import main
from arena.results.run_stats import STATISTICS
from arena.tournament.store.reader import Reader
from tests.cli.conftest import Arena, json_of

pytestmark = pytest.mark.process

TITLES = {statistic.name: statistic.title for statistic in STATISTICS}
FIELD = ("tournament", "greedy", "random", "--games", 20, "--seed", 3, "--workers", 1)
BAD = """
def act(view, moves):
    view.note(value=0.5)
    if view.rng.random() < 0.02:
        raise ValueError("no")
    return moves[0]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A field with a bot that fails, played once."""
    place = tmp_path_factory.mktemp("stats")
    (place / "bad.py").write_text(BAD)
    assert main([str(one) for one in (*FIELD, place / "bad.py", "--out", place / "run")]) == 0
    return place / "run"


@pytest.fixture
def run(arena: Arena, folder: Path) -> Path:
    """A copy in the working directory."""
    return Path(shutil.copytree(folder, "run"))


@pytest.fixture(scope="module")
def values(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json_of("standings", folder, "--all", "--json", "--error", 20)
    return found


def test_every_table_is_a_file_of_csv(arena: Arena, run: Path, values: dict[str, Any]) -> None:
    written = arena("standings", run, "--all", "--csv", "tables").err.splitlines()
    assert {Path(path).stem for path in written} == set(TITLES) <= set(values)
    for name in TITLES:
        text = Path(f"tables/{name}.csv").read_text()
        rows = list(csv.DictReader(text.splitlines()))
        assert (len(rows), set(rows[0])) == (len(values[name]), set(values[name][0]))
        assert "nan" not in text.lower()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--error", "0"), "'--error': expected a number, more than 0 and at most 10000, found 0"),
        (("--where", "turns > 9999"), "greedy-random-bad has no game where turns > 9999"),
        (("--without", "randm"), "no bot 'randm' in these games; did you mean 'random'? (bots: greedy, random, bad)"),
        (("--only", "bad"), "--without and --only leave 1 bot, expected two or more"),
        (("--only", "bad,greedy", "--adjusted"), "drop --without, --only and --where"),
    ],
)
def test_mistakes_are_said(arena: Arena, folder: Path, options: tuple[str, ...], message: str) -> None:
    assert message in arena("standings", folder, *options, "--all", code=2).err


def test_a_selection_is_rated_and_named(arena: Arena, run: Path, values: dict[str, Any]) -> None:
    with Reader(run) as reader:
        games = list(reader.results())
    kept = [game for game in games if game.turns > 40 and game.first == "greedy"]
    found = json_of("standings", run, "--where", "turns > 40 and first == 'greedy' and rules.hand_size == 6", "--json")
    assert (found["games_played"], found["selection"][:10]) == (len(kept), "turns > 40")
    assert found["first_player"]["score"] == round(sum(game.score for game in kept) / len(kept), 4)
    said = json_of("standings", run, "--where", "first == 'bad'", "--all", "--json")["notes"]
    moved = sum(game.decisions[0] - (game.forfeit_by == "bad") for game in games if game.first == "bad")
    assert said[0]["moves"] == moved
    assert "a selection made after the fact" in arena("standings", run, "--where", "turns > 40").out


def test_bots_are_left_out(arena: Arena, folder: Path) -> None:
    for options in (("--without", "bad"), ("--only", "random", "--only", "greedy")):
        found = json_of("standings", folder, *options, "--where", "first == 'greedy'", "--json")
        assert (found["games_played"], found["selection"]) == (10, "greedy and random meet, and first == 'greedy'")
    rated = json_of("rate", folder, *options, "--json")["ratings"]
    assert [(row["bot"], row["games"]) for row in rated] == [("greedy", 20), ("random", 20)]
    page = arena("report", folder, *options, "--replays", 0, "--out", "-").out
    assert "greedy" in page
    assert ">bad<" not in page


METRICS = """
bots = ["greedy", "says.py"]
games = 20
seed = 5
[metrics]
length = "mean turns"
late = "share turns > 40"
value = "mean note.value"
slow = "mean ms"
"""
SAYS = """
def act(view, moves):
    view.note(value=0.25)
    return moves[0]
"""


def test_metrics_are_columns_of_the_standings(arena: Arena, tmp_path: Path) -> None:
    Path("says.py").write_text(SAYS)
    Path("cup.toml").write_text(METRICS)
    arena("run", "cup.toml", "--workers", 1, "--out", "one")
    rows = {
        row["bot"]: row for row in json_of("standings", "one", "--metric", "wide=mean turns", "--json")["standings"]
    }
    for row in rows.values():
        assert row["metric_length"] == row["metric_wide"] == pytest.approx(row["mean_turns"], abs=1e-3)
        assert "metric_slow" not in row  # a clock measured it
    assert (rows["says"]["metric_value"], rows["greedy"]["metric_value"]) == (0.25, None)
    assert {"length", "late", "slow", "±"} <= set(arena("standings", "one", "--wide").out.split())
    assert "slow" not in arena("standings", "one", "--wide", "--print", "markdown").out
    assert "bot,says,metric_slow," in Path("one", "timing.csv").read_text()
    found = json_of("standings", "one", "--where", "turns > 40", "--json")["standings"]
    assert {row["metric_late"] for row in found} == {1}
    assert {row["metric_value"] for row in found} == {0.25, None}
    assert "--metric a: unknown fact 'turn'" in arena("standings", "one", "--metric", "a=mean turn", code=2).err
