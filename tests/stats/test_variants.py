"""Win rates by variant, and luck taken out."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm, ttest_rel

from arena.stats import variants
from arena.stats.adjusted import FEWEST_JUDGED, take_luck_out
from arena.stats.field import game_length, scores
from arena.stats.frames import Floats, StatsError, games_of
from arena.stats.intervals import mean_difference
from benchmarks.simulate import Luck, simulate_games


def played(seed: int = 0, deals: int = 60, luck: Luck | None = None) -> pd.DataFrame:
    """Two bots under two rule sets; the lead of b00 grows from one to the other on unlike cards."""
    generator = np.random.default_rng(seed)
    parts = []
    for name, lead in (("base", 20.0), ("tactical", 120.0)):
        games = simulate_games(np.array([lead, 0.0]), deals, generator, 30.0, luck)
        parts.append(games.assign(variant=name, turns=generator.integers(30, 50, len(games)) + (lead > 100) * 4))
    return pd.concat(parts, ignore_index=True)


def test_holm_by_hand() -> None:
    assert variants.holm(np.array([0.01, 0.04, 0.03, 0.005])) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert variants.holm(np.array([0.6, 0.9])) == pytest.approx([1.0, 1.0])
    assert len(variants.holm(np.array([]))) == 0


def test_the_interval_is_that_of_the_pairs() -> None:
    games = played(deals=2000)
    table = scores(games, by=["bot", "variant"]).set_index(["bot", "variant"])
    base = games[games["variant"] == "base"]
    hero_scores = np.where(base["first"] == "b00", base["score"], 1 - base["score"])
    pairs = hero_scores.reshape(-1, 2).mean(axis=1)
    half = norm.ppf(0.975) * pairs.std(ddof=1) / np.sqrt(2000)
    found = table.loc[("b00", "base")]
    assert found["score"] == pytest.approx(pairs.mean())
    assert found["score_low"] == pytest.approx(pairs.mean() - half, abs=5e-4)
    assert found["score_high"] == pytest.approx(pairs.mean() + half, abs=5e-4)


def test_shared_deals_are_paired() -> None:
    generator = np.random.default_rng(4)
    deal_luck = generator.normal(0, 1, 200)
    one = (deal_luck + generator.normal(0, 0.5, 200) > 0).astype(float)
    other = (deal_luck + generator.normal(0, 0.5, 200) > 0.3).astype(float)
    deals = np.arange(200)
    paired = mean_difference(one, deals, other, deals)
    expected = ttest_rel(one, other)
    assert paired.p_value == pytest.approx(expected.pvalue, rel=1e-6)
    assert paired.shared == 200
    shuffled = generator.permutation(200)
    assert mean_difference(one[shuffled], deals[shuffled], other, deals).error == pytest.approx(paired.error)
    apart = mean_difference(one, deals, other, deals + 1000)
    assert apart.shared == 0
    assert apart.error > 1.3 * paired.error


def test_lengths_that_differ_alike_in_all_deals_are_not_certain() -> None:
    deals = np.repeat(np.arange(10), 2)
    turns = np.array([40.0, 44, 38, 46] * 5)
    found = mean_difference(turns, deals, turns + 2, deals, scores=False)
    assert found.difference == -2
    assert found.low < -2.5 < -1.5 < found.high
    assert 0 < found.p_value < 0.01
    many = np.arange(100)
    more = mean_difference(many % 9 + 38.0, many, many % 9 + 40.0, many, scores=False)
    assert -2.2 < more.low < -2 < more.high < -1.8
    alike = mean_difference([40.0] * 10, range(10), [40.0] * 10, range(10), scores=False)
    assert np.isnan([alike.error, alike.low, alike.high]).all()
    assert alike.p_value == 1


def test_differences_on_few_deals_have_neither_interval_nor_p_value() -> None:
    score = np.arange(40) % 3 / 2
    few, enough = np.arange(40) % 9, np.arange(40) % 10
    for one, other, known in ((few, enough, False), (enough, few + 100, False), (enough, enough, True)):
        found = mean_difference(score, one, 1 - score**2, other)
        assert found.difference == pytest.approx(np.mean(score - 1 + score**2))
        assert np.isfinite([found.error, found.low, found.high, found.p_value]).all() == known
    games = played(deals=40)
    short = games[(games["variant"] == "base") & (games["deal"] < 9)].assign(variant="expert")
    table = variants.win_rate_differences(pd.concat([games, short]), bot="b00").set_index(["variant", "against"])
    known = table["p_holm"].notna()
    assert table.index[known].tolist() == [("tactical", "base")]
    assert table["p_holm"][known].tolist() == table["p_value"][known].tolist()  # the others are no comparisons


def test_first_player_and_length() -> None:
    with pytest.raises(StatsError, match="no column 'turns'"):
        variants.length_differences(played().drop(columns="turns"))
    games = played(deals=400)
    first = variants.first_player_advantage(games)
    assert first["variant"].tolist() == ["base", "tactical"]
    assert (first["elo"] > 0).all()
    assert (first["elo_low"] < first["elo"]).all()
    assert variants.first_player_differences(games)["p_value"].iloc[0] > 0.001
    length = game_length(games, by=["variant"]).set_index("variant")
    assert length.loc["tactical", "turns_mean"] - length.loc["base", "turns_mean"] == pytest.approx(4, abs=1)
    difference = variants.length_differences(games).iloc[0]
    assert difference["difference"] == pytest.approx(4, abs=1)
    assert difference["high"] - difference["low"] == pytest.approx(4 * 5.77 * np.sqrt(2 / 800), rel=0.1)
    assert difference["p_value"] < 1e-6


CARDS = pd.DataFrame(
    {
        "variant": "tactical",
        "card": ["scout", "scout", "scout", "fog", "fog", "fog"],
        "played_by_first": [1, 0, 0, 0, 0, 0],
        "played_by_second": [1, 1, 0, 0, 0, 0],
        "score": [1.0, 0.0, 1.0, 1.0, 0.0, 1.0],
        "deal": [1, 1, 2, 1, 1, 2],
    }
)


def test_card_effects_by_hand() -> None:
    table = variants.card_effects(CARDS).set_index("card")
    scout = table.loc["scout"]
    assert scout[["games", "plays", "sides"]].tolist() == [3, 3, 3]
    assert scout["played"] == pytest.approx(2 / 3)
    assert scout["score"] == pytest.approx(2 / 3)  # won, lost, won
    assert scout["score_without"] == pytest.approx(1 / 3)
    assert np.isnan([scout["score_low"], scout["score_high"]]).all()  # on one deal
    cards = pd.concat([CARDS.assign(deal=CARDS["deal"] + 2 * copy) for copy in range(10)])
    scout = variants.card_effects(cards).set_index("card").loc["scout"]
    assert scout["score_low"] < 2 / 3 < scout["score_high"]
    assert np.isnan(table.loc["fog", "score"])
    assert table.loc["fog", "plays"] == 0


# ---------------------------------------------------------------- luck taken out


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
