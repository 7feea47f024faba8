"""A comparison as a run: brought up to date without its command, with a baseline, each row once."""

from __future__ import annotations

import json
import shutil
import signal
from pathlib import Path
from typing import Any

import pytest

from arena.tournament.store.reader import Reader
from tests.bots.processes.waiting import wait_for_games
from tests.cli.conftest import SLOW_BOT, Arena, json_of, program

pytestmark = pytest.mark.process
QUIET = ("--workers", 1)
PLAY = ("compare", "random", "first", "again=random", "--seed", 3, *QUIET)
VARIANTS = ("--variants", "tactical,base")
FILES = ("standings.csv", "crosstable.csv", "summary.json", "games.csv")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A comparison of four games a pairing, played at once, and its tables."""
    folder = tmp_path_factory.mktemp("compare") / "whole"
    return folder, json_of(*PLAY, *VARIANTS, "--games", 4, "--out", folder, "--json")


def same(arena: Arena, folder: Path | str, other: Path | str) -> None:
    same_games(arena, folder, other)
    assert Path(folder, "comparison.json").read_bytes() == Path(other, "comparison.json").read_bytes()


def same_games(arena: Arena, folder: Path | str, other: Path | str) -> None:
    for name in ("tactical", "base"):
        for one in (folder, other):
            arena("export", Path(one, name), "--all")
        for file in FILES:
            assert Path(folder, name, file).read_bytes() == Path(other, name, file).read_bytes(), file


@pytest.mark.slow
def test_it_grows_to_the_bytes_of_one_that_asked_at_once(arena: Arena, whole: tuple[Path, dict[str, Any]]) -> None:
    arena(*PLAY, *VARIANTS, "--games", 2, "--out", "cmp")
    assert json.loads(arena("resume", "cmp", "--games", 4, "--workers", 2, "--json").out) == whole[1]
    assert json.loads(arena("resume", "cmp", "--games", 2, "--json", *QUIET).out)["games"] == 2 * 3 * 2
    arena("resume", "cmp", "--games", 4, *QUIET)
    same(arena, "cmp", whole[0])


def test_a_variant_that_was_not_begun_is_played_on_resume(arena: Arena, whole: tuple[Path, dict[str, Any]]) -> None:
    shutil.copytree(whole[0], "cmp")
    shutil.rmtree("cmp/base")
    assert json.loads(arena("resume", "cmp", "--json", *QUIET).out) == whole[1]
    same(arena, "cmp", whole[0])


@pytest.mark.slow
def test_an_interrupted_comparison_without_a_seed_is_resumed_by_its_folder(arena: Arena, tmp_path: Path) -> None:
    Path("slow.py").write_text(SLOW_BOT)
    Path("slow").touch()
    with program("compare", "slow.py", "random", *VARIANTS, "--games", 40, *QUIET, cwd=tmp_path) as process:
        while not (folders := list(tmp_path.glob("results/compare-*/tactical/games.sqlite"))):
            assert process.poll() is None
        wait_for_games(folders[0].parent, process)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    Path("slow").unlink()
    folder = folders[0].parent.parent
    assert process.returncode == 130
    assert f"arena resume results/{folder.name}" in errors
    values = json.loads(arena("resume", f"results/{folder.name}", "--json").out)
    assert (values["variants"], values["games"]) == (["tactical", "base"], 80)


def test_other_settings_in_the_same_folder_name_the_remedy(arena: Arena, whole: tuple[Path, dict[str, Any]]) -> None:
    shutil.copytree(whole[0], "cmp")
    other = arena(*PLAY, *VARIANTS, "--out", "cmp", "--games", 4, "--move-ms", 1000, code=2).err
    assert "clock.move_ms" in other
    assert "Choose another folder" in other
    assert "rounds belongs to swiss" in arena("resume", "cmp", "--rounds", 3, code=2).err


def test_another_variant_joins_a_comparison(arena: Arena, whole: tuple[Path, dict[str, Any]]) -> None:
    shutil.copytree(whole[0], "cmp")
    values = json.loads(arena(*PLAY, "--variants", "base,expert", "--games", 4, "--out", "cmp", "--json").out)
    assert values["variants"] == ["base", "expert"]
    assert json.loads(arena("resume", "cmp", "--json").out) == values
    same_games(arena, "cmp", whole[0])


def test_a_damaged_file_is_said(arena: Arena, whole: tuple[Path, dict[str, Any]]) -> None:
    """A folder elsewhere is no variant."""
    shutil.copytree(whole[0], "cmp")
    sound = Path("cmp/comparison.json").read_text()
    elsewhere = (sound.replace('"folder": "base"', f'"folder": "{place}"') for place in ("../base", "..", "", "/base"))
    for text in ("", "[]", '{"comparison": 1}', '{"comparison": 2}', *elsewhere):
        Path("cmp/comparison.json").write_text(text)
        assert "cmp/comparison.json" in arena("resume", "cmp", code=2).err


# ---------------------------------------------------------------- tables


@pytest.mark.slow
def test_a_baseline_is_what_all_others_are_measured_against(arena: Arena, whole: tuple[Path, dict[str, Any]]) -> None:
    shutil.copytree(whole[0], "cmp")
    arena(*PLAY, "--variants", "base,expert", "--baseline", "tactical", "--games", 4, "--out", "cmp")
    values = json.loads(arena("resume", "cmp", "--json").out)
    assert values["baseline"] == "tactical"
    measured = {("base", "tactical"), ("expert", "tactical")}
    for name in ("win_rate_differences", "first_player_differences", "length_differences"):
        assert {(row["variant"], row["against"]) for row in values[name]} == measured
    other = json.loads(arena("compare", "--from", "cmp", "--baseline", "iello-base", "--json").out)
    assert {row["against"] for row in other["length_differences"]} == {"base"}
    assert "no such variant" in arena("compare", "--from", "cmp", "--baseline", "bga-base", code=2).err


@pytest.mark.slow
def test_all_variants_grow_together_until_the_errors_of_all_are_small(arena: Arena) -> None:
    arena(*PLAY, *VARIANTS, "--games", 4, "--out", "cmp")
    values = json.loads(arena("resume", "cmp", "--error", 70, "--json", *QUIET).out)
    assert len({row["games"] for row in values["by_opponent"]}) == 1
    largest = []
    for name in ("tactical", "base"):
        table = json.loads(arena("standings", f"cmp/{name}", "--json").out)["standings"]
        largest.append(max(row["elo_error95"] for row in table))
    assert max(largest) <= 70
    assert "± 1 wanted. Allow more" in arena("resume", "cmp", "--error", 1, "--games", 10, *QUIET, code=1).err


def test_every_two_bots_once_in_each_variant(whole: tuple[Path, dict[str, Any]]) -> None:
    rows = whole[1]["by_opponent"]
    pairings = [("random", "first"), ("random", "again"), ("first", "again")]
    assert [(row["bot"], row["opponent"], row["variant"]) for row in rows] == [
        (*pairing, variant) for pairing in pairings for variant in ("tactical", "base")
    ]
    for row in rows:
        assert row["games"] == row["wins"] + row["draws"] + row["losses"] == 4
        with Reader(whole[0] / row["variant"]) as reader:
            met = [game for game in reader.results() if {game.first, game.second} == {row["bot"], row["opponent"]}]
        scores = [game.score_of(row["bot"]) for game in met]
        assert [row["wins"], row["draws"], row["losses"]] == [scores.count(score) for score in (1, 0.5, 0)]


def test_a_plan_of_all_variants_is_one_json_object(arena: Arena, whole: tuple[Path, dict[str, Any]]) -> None:
    folder, _ = whole
    for words in (("resume", folder, "--games", 8), (*PLAY, *VARIANTS, "--games", 8, "--out", folder)):
        plans = json.loads(arena(*words, "--dry-run", "--json").out)
        assert {rules: plan["missing"] for rules, plan in plans.items()} == {"tactical": 12, "base": 12}
    plans = json.loads(arena(*PLAY, *VARIANTS, "--out", "new", "--dry-run", "--json").out)
    assert [plan["is_new"] for plan in plans.values()] == [True, True]
    assert not Path("new").exists()
