"""`arena compare`: the same deals under several rule sets, played, played on, and from stored runs."""

from __future__ import annotations

import shutil
import signal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from arena.results.variant_report import VariantRun, comparison
from arena.stats.variants import holm
from arena.tournament.forfeits import ForfeitSummary
from arena.tournament.store.reader import Reader
from tests.bots.processes.waiting import wait_for_games
from tests.cli.conftest import SLOW_BOT, Arena, content, json_of, program

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


def same_games(arena: Arena, folder: Path | str, other: Path | str) -> None:
    for name in ("tactical", "base"):
        for one in (folder, other):
            arena("export", Path(one, name), "--all")
        for file in FILES:
            assert Path(folder, name, file).read_bytes() == Path(other, name, file).read_bytes(), file


@pytest.mark.slow
def test_it_grows_to_the_bytes_of_one_that_asked_at_once(arena: Arena, whole: tuple[Path, dict[str, Any]]) -> None:
    command = (*PLAY, *VARIANTS, "--out", "cmp", "--json", "--games")
    for games in (2, 4, 2):
        assert content(arena(*command, games).out)["games_played"] == 2 * 3 * games
    assert content(arena(*command, 4, "--workers", 2).out) == whole[1]
    same_games(arena, "cmp", whole[0])


def test_a_variant_that_was_not_begun_is_played_later(arena: Arena, whole: tuple[Path, dict[str, Any]]) -> None:
    shutil.copytree(whole[0], "cmp")
    shutil.rmtree("cmp/base")
    Path("cmp/tactical").rename("cmp/other")
    assert "cmp holds runs; name one of them: cmp/other" in arena("standings", "cmp", code=2).err
    Path("cmp/other").rename("cmp/tactical")
    assert content(arena(*PLAY, *VARIANTS, "--games", 4, "--out", "cmp", "--json").out) == whole[1]


@pytest.mark.slow
def test_an_interrupted_comparison_without_a_seed_goes_on_in_its_folder(arena: Arena, tmp_path: Path) -> None:
    Path("slow.py").write_text(SLOW_BOT)
    Path("slow").touch()
    command = ("compare", "slow.py", "random", *VARIANTS, "--games", 40, *QUIET)
    with program(*command, cwd=tmp_path) as process:
        while not (folders := list(tmp_path.glob("results/compare-*/tactical/games.sqlite"))):
            assert process.poll() is None
        wait_for_games(folders[0].parent, process)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    Path("slow").unlink()
    folder = folders[0].parent.parent
    assert process.returncode == 130
    assert f"the same command and --out results/{folder.name}" in errors
    values = content(arena(*command, "--out", f"results/{folder.name}", "--json").out)
    assert (values["variants"], values["games_played"]) == (["tactical", "base"], 80)


def test_another_variant_joins_a_comparison(arena: Arena, whole: tuple[Path, dict[str, Any]]) -> None:
    shutil.copytree(whole[0], "cmp")
    values = content(arena(*PLAY, "--variants", "base,expert", "--games", 4, "--out", "cmp", "--json").out)
    assert values["variants"] == ["base", "expert"]
    assert list(content(arena("standings", "cmp", "--json").out)["variants"]) == ["tactical", "base", "expert"]
    same_games(arena, "cmp", whole[0])


# ---------------------------------------------------------------- tables


@pytest.mark.slow
def test_all_variants_grow_together_until_the_errors_of_all_are_small(arena: Arena) -> None:
    command = (*PLAY, *VARIANTS, "--out", "cmp")
    arena(*command, "--games", 4)
    values = content(arena(*command, "--error", 70, "--json").out)
    assert len({row["games"] for row in values["by_opponent"]}) == 1
    largest = []
    for name in ("tactical", "base"):
        table = content(arena("standings", f"cmp/{name}", "--json").out)["standings"]
        largest.append(max(row["elo_error95"] for row in table))
    assert max(largest) <= 70
    assert "± 1 wanted. Allow more" in arena(*command, "--error", 1, "--games", 10, code=1).err


SIX = "tactical:hand_size=6,scout_return=top"
MATCHED = ("compare", "greedy", "random", "--games", 20, "--seed", 3, *QUIET)


