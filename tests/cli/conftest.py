"""The command line, called in this process (`arena`) or as a program of its own (`program`)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from arena.cli.main import main

Arena = Callable[..., "Result"]


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str


@pytest.fixture
def arena(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Arena:
    """Run a command line in an empty working directory."""
    monkeypatch.chdir(tmp_path)

    def call(*args: object, code: int | None = 0) -> Result:
        capsys.readouterr()
        found = main([str(arg) for arg in args])
        captured = capsys.readouterr()
        assert code is None or found == code, captured.err
        return Result(found, captured.out, captured.err)

    return call


def _hear_ctrl_c() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def program(*args: object, cwd: Path, **kwargs: object) -> subprocess.Popen[str]:
    """Start the program as a user does."""
    command = [sys.executable, "-m", "arena.cli.main", *map(str, args)]
    return subprocess.Popen(
        command,
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # a shell starts what it runs in the background with Ctrl-C ignored, and so these would inherit it
        preexec_fn=_hear_ctrl_c if os.name == "posix" else None,
        **kwargs,  # type: ignore[call-overload]
    )
