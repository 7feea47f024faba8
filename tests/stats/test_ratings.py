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

from arena.stats.fit import misfit_p_value
from arena.stats.frames import Floats, StatsError, games_of
from arena.stats.intervals import FEWEST_DEALS
from arena.stats.pairs import ELO_SCALE, counts_between, head_to_head
from arena.stats.ratings import Ratings, rate
from benchmarks.simulate import Luck, simulate_games


def elo_of(rated: Ratings) -> dict[str, float]:
    return dict(zip(rated.bots, levels(rated).tolist()))


def levels(rated: Ratings) -> Floats:
    """Ratings, or the bounds of bots without one."""
    return np.where([flag != "" for flag in rated.flag], rated.bound, rated.elo)


def frame(*rows: tuple[str, str, float, int]) -> pd.DataFrame:
    """Games (first, second, score, how often)."""
    expanded = [row[:3] for row in rows for _ in range(row[3])]
    return pd.DataFrame(expanded, columns=["first", "second", "score"])


def field(seed: int = 0, bots: int = 5, deals: int = 40, luck: Luck | None = None) -> pd.DataFrame:
    generator = np.random.default_rng(seed)
    return simulate_games(generator.normal(0, 100, bots), deals, generator, 25.0, luck)


@pytest.mark.parametrize(("key", "advantage"), [("no_first_advantage", 0.0), ("with_first_advantage", None)])
def test_agrees_with_the_reference_fit(
    reference: dict[str, Any], eight: pd.DataFrame, key: str, advantage: float | None
) -> None:
    wanted = reference["ratings_8_players_no_draws"]["bradley_terry_mle"][key]
    rated = rate(eight, prior=0, first_advantage=advantage)
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
    plain = rate(eight, prior=0)
    assert plain.elo[0] - rated.elo[0] > 0.3
    assert any("prior: 2" in note for note in rated.notes)


def test_two_bots_have_the_error_of_their_pairs() -> None:
    for luck in (Luck(), Luck(0.6, 0)):
        games = simulate_games(np.array([40.0, -40.0]), 1500, np.random.default_rng(3), 25.0, luck)
        duel = head_to_head(counts_between(games, "b00", "b01"))
        gap, error = rate(games, prior=0).difference("b00", "b01")
        # The pair's score mixes both seats, hence not the very same number where the first player is ahead.
        assert gap == pytest.approx(duel.elo, abs=1)
        assert error == pytest.approx(duel.elo_error95, rel=0.03)


def test_the_mean_is_zero_and_an_anchor_shifts_all() -> None:
    games = field()
    plain = rate(games)
    assert plain.elo.mean() == pytest.approx(0, abs=1e-9)
    assert plain.covariance.sum(axis=0) == pytest.approx(np.zeros(5), abs=1e-6)
    held = rate(games, anchors={"b02": 1500})
    shift = 1500 - elo_of(plain)["b02"]
    assert elo_of(held) == pytest.approx({bot: elo + shift for bot, elo in elo_of(plain).items()}, abs=1e-6)
    errors = dict(zip(held.bots, held.error95))
    assert errors["b02"] == 0
    for bot in ("b00", "b04"):
        assert errors[bot] == pytest.approx(plain.difference(bot, "b02")[1], rel=1e-6)
        assert held.difference(bot, "b01") == pytest.approx(plain.difference(bot, "b01"), rel=1e-6)


@pytest.mark.filterwarnings("error")
def test_far_anchors_and_tiny_priors_give_ratings_or_a_sentence() -> None:
    games = pd.DataFrame({"first": ["a", "b", "a"], "second": ["b", "a", "b"], "score": [1, 0, 0.5]})
    near, far = rate(games, anchors={"a": 0}), rate(games, anchors={"a": 5000})
    assert far.elo - 5000 == pytest.approx(near.elo)
    assert far.covariance == pytest.approx(near.covariance)
    assert rate(games, anchors={"a": 9000, "b": 0}, first_advantage=0).elo.tolist() == [9000, 0]
    for given in ({"anchors": {"a": 10000, "b": 0}}, {"prior": 1e-30}):
        with pytest.raises(StatsError, match="these games do not fix the ratings"):
            rate(games, **given)


def perfect() -> pd.DataFrame:
    return pd.concat(
        [
            frame(("top", "mid", 1, 5), ("mid", "top", 0, 5), ("top", "low", 1, 5), ("low", "top", 0, 5)),
            frame(("mid", "low", 1, 6), ("mid", "low", 0, 4), ("low", "mid", 1, 6), ("low", "mid", 0, 4)),
        ],
        ignore_index=True,
    )


def test_a_perfect_score_is_a_bound_without_a_prior() -> None:
    rated = rate(perfect(), prior=0)
    assert (rated.bots[0], rated.flag) == ("top", (">", "", ""))
    assert math.isnan(rated.elo[0])
    assert math.isnan(rated.error95[0])
    assert any("top" in note and "prior" in note for note in rated.notes)
    others = rate(perfect().query("first != 'top' and second != 'top'"), prior=0)
    assert rated.elo[1:] == pytest.approx(others.elo, abs=1e-6)
    # The bound is where twenty wins have a chance of 2.5%.
    elo = elo_of(rated)
    log_chance = 0.0
    for other in ("mid", "low"):
        for side in (1, -1):
            gap = elo["top"] - elo[other] + side * rated.first_advantage
            log_chance += 5 * math.log(expit(gap / ELO_SCALE))
    assert math.exp(log_chance) == pytest.approx(0.025, rel=1e-6)
    los = rated.los()
    assert math.isnan(los.loc["top", "mid"])
    assert math.isnan(rated.difference("top", "low")[0])
    upside = rate(perfect().assign(score=1 - perfect()["score"]), prior=0)
    assert (upside.bots[-1], upside.flag[-1]) == ("top", "<")


