"""The sequential test against fishtest's figures, an independent solver, and its own promises."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq

from arena.stats.frames import StatsError
from arena.stats.pairs import score_of_elo
from arena.stats.sprt import (
    BIAS_REMARK,
    Sprt,
    SprtResult,
    SprtTest,
    llr,
    llr_of_many,
    sprt_result,
)
from benchmarks.simulate import Luck, expected_units, simulate_cells

COUNTS = st.one_of(
    st.lists(st.integers(0, 300), min_size=5, max_size=5),
    st.lists(st.integers(0, 300), min_size=3, max_size=3),
    st.tuples(st.integers(0, 99), st.just(0), st.integers(0, 99), st.just(0), st.integers(0, 99)).map(list),
).filter(lambda counts: sum(counts) > 0)


def after(test: SprtTest, cells: Sequence[int] | npt.NDArray[np.int64], number: int = 5) -> SprtResult:
    """The state of a test after these cells in schedule order."""
    state = Sprt(test, number)
    state.extend(cells)
    return state.result()


def test_agrees_with_the_reference(reference: dict[str, Any]) -> None:
    seen = 0
    for kind in ("pentanomial", "trinomial"):
        for case in reference[kind].values():
            for line in case["llr"]:
                for model in ("logistic", "normalized"):
                    test = SprtTest(line["elo0"], line["elo1"], model=model)
                    assert llr(test, case["counts"]) == pytest.approx(line[model], rel=1e-6)
                    seen += 1
    assert seen >= 100


def tilted(share: list[float], scores: list[float], target: float) -> list[float]:
    """The definition, one number at a time, with scipy's root finder: an oracle for the vectorised code."""
    gap = [score - target for score in scores]

    def excess(x: float) -> float:
        return sum(p * a / (1 + x * a) for p, a in zip(share, gap))

    low, high = -1 / max(gap), -1 / min(gap)
    x = brentq(excess, low + 1e-10 * abs(low), high - 1e-10 * abs(high), xtol=1e-15, rtol=1e-14)
    return [p / (1 + x * a) for p, a in zip(share, gap)]


@settings(max_examples=150)
@given(COUNTS, st.floats(-60, 40), st.floats(1, 80))
def test_logistic_ratio_is_its_definition(counts: list[int], elo0: float, width: float) -> None:
    filled = [count or 1e-3 for count in counts]
    total = sum(filled)
    share, scores = [c / total for c in filled], [i / (len(counts) - 1) for i in range(len(counts))]
    null, other = (tilted(share, scores, score_of_elo(elo)) for elo in (elo0, elo0 + width))
    wanted = total * sum(p * math.log(b / a) for p, a, b in zip(share, null, other))
    assert llr(SprtTest(elo0, elo0 + width), counts) == pytest.approx(wanted, rel=1e-6, abs=1e-8)


@given(COUNTS, st.sampled_from(["logistic", "normalized"]))
def test_swapping_sides_and_hypotheses_mirrors(counts: list[int], model: Any) -> None:
    there = llr(SprtTest(-3, 12, model=model), counts)
    back = llr(SprtTest(-12, 3, model=model), counts[::-1])
    assert there == pytest.approx(-back, rel=1e-6, abs=1e-7)


@pytest.mark.parametrize("model", ["logistic", "normalized"])
def test_many_at_once_are_the_same_bits_as_one_by_one(model: Any) -> None:
    counts = np.random.default_rng(3).integers(0, 40, (5, 300)).astype(float) + 1
    test = SprtTest(0, 8, model=model)
    together = llr_of_many(test, counts)
    assert together.tolist() == [float(llr_of_many(test, counts[:, [k]])[0]) for k in range(300)]


