"""Every example runs as it is, in a folder of its own, and says what it promises."""

from __future__ import annotations

import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from arena import play_game, run_tournament

EXAMPLES = Path(__file__).parents[1] / "examples"
SAYS = {
    "compare_rules": "base:hand_size=7",
    "gymnasium_greedy": "random moves won 0 of 20 games",
    "kaggle_agent": "<agent - random",
    "learned_bot": "after",
    "one_game": "counter beat greedy 5–1: five stones",
    "openspiel_random": "at random: [",
    "pettingzoo_random": "player_0 gets +1",
    "profile_bot": "ms a decision",
    "read_run": "elo_error95",
    "search_bot": "<Searcher - random",
    "sprt": "H1 after 23 pairs",
    "step_by_hand": "Outcome(winner=0",
    "test_bot": "passed",
    "tournament": "stored in results",
}

NEEDS = {"gymnasium_greedy": "gymnasium", "openspiel_random": "pyspiel", "pettingzoo_random": "pettingzoo"}
"""Libraries that need not be installed."""


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.soak if name == "compare_rules" else ())
        for name in SAYS
        if name not in ("learned_bot", "test_bot")
    ],
)
def test_a_script(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if name in NEEDS:
        pytest.importorskip(NEEDS[name])
    script = str(EXAMPLES / f"{name}.py")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [script])
    if name == "read_run":
        run_tournament("quick", games=4, workers=1)
    runpy.run_path(script, run_name="__main__")
    assert SAYS[name] in capsys.readouterr().out


@pytest.mark.process
@pytest.mark.slow
def test_a_test(tmp_path: Path) -> None:
    words = ["-m", "pytest", "-o", "addopts=", "-p", "no:cacheprovider", EXAMPLES / "test_bot.py"]
    done = subprocess.run([sys.executable, *words], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    assert SAYS["test_bot"] in done.stdout


@pytest.mark.process
@pytest.mark.slow
def test_a_bot_that_learns(tmp_path: Path) -> None:
    bot = tmp_path / "mine.py"
    shutil.copy(EXAMPLES / "learned_bot.py", bot)
    done = subprocess.run([sys.executable, bot, "5"], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert SAYS["learned_bot"] in done.stdout, done.stderr
    assert play_game(str(bot), "first", seed=1).forfeit is None


def test_every_example_is_run() -> None:
    """But for what `arena new` writes, which is tested with it."""
    assert {path.stem for path in EXAMPLES.glob("*.py")} - {"mybot"} == set(SAYS)
