"""Tracebacks for authors: their frames, in measure, whatever the exception does."""

from __future__ import annotations

import pytest

from arena.bots.faults import author_traceback, show_value


def caught(code: str, name: str = "/somewhere/bot.py") -> BaseException:
    try:
        exec(compile(code, name, "exec"), {})
    except BaseException as error:
        return error
    raise AssertionError("the code was to raise")


def test_causes_are_shown_too() -> None:
    text = author_traceback(caught("try:\n    1 / 0\nexcept Exception as e:\n    raise KeyError('x') from e"))
    assert "ZeroDivisionError" in text
    assert text.endswith("KeyError: 'x'")


def test_a_deep_recursion_is_short() -> None:
    text = author_traceback(caught("def a(n):\n    b(n)\ndef b(n):\n    a(n)\na(1)"))
    assert len(text) <= 4100
    assert "[...]" in text
    assert text.endswith("RecursionError: maximum recursion depth exceeded")


def test_traps_in_exceptions() -> None:
    traps = (
        "class T(Exception):\n    def __str__(self): raise SystemExit\nraise T",
        "class T(Exception):\n    @property\n    def __cause__(self): raise SystemExit\nraise T",
        "class T(Exception):\n    def __str__(self): return 'x' * 10**7\nraise T",
    )
    for code in traps:
        assert len(author_traceback(caught(code))) < 5000


@pytest.mark.parametrize("value", [object(), [1], {}, iter(()), type, len])
def test_values_are_named_by_their_type(value: object) -> None:
    assert show_value(value).endswith(type(value).__name__)


def test_values_run_no_code_of_theirs() -> None:
    class Trap:
        def __repr__(self) -> str:
            raise AssertionError

        __str__ = __repr__

    assert show_value(Trap()) == "a Trap"
    assert len(show_value("x" * 10**6)) < 100
    assert show_value(10**5000) == "an int of 16,610 bits"
