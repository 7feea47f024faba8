"""The sequential test against fishtest's figures, an independent solver, and its own promises."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from arena.results.standings_report import sprt_table
from arena.results.words import sprt_line, sprt_text
from arena.stats.pairs import score_of_elo
from arena.stats.sprt import (
    BIAS_REMARK,
    AdjustedSprt,
    Sprt,
    SprtResult,
    SprtTest,
    llr,
    llr_of_many,
    sprt_result,
    stopped_estimate,
)
from benchmarks.simulate import Luck, lucky_pairs, simulate_cells


def after(test: SprtTest, cells: Sequence[int] | npt.NDArray[np.int64]) -> SprtResult:
    """The state of a test after these cells in schedule order."""
    state = Sprt(test)
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


@pytest.mark.parametrize("model", ["logistic", "normalized"])
def test_many_at_once_are_the_same_bits_as_one_by_one(model: Any) -> None:
    counts = np.random.default_rng(3).integers(0, 40, (5, 60)).astype(float) + 1
    test = SprtTest(0, 8, model=model)
    together = llr_of_many(test, counts)
    assert together.tolist() == [float(llr_of_many(test, counts[:, [k]])[0]) for k in range(60)]


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
    expected = after(test, cells)
    assert expected.verdict != "continue"
    for chunk in (7, 500):
        state = Sprt(test)
        for start in range(0, len(cells), chunk):
            state.extend(cells[start : start + chunk])
        assert state.result() == expected


# ---------------------------------------------------------------- with luck taken out


def simulated(number: int, seed: int, score: float = 0.5) -> list[tuple[int, float]]:
    return lucky_pairs(np.random.default_rng(seed), number, 0.5, 0.4, score)


def adjusted_after(test: SprtTest, pairs: Iterable[tuple[int, float]]) -> AdjustedSprt:
    state = AdjustedSprt(test)
    state.extend(pairs)
    return state


@pytest.mark.parametrize("model", ["logistic", "normalized"])
def test_the_adjusted_ratio_is_that_of_normal_scores(model: Any) -> None:
    pairs = simulated(60, 3)
    scores = np.array([cell / 4 - luck for cell, luck in pairs])
    per_elo = math.log(10) / 800 * math.sqrt(2) * np.std([cell / 4 for cell, _ in pairs])
    means = [score_of_elo(elo) if model == "logistic" else 0.5 + elo * per_elo for elo in (-20, 40)]
    variance = np.var([*scores, 0, 0, 1, 1])
    expected = sum((scores - means[0]) ** 2 - (scores - means[1]) ** 2) / (2 * variance)
    found = adjusted_after(SprtTest(-20, 40, 1e-9, 1e-9, model), pairs)
    assert found.llr == pytest.approx(expected, rel=1e-4)


def test_an_adjusted_test_stops_at_the_first_crossing_and_asks_for_no_more_pairs() -> None:
    test, pairs = SprtTest(0, 60), simulated(400, 5, 0.6)
    rest = iter(pairs)
    result = adjusted_after(test, rest).result()
    assert result.verdict == "H1"
    assert next(rest) == pairs[result.units]
    assert sum(result.counts) == result.units < 100
    assert adjusted_after(test, pairs[: result.units - 1]).verdict == "continue"
    state = AdjustedSprt(test)
    for start in range(0, 400, 7):
        state.extend(pairs[start : start + 7])
    assert state.result() == result


def test_what_taking_luck_out_does() -> None:
    result = adjusted_after(SprtTest(0, 20, 1e-9, 1e-9), simulated(500, 6)).result()
    assert result.luck is not None
    assert 1.2 < result.luck.worth < 2
    assert result.luck.counted == pytest.approx(np.mean(np.repeat(range(5), result.counts)) / 4)
    assert sprt_result(SprtTest(0, 20), [1, 0, 2, 0, 1]).luck is None
    empty = AdjustedSprt(SprtTest(0, 20)).result()
    assert (empty.units, empty.estimate, empty.luck, empty.verdict) == (0, None, None, "continue")
    for won in range(1, 30):
        assert math.isfinite(adjusted_after(SprtTest(-1, 1), [(4, 0.0)] * won).llr)


# ---------------------------------------------------------------- the estimate of a test that stopped


def test_a_stopped_test_says_only_what_allows_for_the_stop() -> None:
    running, stopped = sprt_result(SprtTest(0, 100), [1, 0, 5, 0, 4]), sprt_result(SprtTest(0, 100), [0, 0, 5, 0, 7])
    assert "chance of being the stronger bot" in sprt_text(running)
    assert sprt_table(running, "new").rows[0]["los"] is not None
    text = sprt_text(stopped, "new", "old")
    assert "Estimate: new against old +230.8 Elo (95% +71.6 .. +411.0), which allows for the stop; score 79.2%." in text
    assert "chance" not in text
    assert "Elo" not in sprt_line(stopped)
    assert sprt_table(stopped, "new").rows[0]["los"] is None


@pytest.mark.slow
def test_the_estimate_with_luck_taken_out() -> None:
    cells = [cell for cell, _ in lucky_pairs(np.random.default_rng(2), 600, 0.5, 0.4, 0.52)]
    plain, adjusted = Sprt(SprtTest(0, 40)), AdjustedSprt(SprtTest(0, 40))
    plain.extend(cells)
    adjusted.extend((cell, 0.0) for cell in cells)
    as_counted, without = stopped_estimate(plain.result()), stopped_estimate(adjusted.result())
    assert as_counted is not None
    assert without is not None
    assert [*vars(without).values()] == pytest.approx([*vars(as_counted).values()], abs=4.0)
