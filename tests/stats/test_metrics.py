"""Metrics against figures counted by hand from a handful of games, and the expressions in them and in --where."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.stats.estimates import Estimate, bot_metrics, estimate
from arena.stats.intervals import mean_error, mean_interval
from arena.stats.metrics import Metric, read_metric
from arena.stats.selection import ExpressionError, evaluate_rows, holds, parse

GAMES = pd.DataFrame(
    {
        "pairing": 0,
        "deal": [0, 0, 1, 1, 2, 2],
        "game": [0, 1, 0, 1, 0, 1],
        "first": ["a", "b", "a", "b", "a", "b"],
        "second": ["b", "a", "b", "a", "b", "a"],
        "score": [1.0, 0.0, 0.5, 1.0, 1.0, 1.0],
        "turns": [30, 40, 52, 44, 48, 36],
        "stones_first": np.array([5, 2, 4, 5, 5, 5], np.int8),
        "stones_second": np.array([3, 5, 4, 1, 0, 2], np.int8),
        "ending": ["x", "x", "y", "x", "y", "x"],
        "forfeit_by": [None, None, "a", None, None, None],
        "ms_first": [10.0, 9, 8, 7, 6, 5],
        "ms_second": 4.0,
        "decisions_first": [10, 3, 4, 7, 6, 5],
        "decisions_second": [2, 0, 2, 2, 2, 2],
    }
)
DEALS = [0, 1, 2, 0, 1, 2]
"""Of the games of a: those it begins, then the others."""
NOTES = pd.DataFrame(
    [
        (0, 0, 0, "a", 1.0, 1, "depth", 3.0),
        (0, 0, 0, "a", 1.0, 1, "value", 0.5),
        (0, 1, 0, "a", 0.5, 9, "depth", 6.0),
        (0, 1, 0, "b", 0.5, 2, "depth", 8.0),
        (0, 7, 0, "a", 0.5, 2, "depth", 99.0),
    ],
    columns=["pairing", "deal", "game", "bot", "score", "number", "note", "figure"],
)
TIMES = pd.DataFrame(
    [(0, 0, 0, "a", 2.0), (0, 0, 0, "a", 4.0), (0, 1, 0, "a", 9.0), (0, 1, 0, "b", 1.0), (0, 7, 0, "a", 99.0)],
    columns=["pairing", "deal", "game", "bot", "move_ms"],
)


TIMES_PLAYED = 4
"""Copies of the games, each on deals of its own, that are enough deals for an error."""
MORE_DEALS = [deal + 3 * copy for copy in range(TIMES_PLAYED) for deal in DEALS]


def estimates(text: str, copies: int = 1) -> dict[str, Estimate]:
    games = pd.concat([GAMES.assign(deal=GAMES["deal"] + 3 * copy) for copy in range(copies)], ignore_index=True)
    return bot_metrics(games, [read_metric("it", text)], lambda: NOTES, lambda: TIMES)["it"]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("mean turns", [30, 52, 48, 40, 44, 36]),
        ("mean stones * 100 - stones_against", [497, 396, 500, 498, 95, 195]),
        ("mean ms", [1, 2, 1, 4, 2, 2]),
    ],
)
def test_means(text: str, values: list[float]) -> None:
    error = mean_error(values * TIMES_PLAYED, MORE_DEALS)
    assert error > 0
    assert estimates(text, TIMES_PLAYED)["a"] == pytest.approx((np.mean(values), error))


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("share turns > 45", [0, 1, 1, 0, 0, 0]),
        ("share began and ending == 'x'", [1, 0, 0, 0, 0, 0]),
        ("share forfeited", [0, 1, 0, 0, 0, 0]),
    ],
)
def test_shares(text: str, held: list[float]) -> None:
    interval = mean_interval(held * TIMES_PLAYED, MORE_DEALS)
    assert interval.high > interval.low
    assert estimates(text, TIMES_PLAYED)["a"] == pytest.approx((interval.mean, (interval.high - interval.low) / 2))


def test_a_sum_has_the_error_of_the_sums_of_deals() -> None:
    error = 12 * mean_error([10, 5, 7] * TIMES_PLAYED, range(12))
    assert estimates("sum stones", TIMES_PLAYED)["a"] == pytest.approx((4 * 22, error))


@pytest.mark.parametrize(
    ("text", "a", "b"),
    [
        ("mean note.depth", 4.5, 8.0),  # that of deal 7 is of a game that is not there
        ("mean note.depth + note.value", 3.5, None),  # moves with which both were said
        ("share note.depth > turns / 9", 0.5, 1.0),
        ("mean note.nodes", None, None),
    ],
)
def test_notes(text: str, a: float | None, b: float | None) -> None:
    found = estimates(text)
    assert [found[bot].value if bot in found else None for bot in "ab"] == [a, b]


@pytest.mark.parametrize(
    ("text", "a", "b"),
    [("mean move_ms", 5.0, 1.0), ("quantile 0.5 move_ms", 4.0, 1.0), ("share move_ms > turns / 10", 2 / 3, 0.0)],
)
def test_times_of_decisions(text: str, a: float, b: float) -> None:
    found = estimates(text)
    assert (found["a"].value, found["b"].value) == pytest.approx((a, b))  # deal 7 is not there
    assert read_metric("it", text).measured


def test_a_quantile_and_its_error() -> None:
    rng = np.random.default_rng(1)
    metric, deals = Metric("it", "quantile", "turns", 0.9), np.repeat(np.arange(200), 2)
    found = [estimate(metric, np.repeat(rng.normal(size=200), 2), deals) for _ in range(150)]
    held = [abs(estimate.value - 1.2816) <= estimate.error95 for estimate in found]
    assert 0.92 <= np.mean(held) <= 0.98  # two games of a deal that are the same are one piece of evidence
    median = Metric("it", "quantile", "turns", 0.5)
    errors = [estimate(median, np.arange(float(few)), np.arange(few)).error95 for few in (9, 10)]
    assert [math.isnan(error) for error in errors] == [True, False]


# ---------------------------------------------------------------- expressions


FACTS = {
    "turns": np.array([10, 50, 60]),
    "stones": np.array([5.0, 3.0, 0.0]),
    "first": np.array(["ann", "bob", "ann"]),
    "second": np.array(["bob", "cid", "cid"]),
    "note.items": np.array([1.5, 0.0, 5.0]),
    "rules.hand_size": 6,
}
ROWS = 3


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("turns > 20 and first == 'ann' and rules.hand_size == 6", [0, 0, 1]),
        ("'bob' in (first, second)", [1, 1, 0]),
        ("turns / stones > 0", [1, 1, 0]),  # there is no number for 60 / 0
        ("rules.hand_size == 7", [0, 0, 0]),
    ],
)
def test_expressions(text: str, held: list[int]) -> None:
    assert holds(text, FACTS, ROWS) == [bool(one) for one in held]


_numbers = st.recursive(
    st.sampled_from(["turns", "stones", "note.items", "rules.hand_size", "3", "50", "0.5"]),
    lambda inner: (
        st.builds("({} {} {})".format, inner, st.sampled_from("+-*"), inner)
        | st.builds("(-{})".format, inner)
        | st.builds("({} / 4)".format, inner)
    ),
    max_leaves=4,
)
_texts = st.sampled_from(["first", "second", "'ann'", "'eve'"])


def _of(kind: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Return conditions over values of one kind."""
    listed = st.lists(kind, min_size=1, max_size=3).map(", ".join)
    return (
        st.builds("{} {} {}".format, kind, st.sampled_from(["<", "<=", ">", ">=", "==", "!="]), kind)
        | st.builds("{} < {} <= {}".format, kind, kind, kind)
        | st.builds("{} {} [{}]".format, kind, st.sampled_from(["in", "not in"]), listed)
        | st.builds("{} {} ({}, {})".format, kind, st.sampled_from(["in", "not in"]), kind, listed)
    )


