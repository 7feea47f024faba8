"""Comparisons and leagues are read as runs are: by every command that looks, and by `arena.load`."""

from __future__ import annotations

import csv
import json
import math
import shutil
from pathlib import Path
from typing import Any

import pytest

import arena as public
from arena.errors import ArenaError
from arena.game.record import parse_record
from arena.lab.notebook import Comparison, Run
from arena.league.rating import league_standings
from arena.league.store import open_league
from arena.results.table import rating_text
from arena.stats.field import scores
from arena.web.public import open_site, public_page
from tests.cli.conftest import Arena, arena, content, json_of
from tests.cli.league.conftest import played, three

__all__ = ["arena", "played", "three"]  # fixtures
pytestmark = pytest.mark.process
FILES = {"standings.csv", "crosstable.csv", "summary.json", "timing.csv"}


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A comparison of two bots in tactical and base, eight games each."""
    folder = tmp_path_factory.mktemp("compared") / "cmp"
    command = ("compare", "random", "first", "--variants", "tactical,base", "--games", 8, "--seed", 3, "--workers", 1)
    json_of(*command, "--out", folder, "--json")
    return folder


@pytest.fixture
def here(arena: Arena, compared: Path) -> Arena:
    shutil.copytree(compared, "results/cmp")
    return arena


# ---------------------------------------------------------------- a comparison


def test_standings_and_stats_of_each_variant(here: Arena) -> None:
    values = content(here("standings", "cmp", "--json").out)
    assert list(values["variants"]) == ["tactical", "base"]
    for name, about in values["variants"].items():
        alone = json.loads(here("standings", f"results/cmp/{name}", "--json").out)
        assert about == alone["about"]
        for table, rows in alone["tables"].items():
            assert [row for row in values[table] if row["variant"] == name] == [{"variant": name} | row for row in rows]
    for form in ("table", "csv"):
        out = here("standings", "cmp", "--print", form).out
        assert out.index("tactical") < out.index("base")
    stats = content(here("standings", "cmp", "--all", "--json", "--csv", "tables").out)["variants"]
    assert [part["games_played"] for part in stats.values()] == [8, 8]
    assert Path("tables/ratings.csv").read_text().startswith("variant,rank,bot,")


def test_games_of_a_comparison(here: Arena) -> None:
    listed = here("replay", "cmp", "--limit", 1).out
    assert "results/cmp/tactical holds 8 games" in listed
    assert "results/cmp/base holds 8 games" in listed
    record = here("replay", "cmp", "base/random/first/2", "--record").out.strip()
    assert record == here("replay", "results/cmp/base", "random/first/2", "--record").out.strip()
    assert here("replay", "cmp", "base/3", "--record").out == here("replay", "results/cmp/base", "3", "--record").out
    assert "name the variant as well, such as tactical/1 " in here("replay", "cmp", "random/first/2", code=2).err
    assert "has no game 9" in here("replay", "cmp", "base/9", code=2).err
    records = here("replay", "cmp", "--bot", "first", "--record").out.splitlines()
    assert [parse_record(one).rules.tactics for one in records] == [True] * 8 + [False] * 8


def test_verify_and_export_of_a_comparison(here: Arena) -> None:
    assert here("verify", "cmp").out.count("8 games replayed, all with their stored results.") == 2
    here("export", "cmp", "--out", "copy", "--all")
    for name in ("tactical", "base"):
        assert {path.name for path in Path("copy", name).iterdir()} == {*FILES, "games.csv"}
    here("export", "cmp", "--records", "all.txt", "--moves", "all.csv")
    assert "16 games replayed" in here("verify", "all.txt").out


def test_a_comparison_in_a_notebook(here: Arena) -> None:
    found = public.load("cmp")
    assert isinstance(found, Comparison)
    assert list(found) == ["tactical", "base"]
    assert len(found["base"].games) == 8
    assert set(scores(found.games, by=["variant"])["variant"]) == {"base", "tactical"}
    assert len(found.tables()["by_opponent"]) == 2
    assert set(found.tables(baseline="base")["length_differences"]["against"]) == {"base"}
    assert repr(found) == "<Comparison cmp: tactical, base>"


def test_a_comparison_with_a_variant_that_has_not_begun(here: Arena) -> None:
    shutil.rmtree("results/cmp/base")
    assert list(content(here("standings", "cmp", "--json").out)["variants"]) == ["tactical"]
    shutil.rmtree("results/cmp/tactical")
    assert "no run named 'cmp'" in here("standings", "cmp", code=2).err


# ---------------------------------------------------------------- a league


def test_ratings_of_a_league_are_those_of_its_table(played: Arena) -> None:
    run = public.load("open")
    assert isinstance(run, Run)
    with open_league("open", write=False) as league:
        table = league_standings(league)
    own = {row.version.label: row.elo for row in table.rows}
    found = dict(zip(run.ratings["bot"], run.ratings["elo"]))
    assert found == pytest.approx(own)
    assert {"first v1", "last v1", "random v1"} == set(run.bots)
    assert len(run.games) == table.total
    assert run.seed is None
    assert run.config["format"] == "league"
    assert len(run.pairs) == table.total / 2
    with pytest.raises(ArenaError, match="the format is league, not sprt"):
        run.sprt  # noqa: B018


def test_stats_and_files_of_a_league(played: Arena) -> None:
    assert "random v1" in played("standings", "open", "--all").out
    values = content(played("standings", "leagues/open", "--all", "--json").out)
    assert {row["bot"] for row in values["ratings"]} == {"first v1", "last v1", "random v1"}
    played("export", "open", "--out", ".", "--all")
    assert {path.name for path in Path().glob("*.*")} >= FILES
    with open("games.csv", encoding="utf-8") as file:
        assert len(list(csv.DictReader(file))) == len(public.load("open").games)


def test_games_of_a_league(played: Arena) -> None:
    total = len(public.load("open").games)
    assert f"{total} games replayed, all with their stored results" in played("verify", "open").out
    assert f"leagues/open holds {total} games" in played("replay", "open").out
    lost = played("replay", "open", "--bot", "first v1", "--lost", "--limit", 0).out
    assert "first v1" in lost
    assert played("replay", "open", "--bot", "first", "--lost", "--limit", 0).out == lost
    assert "Only games without random v1: a selection" in played("standings", "open", "--only", "first,last").out
    assert played("replay", "open", "1").out.count("v1") > 1
    played("export", "open", "--records", "all.txt")
    assert f"{total} games replayed" in played("verify", "all.txt").out


def test_a_league_is_not_played_as_a_run(played: Arena) -> None:
    assert "to play more games: arena league work open --play" in played("run", "open", code=2).err


def test_nothing_by_that_name(arena: Arena) -> None:
    for command in ("standings", "verify", "export", "replay"):
        assert "no run named 'nowhere'" in arena(command, "nowhere", code=2).err
    with pytest.raises(ArenaError, match="no run named 'nowhere'"):
        public.load("nowhere")


# ---------------------------------------------------------------- the same figures everywhere

FIGURES = ("elo", "elo_plus", "elo_minus", "games", "wins", "draws", "losses", "score")


def figures(rows: Any) -> dict[str, Any]:
    """Return the figures of each bot; null, nan and infinity are all unknown."""
    return {
        row["bot"]: [
            None if row[name] is None or not math.isfinite(row[name]) else pytest.approx(row[name], abs=0.006)
            for name in FIGURES
        ]
        for row in rows
    }


def check_figures(arena: Arena, source: str) -> None:
    """Check the figures of a source in Python, in `standings`, in `rate`, in their files and on the page."""
    run = public.load(source)
    assert isinstance(run, Run)
    wanted = figures(run.standings.to_dict("records"))
    assert len(wanted) > 1
    assert figures(content(arena("standings", source, "--json").out)["standings"]) == wanted
    assert figures(content(arena("rate", source, "--json").out)["standings"]) == wanted
    assert figures(content(arena("standings", source, "--all", "--json").out)["ratings"]) == wanted
    rated = public.rate(run.games) if run.seed is not None or source.endswith(".txt") else run.rated
    assert figures(rated.frame().to_dict("records")) == wanted
    texts = [public.load(source)._repr_html_(), arena("report", source, "--replays", 0, "-o", "-").out]
    for row in run.standings.to_dict("records"):
        cell = rating_text(row["elo"], None, None)
        assert all(f">{cell}<" in text for text in texts), cell


def test_every_way_to_read_has_the_same_figures(played: Arena, compared: Path) -> None:
    check_figures(played, "open")
    shutil.copytree(compared, "results/cmp")
    check_figures(played, "results/cmp/base")
    played("export", "results/cmp/tactical", "--records", "games.txt")
    check_figures(played, "games.txt")
    with open_league("open", write=False) as league:
        site = open_site(league)
        shown = content(public_page(site, "api/v1/standings").body.decode())["standings"]
        home = public_page(site, "").body.decode()
    assert figures(shown) == figures(public.load("open").standings.to_dict("records"))
    assert all(f"<b>{rating_text(row['elo'], None, None)}</b>" in home for row in shown)