def test_the_verdict_is_that_of_the_first_crossing() -> None:
    test = SprtTest(0, 40)
    cells = simulate_cells(score_of_elo(40), 4000, np.random.default_rng(5))
    found = after(test, cells)
    assert found.verdict == "H1"
    at = found.units
    counts = [int((cells[:at] == cell).sum()) for cell in range(5)]
    assert found.counts == tuple(counts)
    assert found.llr == llr(test, counts) >= test.upper
    for shorter in range(1, at):
        before = [int((cells[:shorter] == cell).sum()) for cell in range(5)]
        assert test.lower < llr(test, before) < test.upper
    assert found.remark == BIAS_REMARK


def test_how_the_cells_are_divided_changes_nothing() -> None:
    test = SprtTest(0, 30)
    cells = simulate_cells(score_of_elo(10), 6000, np.random.default_rng(8), Luck(0.4, 0.0))
    wanted = after(test, cells)
    assert wanted.verdict != "continue"
    for chunk in (1, 7, 500):
        state = Sprt(test)
        for start in range(0, len(cells), chunk):
            state.extend(cells[start : start + chunk])
        assert state.result() == wanted


def test_cells_are_checked() -> None:
    state = Sprt(SprtTest(0, 10), cells=3)
    with pytest.raises(StatsError, match=r"cells are 0 \.\. 2"):
        state.extend([0, 3])
    with pytest.raises(StatsError, match="5 cells"):
        Sprt(SprtTest(0, 10), cells=4)


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        ({"elo0": 5, "elo1": 5}, "must be less"),
        ({"elo0": 5, "elo1": 0}, "must be less"),
        ({"elo0": 0, "elo1": float("nan")}, "elo1 = nan"),
        ({"elo0": 0, "elo1": 5, "alpha": 0}, "alpha = 0"),
        ({"elo0": 0, "elo1": 5, "beta": 0.5}, "beta = 0.5"),
        ({"elo0": 0, "elo1": 5, "model": "logistik"}, "did you mean 'logistic'"),
        ({"elo0": 0, "elo1": 300, "model": "normalized"}, "-200 .. 200"),
    ],
)
def test_bad_tests_are_told(arguments: dict[str, Any], part: str) -> None:
    with pytest.raises(StatsError, match=part):
        SprtTest(**arguments)


def test_bounds_and_state_without_results() -> None:
    test = SprtTest(0, 5, alpha=0.01, beta=0.1)
    assert test.upper == pytest.approx(math.log(0.9 / 0.01))
    assert test.lower == pytest.approx(math.log(0.1 / 0.99))
    empty = Sprt(test).result()
    assert (empty.units, empty.llr, empty.estimate, empty.verdict) == (0, 0.0, None, "continue")
    done = sprt_result(test, [120, 0, 500, 0, 180])
    assert done.estimate is not None
    assert done.estimate.elo == pytest.approx(26.1, abs=0.1)


@pytest.mark.parametrize("model", ["logistic", "normalized"])
def test_extreme_counts_stay_finite(model: Any) -> None:
    for counts in ([1, 0, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 0, 10**7], [10**6, 0, 0, 0, 10**6], [0, 1, 0]):
        for limits in ((0, 2), (-200, -199), (0, 200)):
            assert math.isfinite(llr(SprtTest(*limits, model=model), counts))


@pytest.mark.slow
def test_expected_length_is_what_tests_take() -> None:
    test = SprtTest(0, 40)
    units = []
    for generator in np.random.default_rng(2).spawn(300):
        units.append(after(test, simulate_cells(score_of_elo(40), 4000, generator)).units)
    predicted, power = expected_units(test, [25, 0, 50, 0, 25], elo=40)
    assert np.mean(units) == pytest.approx(predicted, rel=0.15)
    assert power == pytest.approx(0.95, abs=1e-6)
    assert expected_units(test, [25, 0, 50, 0, 25], elo=0)[1] == pytest.approx(0.05, abs=1e-6)
    middle, half = expected_units(test, [25, 0, 50, 0, 25], elo=20.02)
    assert middle > predicted
    assert half == pytest.approx(0.5, abs=0.01)
