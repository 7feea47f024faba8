"""Other processes cannot read the seed of a run in its command line; our own load nothing of strangers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from arena.bots.processes.command_line import command_of
from arena.paths import PACKAGE

CODE = (
    "from arena.bots.processes.command_line import hide_values\n"
    "print(hide_values())\n"
    "print(open('/proc/self/cmdline').read())"
)
WORDS = [["--seed", "8214"], ["--seed=8214"], ["--games", "5", "--seed", "8214", "--out", "x"]]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc is Linux")
@pytest.mark.parametrize("words", WORDS)
def test_the_seed_is_not_in_the_command_line(words: list[str]) -> None:
    done = subprocess.run([sys.executable, "-c", CODE, *words], capture_output=True, text=True, check=True, timeout=60)
    hidden, _, line = done.stdout.partition("\n")
    assert hidden == "True"
    assert "8214" not in line
    assert "xxxx" in line
    assert all(word in line for word in words if "8214" not in word)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc is Linux")
def test_nothing_else_is_touched() -> None:
    words = ["--games", "5", "--seeds", "7", "--seed"]
    done = subprocess.run([sys.executable, "-c", CODE, *words], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.startswith("False")
    assert "\0".join(words) in done.stdout


@pytest.mark.slow
def test_our_processes_load_nothing_from_the_working_directory(tmp_path: Path) -> None:
    """`arena serve` in a folder of strangers' files ran an `arena.py` or `json.py` that lay there."""
    for name in ("arena", "json", "sitecustomize"):
        (tmp_path / f"{name}.py").write_text("open('planted', 'w')\n")
    done = subprocess.run(command_of("arena.cli.main", "--version"), cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout
    assert not (tmp_path / "planted").exists()
    for file in ("reader", "serve"):
        assert '"-m"' not in (PACKAGE / "web" / f"{file}.py").read_text()
