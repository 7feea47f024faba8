"""Whether one line of ratings fits: against statsmodels and choix, on made-up circles, and under luck alone."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from arena.stats.fit import misfit_p_value
from arena.stats.frames import games_of
from arena.stats.pairs import ELO_SCALE
from arena.stats.ratings import rate

ORACLES = json.loads((Path(__file__).parents[1] / "data" / "statistics_oracles.json").read_text())


def field(won: list[list[int]]) -> pd.DataFrame:
    """Independent games, each on a deal of its own; each bot is first in half of the games that it wins."""
    rows = []
    for i, line in enumerate(won):
        for j, number in enumerate(line):
            rows += [(f"b{i}", f"b{j}", 1.0) if game % 2 else (f"b{j}", f"b{i}", 0.0) for game in range(number)]
    return pd.DataFrame(rows, columns=["first", "second", "score"])


def test_a_field_of_independent_games_as_statsmodels_and_choix() -> None:
    oracle = ORACLES["line"]
    games = games_of(field(oracle["won"]))
    rated = rate(games, prior=0, first_advantage=0.0)
    strength = dict(zip(rated.bots, rated.elo / ELO_SCALE))
    for name in ("strengths", "choix"):
        values = np.array(oracle[name])
        assert [strength[f"b{i}"] for i in range(4)] == pytest.approx(values - values.mean(), abs=1e-5)
    p_value = misfit_p_value(games, rated)
    assert p_value is not None
    assert p_value < 0.001 > oracle["p_value"]


def pairs(shares: dict[tuple[str, str], float], deals: int, seed: int = 1) -> pd.DataFrame:
    draw = np.random.default_rng(seed)
    rows = [
        (number, deal, *(two if game else two[::-1]), float(draw.random() < (share if game else 1 - share)))
        for number, (two, share) in enumerate(shares.items())
        for deal in range(deals)
        for game in (0, 1)
    ]
    return pd.DataFrame(rows, columns=["pairing", "deal", "first", "second", "score"])


def test_rock_paper_scissors_is_no_line() -> None:
    games = games_of(pairs({("paper", "rock"): 0.8, ("rock", "scissors"): 0.8, ("scissors", "paper"): 0.8}, 100))
    p_value = misfit_p_value(games, rate(games))
    assert p_value is not None
    assert p_value < 1e-6


def test_luck_alone_leaves_every_p_value_equally_often() -> None:
    shares = {("a", "b"): 0.6, ("b", "c"): 0.6, ("a", "c"): 0.69}
    values = []
    for seed in range(40):
        games = games_of(pairs(shares, 40, seed))
        values.append(misfit_p_value(games, rate(games)))
    assert np.mean(np.array(values) < 0.1) == pytest.approx(0.1, abs=0.08)
    assert np.median(values) == pytest.approx(0.5, abs=0.15)


def test_too_little_to_test() -> None:
    two = games_of(pairs({("a", "b"): 0.6}, 50))
    few = games_of(pairs({("a", "b"): 0.6, ("b", "c"): 0.6, ("a", "c"): 0.6}, 5))
    assert misfit_p_value(two, rate(two)) is None
    assert misfit_p_value(few, rate(few)) is None