@pytest.fixture(scope="module")
def comparison_played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A comparison that was played once, and what the command said."""
    folder = tmp_path_factory.mktemp("compare") / "cmp"
    return folder, json_of(*MATCHED, "--variants", f"base,{SIX},expert", "--out", folder, "--json")


@pytest.fixture
def played(arena: Arena, comparison_played: tuple[Path, dict[str, Any]]) -> dict[str, Any]:
    """What the command said; its folder is copied to `cmp` in the working directory."""
    folder, said = comparison_played
    shutil.copytree(folder, "cmp")
    return said


def test_shape_and_figures(played: dict[str, Any]) -> None:
    assert played["variants"] == ["base", SIX, "expert"]
    assert (played["bots"], played["seeds"], played["games_played"]) == (["greedy", "random"], [3], 60)
    for row in played["win_rates"]:
        assert row["score_low"] <= row["score"] <= row["score_high"]
        assert row["games"] == row["wins"] + row["draws"] + row["losses"] == 20
    differences = played["win_rate_differences"]
    assert [row["bot"] for row in differences] == ["greedy"] * 3, "what greedy wins random loses"
    assert {row["shared_deals"] for row in differences} == {10}
    p_values = np.array([row["p_value"] for row in differences])
    assert [row["p_holm"] for row in differences] == pytest.approx(holm(p_values).tolist())
    for name in ("first_player", "length"):
        assert [row["variant"] for row in played[name]] == played["variants"]
    assert [len(played[name]) for name in ("first_player_differences", "length_differences", "cards")] == [3, 3, 2 * 9]


def test_the_same_command_plays_nothing_again(arena: Arena, played: dict[str, Any]) -> None:
    """Without a seed, a folder that is begun keeps its own."""
    with Reader("cmp/base") as reader:
        before = reader.sessions()
    unseeded = ("compare", "greedy", "random", "--games", 20, *QUIET, "--out", "cmp", "--json")
    assert content(arena(*unseeded, "--variants", f"base,{SIX},expert").out) == played
    with Reader("cmp/base") as reader:
        assert reader.sessions() == before
    folders = [f"cmp/{name}" for name in ("base", "tactical-hand_size=6-scout_return=top", "expert")]
    assert content(arena("compare", "--from", *folders, "--json").out) == played


def _run(variant: str, score: list[float]) -> VariantRun:
    games = pd.DataFrame(
        {
            "deal_seed": 1,
            "deal": np.repeat(np.arange(len(score)), 2),
            "first": ["a", "b"] * len(score),
            "second": ["b", "a"] * len(score),
            "score": [value for one in score for value in (one, 1 - one)],
            "turns": 40,
        }
    )
    run = SimpleNamespace(
        games=games, config={"seed": 1}, sources={}, left_out={}, forfeit_summary=ForfeitSummary((), {})
    )
    return VariantRun(variant, run, pd.DataFrame())


@pytest.mark.parametrize(
    ("share", "answer"),
    [(0.9, "Yes, the variant matters"), (0.5, "No effect of the variant is shown; effects up to ±")],
)
def test_the_first_line_says_whether_the_variant_matters(share: float, answer: str) -> None:
    even = [1.0, 0.0] * 50
    report = comparison([_run("x", even), _run("y", [float(i < 100 * share) for i in range(100)])])
    assert report.answer[0].startswith(answer)
    assert report.answer[1].startswith(f"  a: {100 * (share - 0.5):+z.1f}% (")
    assert report.answer[1].endswith(" in y against x")


def test_a_bot_is_best_only_where_that_is_shown() -> None:
    even, ahead, won = ([float(i % 100 < part) for i in range(200)] for part in (50, 52, 90))
    for one, other, answer in (
        (won, won, ["Best in every variant (95%): a."]),
        (won, ahead, ["Best (95%): a in x.", "Ahead, but not shown to be the best: a in y."]),
        (even, ahead, ["Ahead, but not shown to be the best: a in x, y."]),
    ):
        lines = comparison([_run("x", one), _run("y", other)]).answer
        assert [line for line in lines if line.startswith(("Best", "Ahead"))] == answer
