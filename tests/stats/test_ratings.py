"""Ratings against the reference fits, what must hold for any field, and whether one line of ratings fits."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from scipy.stats import t as student

from arena.stats import LEAST_PRIOR
from arena.stats.frames import StatsError, games_of
from arena.stats.intervals import FEWEST_DEALS
from arena.stats.pairs import ELO_SCALE, head_to_head
from arena.stats.ratings import Ratings, misfit_p_value, rate
from benchmarks.simulate import Luck, simulate_games


def elo_of(rated: Ratings) -> dict[str, float]:
    return dict(zip(rated.bots, rated.elo.tolist()))


def frame(*rows: tuple[str, str, float, int]) -> pd.DataFrame:
    """Games (first, second, score, how often)."""
    expanded = [row[:3] for row in rows for _ in range(row[3])]
    return pd.DataFrame(expanded, columns=["first", "second", "score"])


def field(seed: int = 0, bots: int = 5, deals: int = 40) -> pd.DataFrame:
    generator = np.random.default_rng(seed)
    return simulate_games(generator.normal(0, 100, bots), deals, generator, 25.0)


@pytest.mark.parametrize(("key", "advantage"), [("no_first_advantage", 0.0), ("with_first_advantage", None)])
def test_agrees_with_the_reference_fit(
    reference: dict[str, Any], eight: pd.DataFrame, key: str, advantage: float | None
) -> None:
    wanted = reference["ratings_8_players_no_draws"]["bradley_terry_mle"][key]
    rated = rate(eight, prior=LEAST_PRIOR, first_advantage=advantage)
    assert elo_of(rated) == pytest.approx(wanted["ratings"], abs=1e-3)
    assert rated.first_advantage == pytest.approx(wanted["first_advantage"], abs=1e-3)
    sigma = wanted["sigma (inverse Fisher, sum-zero gauge)"]
    for bot, error in zip(rated.bots, rated.error95):
        assert error == pytest.approx(1.96 * sigma[bot], rel=0.03)
    if advantage is None:
        assert rated.first_advantage_error95 == pytest.approx(1.96 * wanted["sigma_advantage"], rel=0.03)


def test_the_prior_moves_ratings_as_in_bayeselo(reference: dict[str, Any], eight: pd.DataFrame) -> None:
    wanted = reference["ratings_8_players_no_draws"]["bayeselo_prior2_free_advantage_and_draw"]
    rated = rate(eight, prior=2)
    # BayesElo takes a draw for a win and a loss at its own draw width, so the fits agree about, not exactly.
    expected = dict(zip(wanted["players"], wanted["bayeselo_before_scale"]))
    assert elo_of(rated) == pytest.approx(expected, abs=0.2)
    assert rated.first_advantage == pytest.approx(wanted["advantage"], abs=0.1)
    plain = rate(eight, prior=LEAST_PRIOR)
    assert plain.elo[0] - rated.elo[0] > 0.3
    assert any("2 virtual draws" in note for note in rated.notes)


def test_the_mean_is_zero_and_an_anchor_shifts_all() -> None:
    games = field()
    plain = rate(games)
    assert plain.elo.mean() == pytest.approx(0, abs=1e-9)
    assert plain.covariance.sum(axis=0) == pytest.approx(np.zeros(5), abs=1e-6)
    held = rate(games, anchors={"b02": 1500})
    shift = 1500 - elo_of(plain)["b02"]
    assert elo_of(held) == pytest.approx({bot: elo + shift for bot, elo in elo_of(plain).items()}, abs=1e-6)
    assert held.error95[held.bots.index("b02")] == 0
    for bot in ("b00", "b04"):
        gap, at = plain.difference(bot, "b02"), held.bots.index(bot)
        assert (held.minus[at], held.plus[at]) == pytest.approx(gap[1:], rel=1e-6)
        assert held.difference(bot, "b01") == pytest.approx(plain.difference(bot, "b01"), rel=1e-6)


@pytest.mark.filterwarnings("error")
def test_far_anchors_and_tiny_priors_give_ratings_or_a_sentence() -> None:
    games = pd.DataFrame({"first": ["a", "b", "a"], "second": ["b", "a", "b"], "score": [1, 0, 0.5]})
    near, far = rate(games, anchors={"a": 0}), rate(games, anchors={"a": 5000})
    assert far.elo - 5000 == pytest.approx(near.elo)
    assert far.covariance == pytest.approx(near.covariance)
    assert rate(games, anchors={"a": 9000, "b": 0}, first_advantage=0).elo.tolist() == [9000, 0]
    with pytest.raises(StatsError, match="these games do not fix the ratings"):
        rate(games, anchors={"a": 10000, "b": 0})


def two_groups() -> pd.DataFrame:
    one = field(1, bots=3)
    other = field(2, bots=2).replace({"b00": "x", "b01": "y"})
    return pd.concat([one, other], ignore_index=True)


def test_groups_are_rated_apart() -> None:
    games = two_groups().drop(columns="deal")
    rated = rate(games, first_advantage=0.0)
    assert "2 groups" in rated.notes[0]
    assert "(b00, b01, b02); (x, y)" in rated.notes[0]
    assert rated.group.tolist() == [0, 0, 0, 1, 1]
    assert rated.elo[:3].sum() == pytest.approx(0, abs=1e-9)
    assert rated.elo[3:].sum() == pytest.approx(0, abs=1e-9)
    alone = rate(field(1, bots=3).drop(columns="deal"), first_advantage=0.0)
    assert rated.elo[:3] == pytest.approx(alone.elo, abs=1e-6)
    assert rated.error95[:3] == pytest.approx(alone.error95, rel=1e-6)
    assert math.isnan(rated.los().iloc[0, 3])
    assert math.isnan(rated.difference(rated.bots[0], rated.bots[3])[0])


def test_few_deals_give_wide_errors_and_fewer_than_ten_none() -> None:
    rated = {deals: rate(field(9, bots=4, deals=deals)) for deals in (9, 10, 20)}
    widths = [float(rated[deals].error95.mean()) for deals in (10, 20)]
    assert np.isfinite(widths).all()
    assert widths == sorted(widths, reverse=True)
    for deals, words in ((9, "9 deals played, 10 needed"), (20, "based on 20 deals")):
        few = deals < FEWEST_DEALS
        found = rated[deals]
        assert found.deals == deals
        assert np.isnan(found.error95).all() == few
        assert np.isfinite(found.elo).all()
        assert math.isnan(found.difference("b00", "b01")[1]) == few
        assert np.isnan(found.los().to_numpy()).any() == few
        assert math.isnan(found.shown_advantage()[0]) == few
        assert any(words in note for note in found.notes)
        assert bool(found.advice) == few
    held = rate(field(9, bots=4, deals=2), anchors={"b00": 100})
    assert held.error95[held.bots.index("b00")] == 0
    assert np.isnan(held.error95).sum() == 3


def plain_sandwich(games: pd.DataFrame, rated: Ratings) -> tuple[np.ndarray, float]:
    """The definition, with one row of a dense matrix a game: an oracle for the errors (prior 1, no anchor)."""
    names = list(rated.bots)
    n = len(names)
    first = np.array([names.index(bot) for bot in games["first"]])
    second = np.array([names.index(bot) for bot in games["second"]])

    def rows(one: np.ndarray, other: np.ndarray) -> np.ndarray:
        return np.eye(n + 1)[one] - np.eye(n + 1)[other] + np.eye(n + 1)[n]

    theta = np.append(rated.elo, rated.first_advantage) / ELO_SCALE
    x = rows(first, second)
    chance = expit(x @ theta)
    played = np.bincount(np.append(first, second), minlength=n)
    extra_one, extra_other, extra_weight = [], [], []
    for one, other in zip(first, second):
        for i, j in ((one, other), (other, one)):
            extra_one.append(i)
            extra_other.append(j)
            extra_weight.append(0.25 * (1 / played[one] + 1 / played[other]))
    virtual = rows(np.array(extra_one), np.array(extra_other))
    virtual_chance = expit(virtual @ theta)
    expected = virtual_chance * (1 - virtual_chance)
    virtual_part, virtual_spread = (
        (virtual.T * (np.array(extra_weight) * weight)) @ virtual for weight in (expected, 0.5 - expected)
    )
    information = (x.T * (chance * (1 - chance))) @ x + virtual_part
    inverse = np.linalg.pinv(information)

    residual = x * (games["score"].to_numpy() - chance)[:, None]
    by_deal = pd.DataFrame(residual).groupby(games["deal"].to_numpy()).sum().to_numpy()
    few = 1 / np.minimum(rated.clusters[first], rated.clusters[second])
    inner = by_deal.T @ by_deal + (x.T * (chance * (1 - chance) * few)) @ x + virtual_spread
    covariance = inverse @ inner @ inverse * ELO_SCALE**2
    return covariance[:n, :n], float(covariance[n, n])


@pytest.mark.parametrize(("bots", "deals", "kept"), [(5, 40, 300), (30, 900, 1200)])
def test_errors_are_the_sandwich_by_definition(bots: int, deals: int, kept: int) -> None:
    """Few deals with many bots on each, and many deals with few, take different ways; seats are uneven."""
    generator = np.random.default_rng(bots + deals)
    games = simulate_games(generator.normal(0, 60, bots), deals, generator, 25.0, Luck(0.3, 0.3))
    uneven = games[(games["first"] < games["second"]) | (games["deal"] % 3 == 0)]
    sample = uneven.sample(kept, random_state=1).reset_index(drop=True)
    rated = rate(sample)
    covariance, advantage = plain_sandwich(sample, rated)
    assert rated.covariance == pytest.approx(covariance, rel=1e-5, abs=1e-3)
    width = rated.first_advantage_error95 / math.sqrt(advantage)
    number = sample["deal"].nunique()
    assert width == pytest.approx(student.ppf(0.975, number - 1) * math.sqrt(number / (number - 1)), rel=1e-5)


# ---------------------------------------------------------------- at the edge


def duels(bots: int, *pairs: tuple[int, int, float, float, int]) -> pd.DataFrame:
    """Pairs (bot, opponent, scores of the bot as first and of the opponent as first, how often), each a deal."""
    rows = []
    for i, j, forth, back, often in pairs:
        for _ in range(often):
            deal = len(rows) // 2
            rows += [(f"b{i}", f"b{j}", forth, deal), (f"b{j}", f"b{i}", back, deal)]
    return pd.DataFrame(rows, columns=["first", "second", "score", "deal"])


EDGES = json.loads((Path(__file__).parents[1] / "data" / "ratings_edges.json").read_text())["cases"]


@pytest.mark.parametrize("case", EDGES, ids=[case["name"] for case in EDGES])
def test_intervals_at_the_edge_agree_with_the_reference(case: dict[str, Any]) -> None:
    rated = rate(duels(case["bots"], *case["pairs"]))
    order = [rated.bots.index(f"b{bot}") for bot in range(case["bots"])]
    assert rated.elo[order] == pytest.approx(case["elo"], abs=1e-5)
    low, high = (rated.elo - rated.minus)[order], (rated.elo + rated.plus)[order]
    assert low == pytest.approx([-math.inf if end is None else end for end in case["low"]], abs=1e-5)
    assert high == pytest.approx([math.inf if end is None else end for end in case["high"]], abs=1e-5)
    assert rated.near[order].tolist() == case["near"]
    assert rated.first_advantage == pytest.approx(case["advantage"], abs=1e-5)
    endless = {bot for bot, error in zip(rated.bots, rated.error95) if math.isinf(error)}
    assert all(any(bot in note and "∞" in note for note in rated.notes) for bot in endless)


def test_fewer_wins_never_give_a_shorter_longer_side() -> None:
    """Of b2, which wins 0, 1, 2 or 3 of its 40 games, each on a deal of its own."""
    longest = []
    for won in range(4):
        others = [(0, 1, 1.0, 0.0, 5), (0, 1, 1.0, 1.0, 3), (0, 1, 0.0, 0.0, 2), (0, 2, 1.0, 0.0, 10)]
        rated = rate(duels(3, *others, (1, 2, 1.0, 0.0, 10 - won), (1, 2, 1.0, 1.0, won)))
        assert rated.bots[-1] == "b2"
        longest.append(float(rated.error95[-1]))
    assert longest[0] == math.inf
    assert longest == sorted(longest, reverse=True)


def test_a_hopeless_bot_moves_no_other() -> None:
    others = [(0, 1, 1.0, 0.0, 20), (0, 1, 1.0, 1.0, 12), (0, 1, 0.0, 0.0, 8)]
    plain = rate(duels(2, *others))
    rated = rate(duels(3, *others, (0, 2, 1.0, 0.0, 40), (1, 2, 1.0, 0.0, 40)))
    assert not rated.near[2]
    assert rated.near[:2].all()
    assert rated.elo[:2].mean() == pytest.approx(200)  # 0 is the mean of these two and one 400 away
    assert rated.error95[:2] == pytest.approx(plain.error95, rel=0.2)


def test_the_likelihood_agrees_with_the_interval() -> None:
    rated = rate(field(3, bots=6, deals=60))
    likely = rated.los()
    for (bot, other), gap in rated.all_differences().items():
        if gap.elo > 0:
            assert (likely.at[bot, other] > 0.975) == (gap.elo > gap.minus)
            assert likely.at[bot, other] + likely.at[other, bot] == pytest.approx(1)


def test_two_bots_are_rated_by_their_pairs() -> None:
    for counts in ((5, 0, 35, 0, 10), (2, 0, 3, 0, 45), (0, 0, 0, 0, 25)):
        lost, _, split, _, won = counts
        rated = rate(duels(2, (0, 1, 0.0, 1.0, lost), (0, 1, 1.0, 1.0, split), (0, 1, 1.0, 0.0, won)))
        duel = head_to_head(counts)
        low, high = ((rated.elo + end)[0] * 2 for end in (-rated.minus, rated.plus))
        assert (low, high) == pytest.approx((duel.elo_low, duel.elo_high))
        gap = rated.difference("b0", "b1")
        assert (gap.elo - gap.minus, gap.elo + gap.plus) == pytest.approx((low, high))
        assert math.isfinite(gap.elo)
        assert rated.los().at["b0", "b1"] == duel.los


def test_two_bots_on_a_given_scale_are_rated_as_a_field() -> None:
    games = duels(2, (0, 1, 1.0, 1.0, 20), (0, 1, 1.0, 0.0, 20))
    plain = rate(games)
    assert plain.duel is not None
    for scale in ({"prior": 500.0}, {"anchors": {"b1": 0.0}}, {"first_advantage": 0.0}, {"centre": ["b0"]}):
        assert rate(games, **scale).duel is None  # type: ignore[arg-type]
    assert rate(games, prior=500.0).elo[0] < plain.elo[0] / 3


def test_noise_of_the_fit_does_not_order_equal_bots() -> None:
    """In a round robin equal points are equal ratings, and such bots stand in the order of their names."""
    rng = np.random.default_rng(5)
    names = [f"b{number:02}" for number in rng.permutation(30)]
    games = pd.DataFrame(
        [(a, b, float(rng.integers(0, 2))) for a in names for b in names if a != b],
        columns=["first", "second", "score"],
    )
    found = rate(games)
    points = dict(zip(found.bots, found.wins.tolist()))
    assert len(set(points.values())) < 20
    assert list(found.bots) == sorted(names, key=lambda name: (-points[name], name))
    assert len(set(found.elo.tolist())) == len(set(points.values()))


# ---------------------------------------------------------------- whether one line fits


ORACLES = json.loads((Path(__file__).parents[1] / "data" / "statistics_oracles.json").read_text())


def independent(won: list[list[int]]) -> pd.DataFrame:
    """Independent games, each on a deal of its own; each bot is first in half of the games that it wins."""
    rows = []
    for i, line in enumerate(won):
        for j, number in enumerate(line):
            rows += [(f"b{i}", f"b{j}", 1.0) if game % 2 else (f"b{j}", f"b{i}", 0.0) for game in range(number)]
    return pd.DataFrame(rows, columns=["first", "second", "score"])


def test_a_field_of_independent_games_as_statsmodels_and_choix() -> None:
    oracle = ORACLES["line"]
    games = games_of(independent(oracle["won"]))
    rated = rate(games, prior=LEAST_PRIOR, first_advantage=0.0)
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
