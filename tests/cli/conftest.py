"""The command line, called in this process (`arena`) or as a separate program (`program`)."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import click
import pytest

from arena.cli.commands import cli
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


@pytest.fixture(scope="session")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Play a run of real games, which tests must not change."""
    folder = tmp_path_factory.mktemp("played") / "run"
    command = ["tournament", "random", "first", "again=random", "--games", "10", "--rules", "tactical"]
    assert main([*command, "--set", "own_deals=false", "--seed", "7", "--workers", "1", "--out", str(folder)]) == 0
    return folder


def commands(group: click.Group = cli, *words: str) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Yield the commands of a group and of the groups in it, each with its words."""
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands(command, *words, name)
        else:
            yield (*words, name), command


def content(text: str) -> dict[str, Any]:
    """Return what the JSON of a report holds: what it is about and its tables by their names, and `notes`."""
    values = json.loads(text)
    assert set(values) == {"about", "tables", "notes"}
    assert not values["about"].keys() & values["tables"].keys()
    return {**values["about"], **values["tables"], "notes": values["notes"]}


def json_of(*args: object) -> dict[str, Any]:
    """Return the `content` of the JSON that a command line prints, for fixtures of a module."""
    with redirect_stdout(StringIO()) as out:
        assert main([str(arg) for arg in args]) == 0
    return content(out.getvalue())


#: Plays fast when the file `slow` beside it has been removed.
SLOW_BOT = """
import time
from pathlib import Path

def act(view, moves):
    if Path("".join(("sl", "ow"))).exists():
        time.sleep(0.005)
    return moves[0]
"""


def hear_ctrl_c() -> None:
    """Let SIGINT end a process that is started, also where tests run in the background."""
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
        # a shell starts background commands with Ctrl-C ignored, and the program would inherit that
        preexec_fn=hear_ctrl_c if os.name == "posix" else None,
        **kwargs,  # type: ignore[call-overload]
    )
