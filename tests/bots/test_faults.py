"""What authors are told of faults: their frames, in measure, whatever the exception does; source that is not Python."""

from __future__ import annotations

import sys
import time
from fnmatch import fnmatchcase

import pytest

from arena.bots.compilation import syntax_fault
from arena.bots.faults import author_traceback, show_value


def caught(code: str) -> BaseException:
    try:
        exec(compile(code, "/somewhere/bot.py", "exec"), {})
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


@pytest.mark.parametrize(
    "body", ["def __str__(self): raise SystemExit", "@property\n    def __cause__(self): raise SystemExit", "pass"]
)
def test_traps_in_exceptions(body: str) -> None:
    assert len(author_traceback(caught(f"class T(Exception):\n    {body}\nraise T('x' * 10**7)"))) < 5000


def test_values_run_no_code_of_theirs() -> None:
    class Trap:
        def __repr__(self) -> str:
            raise AssertionError

        __str__ = __repr__

    assert show_value(Trap()) == "a Trap"
    assert show_value(iter(())).endswith("tuple_iterator")
    assert len(show_value("x" * 10**6)) < 100
    assert show_value(10**5000) == "an int of 16,610 bits"


# ---------------------------------------------------------------- source that is not Python


@pytest.mark.parametrize(
    ("source", "fault"),
    [
        (b"def act(view, moves):\n    return moves[0]\n", ""),
        (b"x = (1,\n     2\n", "line 1: '(' was never closed"),
        (b"\nreturn 1\n", "line 2: 'return' outside function"),
        (b"x\0", "source code string cannot contain null bytes"),
        (b"-" * 100_000 + b"1", "it nests too deeply, or is too large"),
        ("x = 1 \u202e".encode(), "line 1: invalid non-printable character U+202E"),
        # the encoding
        ("x = '\xfc'".encode(), ""),
        ("\ufeffx = '\xfc'".encode(), ""),
        (b"\xef\xbb\xbf#!python\n# -*- coding: UTF-8-unix -*-\n", ""),
        (b"x = 1\n# coding: punycode\n", ""),  # after a line of code it is an ordinary comment
        (b"# coding: nonsense\n", "line 1: its encoding is nonsense, but a source must be UTF-8; save it as UTF-8"),
        (b"\n# vim: fileencoding=latin-1\n", "line 2: its encoding is latin-1, *"),
        (b"x = 1\n\n# gr\xfc\xdfe", "line 3: the byte 0xfc is not UTF-8; *"),
        ("x = 1".encode("utf-16"), "line 1: the byte 0xff is not UTF-8; *"),
    ],
    ids=range(14),
)
def test_faults(source: bytes, fault: str) -> None:
    found = syntax_fault({"good.py": b"x = 1\n", "a.py": source, "bad.py": b"("} if fault else {"a.py": source})
    assert fnmatchcase(found, f"a.py: {fault}" if fault else "")


def test_nothing_is_run(capfd: pytest.CaptureFixture[str]) -> None:
    assert syntax_fault({"a.py": b"print('run')\nraise SystemExit(3)\n"}) == ""
    assert capfd.readouterr() == ("", "")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limits")
def test_all_sources_share_the_limits() -> None:
    slow = (b"x=" + b"1+" * 500 + b"1\n") * 60
    assert syntax_fault({"a.py": slow}) == ""
    for sources in ({"a.py": b"x\n" * 10_000_000}, {f"{number}.py": slow for number in range(499)}):
        begun = time.monotonic()
        assert "too large" in syntax_fault(sources)
        assert time.monotonic() - begun < 40