_conditions = st.recursive(
    _of(_numbers) | _of(_texts),
    lambda inner: (
        st.builds("({} {} {})".format, inner, st.sampled_from(["and", "or"]), inner)
        | st.builds("(not {})".format, inner)
    ),
    max_leaves=4,
)


@given(_numbers | _conditions)
def test_expressions_are_pythons_row_by_row(text: str) -> None:
    expected = []
    for row in range(ROWS):
        names: dict[str, Any] = {
            name: FACTS[name][row].item()  # type: ignore[index]
            for name in ("turns", "stones", "first", "second")
        }
        names["note"] = SimpleNamespace(items=FACTS["note.items"][row].item())  # type: ignore[index]
        names["rules"] = SimpleNamespace(hand_size=6)
        expected.append(eval(text, {"__builtins__": {}}, names))
    assert evaluate_rows(text, FACTS, ROWS) == expected


@pytest.mark.parametrize(
    "text",
    [
        *("", "turns >", "__import__('os')", "turns.__class__.__mro__", "turns[0]", "lambda: 1", "turns ** 999"),
        *("[a for a in b]", "f'{turns}'", "a := 1", "turns if 1 else 2", "1 << 99", "turns, *first", "1j", "None"),
        *("first.upper()", "1; 2", "a = 1", "(" * 300, "-" * 499 + "1", "1+" * 240 + "1; 2"),
    ],
)
def test_nothing_else_is_read(text: str) -> None:
    with pytest.raises(ExpressionError) as found:
        parse(text)
    assert "\n" not in str(found.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("turn > 1", "unknown name 'turn'; did you mean 'turns'? (for all: arena standings --help)"),
        ("first - 1 > 2", "cannot be computed: operators need numbers or texts on both sides"),
        ("turns > 99 and first > 2", "cannot be computed: operators need numbers or texts on both sides"),
        ("turns + 1", "'turns + 1' is not a condition; an example: turns > 50"),
    ],
)
def test_what_is_wrong_is_said(text: str, message: str) -> None:
    with pytest.raises(ExpressionError) as found:
        holds(text, FACTS, ROWS)
    assert message in str(found.value)
