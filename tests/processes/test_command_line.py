"""Other processes cannot read the seed of a run in its command line."""

from __future__ import annotations

import subprocess
import sys

import pytest

CODE = (
    "from arena.processes.command_line import hide_values\n"
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
