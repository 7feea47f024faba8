"""The policy that a library of reinforcement learning has trained plays in tournaments, and is trained again."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from arena.lab.play import play_game
from tests.cli.conftest import Arena, arena  # noqa: F401

FOLDER = Path(__file__).parents[2] / "examples" / "rl"


def test_it_plays_and_repeats() -> None:
    bot = str(FOLDER / "ppo.py")
    games = [play_game(bot, "random", seed=3, deal=deal, errors="raise") for deal in range(6)]
    assert sum(game.winner == "ppo" for game in games) >= 3
    assert games[0].record == play_game(bot, "random", seed=3).record


def test_other_rules_are_refused_in_words() -> None:
    game = play_game(str(FOLDER / "ppo.py"), "random", rules="tactical")
    assert game.forfeit_by == "ppo"
    assert "trained for the base rules" in (game.detail or "")


@pytest.mark.slow
@pytest.mark.process
def test_it_beats_random_in_a_tournament(arena: Arena) -> None:  # noqa: F811
    words = ("tournament", FOLDER / "ppo.py", "random", "first", "--games", 200, "--seed", 1, "--json")
    shown = json.loads(arena(*words).out)
    table = {row["bot"]: row for row in shown["standings"]}
    assert table["ppo"]["elo"] > table["random"]["elo"] + 30
    assert table["ppo"]["forfeits"] == 0


@pytest.mark.slow
def test_the_training_runs(tmp_path: Path) -> None:
    pytest.importorskip("sb3_contrib")
    out = tmp_path / "ppo.npz"
    words = [sys.executable, FOLDER / "train_ppo.py", "--steps", "2048", "--out", out]
    subprocess.run(words, check=True, capture_output=True, timeout=600)
    assert out.stat().st_size > 100_000
