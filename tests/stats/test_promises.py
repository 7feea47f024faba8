"""A short form of benchmarks/promises.py: intervals hold the truth, tests err as rarely as they say.

Seeded, so it either always passes or never; the limits are those of the promise plus the noise of these
smaller numbers.
"""

from __future__ import annotations

import numpy as np
import pytest

from arena.stats.pairs import score_of_elo
from arena.stats.sprt import SprtTest
from benchmarks.promises import coverage, shown_interval
from benchmarks.simulate import Luck, adjusted_test, head_to_head_coverage


@pytest.mark.slow
def test_intervals_hold_the_truth() -> None:
    held = coverage(20, 80, 5, 60, Luck(0.3, 0.3), 120.0)
    shares = {kind: inside / number for kind, (inside, number) in held.items()}
    assert 0.92 <= shares.pop("rating") <= 0.98
    assert all(0.90 <= share <= 0.99 for share in shares.values()), shares


@pytest.mark.parametrize(("elo0", "elo1"), [(0, 60), (200, 300)])
@pytest.mark.slow
def test_tests_with_luck_taken_out_err_as_rarely_as_they_say(elo0: float, elo1: float) -> None:
    for elo, wrong in ((elo0, "H1"), (elo1, "H0")):
        generators = np.random.default_rng(25).spawn(250)
        ended = [adjusted_test(SprtTest(elo0, elo1), generator, score_of_elo(elo)) for generator in generators]
        assert sum(state.verdict == wrong for state in ended) <= 20


TRUE_SCORES = (0.5, 0.55, 0.6, 0.7, 0.75, 0.8, 0.9, 0.95, 0.98, 0.99, 0.999)


@pytest.mark.parametrize("luck", [Luck(), Luck(0.5, 0), Luck(0, 0.5), Luck(1, 0), Luck(0, 1)])
@pytest.mark.parametrize("pairs", [1, 2, 5, 10, pytest.param(30, marks=pytest.mark.soak)])
def test_two_bots_have_intervals_that_hold_for_few_and_one_sided_pairs(pairs: int, luck: Luck) -> None:
    held = head_to_head_coverage(pairs, luck, TRUE_SCORES, shown_interval)
    # pairs that always end alike are half as many results; there the bound of a shut-out leaves out 5% at one end
    least = 0.931 if luck.bot == 1 else 0.95
    assert min(held) >= least, dict(zip(TRUE_SCORES, held))
