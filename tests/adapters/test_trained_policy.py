"""The policy that a library of reinforcement learning has trained plays in tournaments, and is trained again."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from arena.bots.bot import Setup
from arena.bots.loading import load_bot
from arena.bots.spec import find_bot
from arena.game.deals import make_deal
from arena.game.engine import State
from arena.game.rules import load_rules
from arena.lab.single_game import play_game
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


def test_a_policy_of_many_games_plays(tmp_path: Path) -> None:
    """With weights that want the card with the highest number, of those in the hand, at any stone."""
    shutil.copy(FOLDER / "vec.py", tmp_path)
    shapes = {"w0": (223, 2), "b0": (2,), "w1": (2, 2), "w2": (2, 2), "b2": (2,), "w3": (2, 54), "b3": (54,)}
    weights = {name: np.zeros(shape, np.float16) for name, shape in shapes.items()}
    np.savez(tmp_path / "vec.npz", **{**weights, "b3": np.arange(54)})  # type: ignore[arg-type]
    state = State(load_rules("base"), make_deal(load_rules("base"), 1, 0))
    bot = load_bot(find_bot(str(tmp_path / "vec.py")), capture=False).make()
    bot.begin(Setup(state.to_move, state.to_move, load_rules("base"), 1, None))  # type: ignore[attr-defined]
    moves = state.legal_moves()
    expected = max(moves, key=lambda move: (move.index // 9, -(move.index % 9)))
    assert bot.act(state.view(state.to_move), moves) is expected
    assert play_game(str(tmp_path / "vec.py"), "random", seed=3, errors="raise").forfeit_by is None


@pytest.mark.slow
def test_the_training_on_many_games_runs(tmp_path: Path) -> None:
    pytest.importorskip("optax")
    words = [sys.executable, FOLDER / "train_vec.py", "--steps", "3", "--out", tmp_path / "vec.npz"]
    subprocess.run(words, check=True, capture_output=True, timeout=600)
    assert (tmp_path / "vec.npz").stat().st_size > 100_000


@pytest.mark.slow
def test_the_training_runs(tmp_path: Path) -> None:
    pytest.importorskip("sb3_contrib")
    out = tmp_path / "ppo.npz"
    words = [sys.executable, FOLDER / "train_ppo.py", "--steps", "2048", "--out", out]
    subprocess.run(words, check=True, capture_output=True, timeout=600)
    assert out.stat().st_size > 100_000
