"""`--where` and metrics: expressions that can name facts and compute with them, and nothing else."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.stats.selection import ExpressionError, evaluate_rows, holds, parse

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
