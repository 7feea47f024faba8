"""Luck taken out: the mean stays, the error falls as far as luck says something, and nowhere else."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from arena.stats.adjusted import FEWEST_JUDGED, take_luck_out
from arena.stats.field import scores
from arena.stats.frames import Floats, StatsError, games_of
from arena.stats.variants import win_rate_differences


def lucky(deals: int, share: float, seed: int) -> tuple[pd.DataFrame, Floats]:
    """Games of a and b on `deals`, and what luck gave the first: `share` of what decides a game, in three parts."""
    draw = np.random.default_rng(seed)
    parts = draw.normal(0, np.sqrt(share / 3), (2 * deals, 3))
    rest = draw.normal(0, np.sqrt(1 - share), 2 * deals)
    first_is_a = np.arange(2 * deals) % 2 == 0
    score = (parts.sum(axis=1) + rest + np.where(first_is_a, 0.3, -0.3) > 0).astype(float)
    games = pd.DataFrame({"first": np.where(first_is_a, "a", "b"), "second": np.where(first_is_a, "b", "a")})
    return games.assign(score=score, deal=np.arange(2 * deals) // 2), parts


def test_the_error_falls_and_the_mean_stays() -> None:
    truth = 0.618  # Phi(0.3)
    held = []
    for seed in range(30):
        games, luck = lucky(100, 0.6, seed)
        _, (met,) = take_luck_out(games_of(games), luck)
        assert met.helps
        assert 1.05 < met.worth < 3.5
        held.append(abs(met.adjusted_score - truth) <= met.adjusted_error95)
    assert np.mean(held) > 0.88


def test_luck_that_says_nothing_changes_nothing() -> None:
    games, _ = lucky(200, 0.6, 1)
    noise = np.random.default_rng(2).normal(0, 0.3, (400, 3))
    arrays = games_of(games)
    adjusted, (met,) = take_luck_out(arrays, noise)
    assert not met.helps
    assert (adjusted.score == arrays.score).all()
    assert (met.adjusted_score, met.adjusted_error95) == (met.score, met.error95)


def test_few_deals_are_as_counted() -> None:
    games, luck = lucky(FEWEST_JUDGED - 1, 0.9, 1)
    _, (met,) = take_luck_out(games_of(games), luck)
    assert not met.helps
    with pytest.raises(StatsError, match="a row for each of"):
        take_luck_out(games_of(games), luck[1:])


def test_variants_differ_by_adjusted_scores() -> None:
    parts = []
    for variant, seed in (("base", 1), ("expert", 2)):
        games, luck = lucky(200, 0.6, seed)
        adjusted, _ = take_luck_out(games_of(games), luck)
        parts.append(games.assign(variant=variant, adjusted=adjusted.score))
    games = pd.concat(parts, ignore_index=True)
    plain, without = (win_rate_differences(each, bot="a").loc[0] for each in (games.drop(columns="adjusted"), games))
    assert without["high"] - without["low"] < 0.92 * (plain["high"] - plain["low"])
    rates = scores(games, by=["bot", "variant"]).set_index(["bot", "variant"])
    first_is_a = parts[0]["first"] == "a"
    own = np.where(first_is_a, parts[0]["adjusted"], 1 - parts[0]["adjusted"])
    assert rates.loc[("a", "base"), "score"] == pytest.approx(own.mean())
    assert without["mean_against"] == pytest.approx(own.mean())
    assert (
        rates.loc[("a", "base"), "wins"] == (np.where(first_is_a, parts[0]["score"], 1 - parts[0]["score"]) == 1).sum()
    )
