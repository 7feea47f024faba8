"""Every example runs as it is, in a folder of its own, and says what it promises."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SAYS = {
    "compare_rules": "base:hand_size=7",
    "one_game": "a (counter) wins, stones 5-1: five stones",
    "profile_bot": "ms a decision",
    "read_run": "elo_error95",
    "search_bot": "<Searcher - random",
    "sprt": "H1 after 23 pairs",
    "step_by_hand": "Outcome(winner=0",
    "test_bot": "passed",
    "tournament": "stored in results",
}


def run(folder: Path, *words: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "MPLBACKEND": "Agg"}
    done = subprocess.run(
        [sys.executable, *words], cwd=folder, env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("name", SAYS)
def test_an_example(name: str, tmp_path: Path) -> None:
    script = str(ROOT / "examples" / f"{name}.py")
    if name == "read_run":
        code = "import arena; arena.run_tournament('quick', games=4, workers=1)"
        run(tmp_path, "-c", code)
    words = ["-m", "pytest", "-o", "addopts=", "-p", "no:cacheprovider"] if name.startswith("test_") else []
    assert SAYS[name] in run(tmp_path, *words, script)


def test_every_example_is_run() -> None:
    assert {path.stem for path in (ROOT / "examples").glob("*.py")} == set(SAYS)