def test_a_perfect_block_keeps_its_inner_order() -> None:
    games = pd.concat(
        [
            frame(("a", "b", 1, 14), ("a", "b", 0, 6), ("b", "a", 1, 8), ("b", "a", 0, 12)),
            frame(("c", "d", 1, 11), ("c", "d", 0, 9), ("d", "c", 1, 11), ("d", "c", 0, 9), ("d", "e", 1, 5)),
            frame(("e", "c", 1, 5), ("e", "d", 0, 5), ("c", "e", 0, 2), ("a", "d", 1, 8)),
        ]
    )
    rated = rate(games, prior=0)
    flags = dict(zip(rated.bots, rated.flag))
    assert flags == {"a": ">", "b": ">", "c": "", "d": "", "e": ""}
    elo = elo_of(rated)
    inner = frame(("a", "b", 1, 14), ("a", "b", 0, 6), ("b", "a", 1, 8), ("b", "a", 0, 12))
    alone = rate(inner, prior=0, first_advantage=rated.first_advantage)
    assert elo["a"] - elo["b"] == pytest.approx(alone.difference("a", "b")[0], abs=1e-6)
    chance = expit((elo["a"] - elo["d"] + rated.first_advantage) / ELO_SCALE)
    assert chance**8 == pytest.approx(0.025, rel=1e-6)


def two_groups() -> pd.DataFrame:
    one = field(1, bots=3)
    other = field(2, bots=2).replace({"b00": "x", "b01": "y"})
    return pd.concat([one, other], ignore_index=True)


def test_groups_are_rated_apart() -> None:
    games = two_groups().drop(columns="deal")
    rated = rate(games, prior=0, first_advantage=0.0)
    assert "2 groups" in rated.notes[0]
    assert "(b00, b01, b02); (x, y)" in rated.notes[0]
    assert rated.group.tolist() == [0, 0, 0, 1, 1]
    assert rated.elo[:3].sum() == pytest.approx(0, abs=1e-9)
    assert rated.elo[3:].sum() == pytest.approx(0, abs=1e-9)
    alone = rate(field(1, bots=3).drop(columns="deal"), prior=0, first_advantage=0.0)
    assert rated.elo[:3] == pytest.approx(alone.elo, abs=1e-6)
    assert rated.error95[:3] == pytest.approx(alone.error95, rel=1e-6)
    assert math.isnan(rated.los().iloc[0, 3])
    assert math.isnan(rated.difference(rated.bots[0], rated.bots[3])[0])


@pytest.mark.parametrize("score", [1.0, 0.0])
def test_an_advantage_that_runs_away_is_told(score: float) -> None:
    always = frame(("a", "b", score, 9), ("b", "a", score, 9))
    with pytest.raises(StatsError, match="first player's advantage"):
        rate(always, prior=0)
    held = rate(always, prior=0, first_advantage=0.0)
    assert held.elo == pytest.approx([0, 0], abs=1e-9)
    rated = rate(always)
    assert rated.first_advantage * (2 * score - 1) > 200
    assert rated.first_advantage_error95 > 200


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        ({"prior": float("nan")}, "prior nan"),
        ({"anchors": {"b0": 5}}, "no bot 'b0'.*did you mean 'b0"),
        ({"anchors": {"b00": -1e300}}, "anchor b00=-1e.300: expected Elo from -1,000,000 to 1,000,000"),
        ({"first_advantage": float("nan")}, "first_advantage nan"),
    ],
)
def test_bad_arguments_are_told(arguments: dict[str, Any], part: str) -> None:
    with pytest.raises(StatsError, match=part):
        rate(field(), **arguments)


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
    """The definition, with one row of a dense matrix a game: an oracle for the errors (prior 2, no anchor)."""
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
            extra_weight.append(0.25 * 2 * (1 / played[one] + 1 / played[other]))
    virtual = rows(np.array(extra_one), np.array(extra_other))
    virtual_chance = expit(virtual @ theta)
    virtual_part = (virtual.T * (np.array(extra_weight) * virtual_chance * (1 - virtual_chance))) @ virtual
    information = (x.T * (chance * (1 - chance))) @ x + virtual_part
    inverse = np.linalg.pinv(information)

    residual = x * (games["score"].to_numpy() - chance)[:, None]
    by_deal = pd.DataFrame(residual).groupby(games["deal"].to_numpy()).sum().to_numpy()
    few = 1 / np.minimum(rated.clusters[first], rated.clusters[second])
    inner = by_deal.T @ by_deal + (x.T * (chance * (1 - chance) * few)) @ x + virtual_part
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


def test_a_bot_that_only_won_is_said_to_rest_on_the_prior() -> None:
    rated = rate(perfect())
    assert (rated.bots[0], rated.flag) == ("top", ("", "", ""))
    assert np.isfinite(rated.elo).all()
    assert rated.error95[0] > 200  # twenty wins do not pin a rating down
    assert any(note.startswith("all games of top against the others went one way") for note in rated.notes)
    assert not any("one way" in note for note in rate(field(1)).notes)
    assert not any("one way" in note for note in rate(perfect(), prior=0).notes)


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
