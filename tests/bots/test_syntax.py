"""Source that is not Python is described in one line, and hostile source harms only the process that reads it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from arena.bots import syntax
from arena.bots.syntax import syntax_fault


@pytest.mark.parametrize(
    ("source", "fault"),
    [
        (b"def act(view, moves):\n    return moves[0]\n", ""),
        (b"\xef\xbb\xbfx = 1\r\n", ""),
        (b"x = (1,\n     2\n", "line 1: '(' was never closed"),
        (b"if 1:\nx = 2\n", "line 2: expected an indented block after 'if' statement on line 1"),
        (b"\nreturn 1\n", "line 2: 'return' outside function"),
        (b"# coding: nonsense\n", "unknown encoding: nonsense"),
        (b"x\0", "source code string cannot contain null bytes"),
        (b"-" * 100_000 + b"1", "it nests too deeply, or is too large"),
        (b"a" + b".a" * 200_000, "it nests too deeply, or is too large"),
        ("x = 1\u202e".encode(), "line 1: invalid non-printable character U+202E"),
    ],
    ids=range(10),
)
def test_faults(source: bytes, fault: str) -> None:
    assert syntax_fault(source) == fault


def test_nothing_is_run(capfd: pytest.CaptureFixture[str]) -> None:
    assert syntax_fault(b"print('run')\nraise SystemExit(3)\n") == ""
    assert capfd.readouterr() == ("", "")


@pytest.mark.process
def test_a_crash_of_the_parser_is_a_fault_of_the_source(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor is an error of ours taken for one of the author's."""

    def instead(code: str) -> None:
        monkeypatch.setattr(syntax, "command_of", lambda module: [sys.executable, "-c", code])

    instead("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)")
    assert syntax_fault(b"x") == "it nests too deeply, or is too large"
    instead("raise SystemExit(1)")
    with pytest.raises(subprocess.CalledProcessError):
        syntax_fault(b"x")
