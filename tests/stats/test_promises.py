"""A short form of benchmarks/promises.py: intervals hold the truth, tests err as rarely as they say.

Seeded, so it either always passes or never; the limits are those of the promise plus the noise of these
smaller numbers.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

from arena.stats.frames import Floats
from arena.stats.pairs import ELO_SCALE, counts_between, elo_of_score, head_to_head, score_intervals, score_of_elo
from arena.stats.ratings import rate
from arena.stats.sprt import SprtTest
from benchmarks.simulate import Luck, adjusted_test, head_to_head_coverage, pair_shares, simulate_cells, simulate_games

#: Of the deal in its first seat and in its bot: with both the intervals have the most to hold.
LUCK = Luck(0.3, 0.3)


@pytest.mark.slow
def test_intervals_hold_the_truth() -> None:
    ratings, duels, advantages = [], [], []
    for generator in np.random.default_rng(20).spawn(80):
        strength = generator.normal(0, 120, 5)
        strength -= strength.mean()
        games = simulate_games(strength, 60, generator, 30.0, LUCK)
        rated = rate(games)
        truth = strength[[int(bot[1:]) for bot in rated.bots]]
        ratings.append(np.abs(rated.elo - truth) <= rated.error95)
        advantages.append(abs(rated.first_advantage - 30) <= rated.first_advantage_error95)
        lead = strength[0] - strength[1]
        score = (expit((lead + 30) / ELO_SCALE) + expit((lead - 30) / ELO_SCALE)) / 2
        duel = head_to_head(counts_between(games, "b00", "b01"))
        duels.append(duel.elo_low <= elo_of_score(score) <= duel.elo_high)
    assert 0.92 <= np.mean(ratings) <= 0.98
    assert 0.90 <= np.mean(advantages) <= 0.99
    assert 0.90 <= np.mean(duels) <= 0.99


def test_ignoring_the_deals_breaks_the_promise() -> None:
    """The same simulation notices wrong error bars: without the deals the intervals are far too narrow."""
    held = []
    for generator in np.random.default_rng(21).spawn(40):
        strength = generator.normal(0, 120, 5)
        strength -= strength.mean()
        games = simulate_games(strength, 60, generator, 30.0, Luck(0, 0.5)).drop(columns="deal")
        rated = rate(games)
        held.append(np.abs(rated.elo - strength[[int(bot[1:]) for bot in rated.bots]]) <= rated.error95)
    assert np.mean(held) < 0.88


@pytest.mark.parametrize(("elo0", "elo1"), [(0, 60), (200, 300)])
@pytest.mark.slow
def test_tests_with_luck_taken_out_err_as_rarely_as_they_say(elo0: float, elo1: float) -> None:
    for elo, wrong in ((elo0, "H1"), (elo1, "H0")):
        generators = np.random.default_rng(25).spawn(250)
        ended = [adjusted_test(SprtTest(elo0, elo1), generator, score_of_elo(elo)) for generator in generators]
        assert sum(state.verdict == wrong for state in ended) <= 20


def _shown(counts: Floats) -> tuple[Floats, Floats]:
    low, room = score_intervals(counts)
    return low, 1 - room


TRUE_SCORES = (0.5, 0.55, 0.6, 0.7, 0.75, 0.8, 0.9, 0.95, 0.98, 0.99, 0.999)


@pytest.mark.parametrize("luck", [Luck(), Luck(0.5, 0), Luck(0, 0.5), Luck(1, 0), Luck(0, 1)])
@pytest.mark.parametrize("pairs", [1, 2, 5, 10, pytest.param(30, marks=pytest.mark.soak)])
def test_two_bots_have_intervals_that_hold_for_few_and_one_sided_pairs(pairs: int, luck: Luck) -> None:
    held = head_to_head_coverage(pairs, luck, TRUE_SCORES, _shown)
    # pairs that always end alike are half as many results; there the bound of a shut-out leaves out 5% at one end
    least = 0.931 if luck.bot == 1 else 0.95
    assert min(held) >= least, dict(zip(TRUE_SCORES, held))


@pytest.mark.parametrize("luck", [Luck(), Luck(0.5, 0), Luck(0, 0.5), Luck(0, 1)])
def test_the_shares_of_pairs_are_those_that_are_simulated(luck: Luck) -> None:
    cells = simulate_cells(0.8, 40_000, np.random.default_rng(5), luck)
    assert np.bincount(cells, minlength=5)[::2] / 40_000 == pytest.approx(pair_shares(0.8, luck), abs=0.01)
