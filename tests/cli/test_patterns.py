"""Patterns and folders on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Arena

pytestmark = pytest.mark.process
PLAY = ("--games", 2, "--seed", 1, "--workers", 1, "--json")


@pytest.fixture(autouse=True)
def _bots(arena: Arena) -> None:
    for name in ("group1/ann", "group1/ben", "group2/ben", "group2/helper"):
        path = Path(f"cups/{name}.py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("def act(view, moves):\n    return moves[0]\n")


def names(text: str) -> list[str]:
    return sorted(row["bot"] for row in json.loads(text)["standings"])


def test_patterns_are_taken_in_and_left_out(arena: Arena) -> None:
    listed = ("cups/group1/", "cups/group2/ben.py", "cups/group2/helper.py", "random", "--exclude", "cups/*/[ah]*.py")
    assert names(arena("tournament", *listed, *PLAY).out) == ["ben", "group1-ben", "random"]
    assert "mean 'ben.py'?" in arena("tournament", "cups/group1/", "--exclude", "cups/group1/bne.py", code=2).err
    assert "it cannot be combined" in arena("compare", "--from", "x", "--exclude", "y", code=2).err


def test_run_resumes_what_a_pattern_named(arena: Arena) -> None:
    Path("cups/cup.toml").write_text('bots = ["group*/"]\nexclude = ["group2/h*.py"]\ngames = 2\nseed = 1\n')
    first = arena("run", "cups/cup.toml", "--workers", 1, "--json").out
    assert names(first) == ["ann", "group1-ben", "group2-ben"]
    Path("cups/group1/zoe.py").write_text("def act(view, moves):\n    return moves[0]\n")
    assert arena("resume", "cup", "--workers", 1, "--json").out == first
