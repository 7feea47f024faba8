"""Test a bot with pytest: `pytest examples/test_bot.py`. If the bot raises an exception, pytest shows where."""

import pytest

from arena import load_rules, play_game

BOT = "greedy"  # or "bots/mine.py", or a class


@pytest.mark.parametrize("rules", ["base", "tactical", "expert"])
def test_it_plays_by_the_rules(rules: str) -> None:
    for deal in range(3):
        game = play_game(BOT, "random", rules=load_rules(rules), deal=deal, errors="raise")
        assert game.forfeit is None, game.detail


def test_it_repeats() -> None:
    assert play_game(BOT, "random", seed=5).record == play_game(BOT, "random", seed=5).record


def test_it_beats_random() -> None:
    games = [play_game(BOT, "random", deal=deal, names=("mine", "other")) for deal in range(10)]
    assert sum(game.winner == "mine" for game in games) > 7
