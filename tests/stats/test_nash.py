"""Nash averaging: known games, clones, bullies."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.stats.frames import Floats, StatsError
from arena.stats.nash import max_entropy_nash, nash_ratings, win_logits
from arena.stats.ratings import rate
from benchmarks.simulate import simulate_games

RPS = np.array([[0.0, 1, -1], [-1, 0, 1], [1, -1, 0]])


def antisymmetric(seed: int, n: int) -> Floats:
    raw = np.random.default_rng(seed).normal(size=(n, n))
    return np.asarray(raw - raw.T)


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.integers(2, 9))
def test_it_is_an_equilibrium(seed: int, n: int) -> None:
    matrix = antisymmetric(seed, n)
    weight = max_entropy_nash(matrix)
    assert weight.sum() == pytest.approx(1)
    assert (weight >= 0).all()
    assert (matrix @ weight).max() < 1e-5


def test_known_games() -> None:
    assert max_entropy_nash(np.zeros((4, 4))) == pytest.approx(np.full(4, 0.25))
    assert max_entropy_nash(RPS * 4.6) == pytest.approx(np.full(3, 1 / 3), abs=1e-6)
    transitive = np.array([[0.0, 1, 2], [-1, 0, 1], [-2, -1, 0]])
    assert max_entropy_nash(transitive) == pytest.approx([1, 0, 0], abs=1e-9)
    uneven = np.array([[0.0, 1, -2], [-1, 0, 3], [2, -3, 0]])
    assert max_entropy_nash(uneven) == pytest.approx(np.array([3, 2, 1]) / 6, abs=1e-5)


def test_of_many_equilibria_it_takes_the_one_of_greatest_entropy() -> None:
    """Two independent copies of rock-paper-scissors: every mixture of the two is an equilibrium."""
    double = np.kron(np.eye(2), RPS)
    assert max_entropy_nash(double) == pytest.approx(np.full(6, 1 / 6), abs=1e-5)
    # With a copy in the first of the two the entropies differ by a third of log 2, and the shares with them.
    cloned = double[np.ix_([0, *range(6)], [0, *range(6)])]
    wanted = 2 ** (1 / 3) / (1 + 2 ** (1 / 3))
    assert max_entropy_nash(cloned)[:4].sum() == pytest.approx(wanted, abs=1e-5)
    # 0 and 1 tie and both beat 2; but 2 is kept out.
    tie = np.array([[0.0, 0, 1], [0, 0, 2], [-1, -2, 0]])
    assert max_entropy_nash(tie) == pytest.approx([0.5, 0.5, 0], abs=1e-5)


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.integers(2, 7), st.integers(0, 6), st.integers(1, 3))
def test_clones_share_a_weight_and_change_nobodys_rating(seed: int, n: int, pick: int, copies: int) -> None:
    matrix = antisymmetric(seed, n)
    cloned = [*range(n), *[pick % n] * copies]
    large = matrix[np.ix_(cloned, cloned)]
    plain, weight = max_entropy_nash(matrix), max_entropy_nash(large)
    merged = np.bincount(cloned, weights=weight, minlength=n)
    assert merged == pytest.approx(plain, abs=1e-4)
    assert weight[n:] == pytest.approx(np.full(copies, weight[pick % n]), abs=1e-6)
    assert (large @ weight)[:n] == pytest.approx(matrix @ plain, abs=1e-3)


def test_a_bully_of_weak_bots_does_not_top_the_table() -> None:
    """ "bully" wins more often than "best" against the three weak ones, but loses to "best"."""
    rows: list[tuple[str, str, float]] = []
    for one, other, won in [
        ("best", "bully", 12),
        ("best", "weak1", 13),
        ("best", "weak2", 13),
        ("best", "weak3", 13),
        ("bully", "weak1", 20),
        ("bully", "weak2", 20),
        ("bully", "weak3", 20),
        ("weak1", "weak2", 10),
        ("weak2", "weak3", 10),
        ("weak3", "weak1", 10),
    ]:
        rows += [(one, other, 1.0)] * (won // 2) + [(other, one, 0.0)] * (won - won // 2)
        lost = 20 - won
        rows += [(one, other, 0.0)] * (lost // 2) + [(other, one, 1.0)] * (lost - lost // 2)
    games = pd.DataFrame(rows, columns=["first", "second", "score"])
    assert rate(games).bots[0] == "bully"
    found = nash_ratings(games)
    assert found.bots[0] == "best"
    assert found.weight[0] == pytest.approx(1)
    assert found.frame()["nash_elo"].iloc[0] == pytest.approx(0, abs=1e-6)
    assert (found.elo[1:] < 0).all()


def test_logits_are_those_of_the_smoothed_score() -> None:
    games = pd.DataFrame({"first": ["a"] * 10 + ["b"] * 10, "second": ["b"] * 10 + ["a"] * 10, "score": 1.0})
    games.loc[:4, "score"] = 0.0
    names, logits = win_logits(games, prior=2)
    assert names == ["a", "b"]
    share = (5 + 0 + 1) / 22
    assert logits[0, 1] == pytest.approx(np.log(share / (1 - share)))
    assert logits[1, 0] == pytest.approx(-logits[0, 1])


def test_gaps_are_filled_from_ratings_or_told() -> None:
    games = simulate_games(np.array([150.0, 0, -100]), 60, np.random.default_rng(1))
    lacking = games[~((games["first"] + games["second"]).isin(["b00b02", "b02b00"]))]
    with pytest.raises(StatsError, match="'b00' and 'b02' never met"):
        nash_ratings(lacking)
    rated = rate(lacking)
    found = nash_ratings(lacking, ratings=rated)
    assert found.bots[0] == "b00"
    names, logits = win_logits(lacking, ratings=rated)
    gap = logits[names.index("b00"), names.index("b02")] * 400 / np.log(10)
    assert gap == pytest.approx(rated.difference("b00", "b02")[0])


def test_bad_input_is_told() -> None:
    with pytest.raises(StatsError, match="antisymmetric"):
        max_entropy_nash([[0, 1], [1, 0]])
    with pytest.raises(StatsError, match="square"):
        max_entropy_nash([1, 2])
    wins = pd.DataFrame({"first": ["a", "b"], "second": ["b", "a"], "score": [1.0, 0.0]})
    with pytest.raises(StatsError, match="perfect score"):
        nash_ratings(wins, prior=0)
    with pytest.raises(StatsError, match="prior -1"):
        nash_ratings(wins, prior=-1)


def test_groups_that_never_met_have_no_equilibrium() -> None:
    games = pd.DataFrame([("a", "b", 1.0), ("b", "a", 1.0), ("c", "d", 1.0), ("d", "c", 0.0)])
    games.columns = pd.Index(["first", "second", "score"])
    with pytest.raises(StatsError, match="linked by no chain of games"):
        nash_ratings(games, ratings=rate(games, disconnected="separate"))
