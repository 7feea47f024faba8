"""Scores add up and turn round."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from arena.stats.score import Score, other_side

SCORES = st.builds(Score, *3 * [st.integers(0, 1000)])


@given(SCORES, SCORES)
def test_a_score_adds_and_turns_round(one: Score, other: Score) -> None:
    both = one + other
    assert (both.games, both.points) == (one.games + other.games, one.points + other.points)
    assert (~one).points == one.games - one.points
    assert ~both == ~one + ~other
    assert ~~one == one


def test_the_mean_is_that_of_the_games() -> None:
    assert Score(2, 1, 1).columns() == {"games": 4, "wins": 2, "draws": 1, "losses": 1, "score": 0.625}
    assert Score().mean is None


def test_points_from_the_other_side() -> None:
    assert other_side(np.array([1.0, 0.5, 0.0])).tolist() == [0.0, 0.5, 1.0]
    assert other_side(np.array([4, 1]), total=4).tolist() == [0, 3]
