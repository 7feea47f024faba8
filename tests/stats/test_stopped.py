"""The estimate of a sequential test that stopped: lower than the plain one after H1, with ends that allow for it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from arena.stats.sprt import AdjustedSprt, Sprt, SprtTest, sprt_result
from arena.stats.stopped import stopped_estimate
from benchmarks.simulate import lucky_pairs


@pytest.mark.parametrize(("elo1", "counts"), [(10, (330, 0, 900, 0, 420)), (60, (20, 0, 60, 0, 50))])
def test_a_test_that_ended_with_h1_is_estimated_lower(elo1: float, counts: tuple[int, ...]) -> None:
    result = sprt_result(SprtTest(0, elo1), counts)
    estimate = stopped_estimate(result)
    assert result.verdict == "H1"
    assert result.estimate is not None
    assert estimate is not None
    assert estimate.elo_low < estimate.elo < result.estimate.elo < estimate.elo_high


def test_a_shut_out_has_a_bound_and_a_running_test_nothing() -> None:
    assert stopped_estimate(sprt_result(SprtTest(0, 10), (5, 0, 9, 0, 6))) is None
    shut_out = stopped_estimate(sprt_result(SprtTest(0, 60), (0, 0, 0, 0, 19)))
    assert shut_out is not None
    assert shut_out.elo_low > 30
    assert shut_out.elo_high == math.inf


def test_the_same_results_seen_by_the_other_bot() -> None:
    won = stopped_estimate(sprt_result(SprtTest(-30, 30), (12, 0, 50, 0, 40)))
    lost = stopped_estimate(sprt_result(SprtTest(-30, 30), (40, 0, 50, 0, 12)))
    assert won is not None
    assert lost is not None
    assert won.elo == pytest.approx(-lost.elo, abs=2.0)
    assert won.elo_low == pytest.approx(-lost.elo_high, abs=2.0)


def test_the_estimate_with_luck_taken_out() -> None:
    cells = [cell for cell, _ in lucky_pairs(np.random.default_rng(2), 900, 0.5, 0.4, 0.52)]
    plain, adjusted = Sprt(SprtTest(0, 30)), AdjustedSprt(SprtTest(0, 30))
    plain.extend(cells)
    adjusted.extend((cell, 0.0) for cell in cells)
    as_counted, without = stopped_estimate(plain.result()), stopped_estimate(adjusted.result())
    assert as_counted is not None
    assert without is not None
    assert [*vars(without).values()] == pytest.approx([*vars(as_counted).values()], abs=4.0)
