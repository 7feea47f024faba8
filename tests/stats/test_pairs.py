"""Head to head against fishtest's figures, and what must hold for any counts."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.stats.frames import StatsError
from arena.stats.pairs import (
    Z95,
    cells_between,
    counts_between,
    elo_of_score,
    head_to_head,
    pair_cells,
    pentanomial,
    score_of_elo,
    trinomial,
    units_needed,
)

COUNTS = st.lists(st.integers(0, 400), min_size=5, max_size=5).filter(lambda counts: sum(counts) > 0)


def test_agrees_with_the_reference(reference: dict[str, Any]) -> None:
    seen = 0
    for kind in ("pentanomial", "trinomial"):
        for case in reference[kind].values():
            found = head_to_head(case["counts"])
            assert found.elo == pytest.approx(case["elo"], abs=1e-6)
            assert found.elo_error95 == pytest.approx(case["elo_error95"], abs=1e-6)
            assert found.los == pytest.approx(case["los"], abs=1e-6)
            assert found.normalized_elo == pytest.approx(case["normalized_elo"], abs=1e-6)
            seen += 1
    assert seen >= 8


@given(COUNTS)
def test_swapping_sides_mirrors_everything(counts: list[int]) -> None:
    there, back = head_to_head(counts), head_to_head(counts[::-1])
    assert there.elo == pytest.approx(-back.elo, abs=1e-6)
    assert there.elo_error95 == pytest.approx(back.elo_error95, rel=1e-6)
    assert there.los == pytest.approx(1 - back.los, abs=1e-9)
    assert there.elo_low == pytest.approx(-back.elo_high, abs=1e-6)


@given(COUNTS)
def test_everything_is_finite_and_in_order(counts: list[int]) -> None:
    found = head_to_head(counts)
    for value in (found.elo, found.elo_error95, found.normalized_elo, found.los):
        assert math.isfinite(value)
    assert found.elo_low <= found.elo <= found.elo_high
    assert 0 <= found.los <= 1


def test_a_perfect_match_is_large_and_finite() -> None:
    found = head_to_head([0, 0, 0, 0, 25])
    assert 1000 < found.elo < 1300
    assert 0 < found.elo_error95 < 1000
    assert (found.units, found.games, found.unit, found.score) == (25, 50, "pairs", 1.0)


def test_three_counts_are_games() -> None:
    found = head_to_head([450, 0, 550])
    assert (found.unit, found.units, found.games) == ("games", 1000, 1000)


def test_more_of_the_same_shrinks_the_error_by_the_root() -> None:
    small, large = head_to_head([30, 20, 40, 20, 35]), head_to_head([3000, 2000, 4000, 2000, 3500])
    assert small.elo_error95 / large.elo_error95 == pytest.approx(10, rel=0.01)


@pytest.mark.parametrize(
    ("counts", "part"),
    [
        ([1, 2, -3], "the 3rd \\(W\\) is -3"),
        ([1, 2, float("nan"), 0, 0], "3rd \\(LW\\+DD\\+WL\\) is nan"),
        ([1, 2], "2 numbers; expected 5"),
        ([0, 0, 0], "all zero"),
        ([0.5, 1, 1], "whole numbers"),
        (["a", 1, 2], "'a' is not a number"),
        ([[1, 2, 3]], "expected 5"),
    ],
)
def test_bad_counts_are_told(counts: list[Any], part: str) -> None:
    with pytest.raises(StatsError, match=part):
        head_to_head(counts)


def test_elo_and_score_are_inverse() -> None:
    for elo in (-300.0, 0.0, 12.5, 900.0):
        assert elo_of_score(score_of_elo(elo)) == pytest.approx(elo, abs=1e-9)


def test_units_needed_bring_the_error_down_to_the_wish() -> None:
    counts = np.array([50, 0, 350, 0, 100])
    more = units_needed(counts, error=5.0)
    assert more is not None
    scale = (500 + more) / 500
    number, scores = 500 + more, np.arange(5) / 4
    share = counts * scale / number
    mean = share @ scores
    spread = math.sqrt(share @ (scores - mean) ** 2 / number)
    reached = (elo_of_score(mean + Z95 * spread) - elo_of_score(mean - Z95 * spread)) / 2
    assert reached == pytest.approx(5.0, rel=1e-3)
    assert reached <= 5.0 * (1 + 1e-4)


def test_units_needed_at_the_edges() -> None:
    assert units_needed([3000, 0, 4000, 0, 3000], error=6) == 0
    assert units_needed([0, 0, 10, 0, 0], error=6) is None
    assert units_needed([0, 0, 1, 0, 40], error=1e6) == 0
    with pytest.raises(StatsError, match="above 0"):
        units_needed([1, 1, 1], error=0)


def frame(rows: list[tuple[int, str, str, float]]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["deal", "first", "second", "score"])


GAMES = frame(
    [
        (7, "ann", "bob", 1.0),
        (7, "bob", "ann", 0.0),  # ann wins both: WW
        (3, "bob", "ann", 1.0),
        (3, "ann", "bob", 0.5),  # ann: L + D
        (4, "ann", "bob", 1.0),  # no partner yet
        (7, "ann", "cid", 1.0),
        (7, "cid", "ann", 1.0),  # split
    ]
)


def test_pairs_are_found_in_order() -> None:
    pairs = pair_cells(GAMES)
    assert pairs[["deal", "bot", "opponent", "points", "cell"]].values.tolist() == [
        [7, "ann", "bob", 2.0, 4],
        [3, "ann", "bob", 0.5, 1],
        [7, "ann", "cid", 1.0, 2],
    ]
    assert pentanomial(GAMES, "ann", "bob") == (0, 1, 0, 0, 1)
    assert pentanomial(GAMES, "bob", "ann") == (1, 0, 0, 1, 0)
    assert trinomial(GAMES, "ann", "bob") == (1, 1, 3)
    assert cells_between(GAMES, "bob", "ann").tolist() == [0, 3]


def test_the_order_of_the_second_games_does_not_matter() -> None:
    shuffled = GAMES.iloc[[0, 2, 4, 5, 1, 6, 3]]
    assert pair_cells(shuffled)["cell"].tolist() == [4, 1, 2]


def test_a_deal_played_twice_makes_two_pairs() -> None:
    twice = pd.concat([GAMES.iloc[:2], GAMES.iloc[:2].assign(score=[0.0, 1.0])])
    assert pair_cells(twice)["cell"].tolist() == [4, 0]


def test_pairings_keep_pairs_apart() -> None:
    games = pd.concat([GAMES.iloc[:1].assign(pairing=0), GAMES.iloc[1:2].assign(pairing=1)])
    assert len(pair_cells(games)) == 0


def test_unpaired_designs_are_counted_by_games() -> None:
    lone = GAMES.iloc[[0, 2, 4]]
    assert counts_between(lone, "ann", "bob") == (1, 0, 2)
    assert counts_between(GAMES.drop(columns="deal"), "ann", "bob") == (1, 1, 3)
    assert counts_between(GAMES, "ann", "bob") == (0, 1, 0, 0, 1)


def test_unknown_bots_are_told_with_the_nearest_name() -> None:
    with pytest.raises(StatsError, match=r"no bot 'anne'.*did you mean 'ann'"):
        pentanomial(GAMES, "anne", "bob")
    with pytest.raises(StatsError, match="with itself"):
        pentanomial(GAMES, "ann", "ann")
    with pytest.raises(StatsError, match="no column 'deal'"):
        pair_cells(GAMES.drop(columns="deal"))
