"""The policy that a library of reinforcement learning has trained plays in tournaments, and is trained again."""

from __future__ import annotations

from pathlib import Path

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
