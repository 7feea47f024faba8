"""Random games of other libraries: each ends, and says how many decisions it had."""

from __future__ import annotations

from random import Random

import pytest

from arena.adapters import other_games
from arena.adapters.other_games import playout_speeds


@pytest.mark.parametrize(
    ("library", "game", "least", "most"),
    [
        ("pyspiel", "leduc_poker", 2, 8),
        ("pyspiel", "hearts", 50, 70),
        ("pettingzoo", "leduc_holdem_v4", 1, 12),
        ("rlcard", "gin-rummy", 4, 500),
        ("chess", "chess", 4, 2000),
    ],
)
def test_a_game_of_each_library(library: str, game: str, least: int, most: int) -> None:
    pytest.importorskip(library, reason="comparisons need the extra 'bench'")
    (playout,) = [each.playout for each in other_games._LIBRARIES if game in each.games]
    try:
        play = playout(game)
    except ImportError as error:
        pytest.skip(f"comparisons need the extra 'bench': {error}")
    assert all(least <= play(Random(number)) <= most for number in range(3))


def test_ours_is_the_game_of_the_engine() -> None:
    first = playout_speeds(["base"], 1, 0.0)[0]
    assert (first.library, first.game) == ("arena", "base")
    assert 20 <= first.decisions_per_game <= 60
    assert first.decisions_per_second == first.games_per_second * first.decisions_per_game
