"""`arena replay --ask`: a bot is asked again at its decisions of a stored game."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from arena.cli.main import main
from tests.cli.conftest import Arena

REMEMBERS = '''
class Bot:
    """Plays by chance and by what it has seen, so that it repeats only if it is told everything."""

    def begin(self, setup):
        self.seen = setup.seed % 7

    def observe(self, event):
        self.seen += len(event.text)

    def act(self, view, moves):
        return moves[(self.seen + view.rng.randint(0, 5)) % len(moves)]
'''
FAILS = """
def act(view, moves):
    print("turn", view.turns)
    if view.turns > 8:
        raise ValueError("too late")
    return moves[0]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where a run and its bots are; not to be changed."""
    place = tmp_path_factory.mktemp("debug")
    (place / "mine.py").write_text(REMEMBERS)
    (place / "fails.py").write_text(FAILS)
    # fails.py forfeits every game
    how = ["--games", "4", "--rules", "tactical", "--seed", "3", "--workers", "1", "--out", str(place / "run")]
    assert main(["tournament", str(place / "mine.py"), str(place / "fails.py"), "first", *how]) == 1
    return place


@pytest.fixture
def run(arena: Arena, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Arena:
    """Commands in that place."""
    monkeypatch.chdir(folder)
    return arena


def test_a_bot_that_is_the_same_chooses_the_same(run: Arena) -> None:
    for game in range(1, 9):
        if "mine" in (listed := run("replay", "run").out.splitlines())[game + 1]:
            out = run("replay", "run", game, "--ask", "mine.py").out
            assert "decisions; 0 differ" in out, listed[game + 1]


def test_another_bot_is_asked_in_its_place(run: Arena) -> None:
    assert "--as: " in run("replay", "run", 1, "--ask", "random", code=2).err
    out = run("replay", "run", 1, "--ask", "random", "--as", "a").out
    assert "*" in out
    assert "decisions; " in out


def test_the_decision_that_failed_is_shown(run: Arena) -> None:
    listed = run("replay", "run", 1, "--ask", "fails.py").out if "fails" in run("replay", "run", 1).out else ""
    assert "fails: ValueError: too late" in listed
    number = listed.split("(forfeit)")[0].rsplit("\n", 1)[-1].split()[0]
    out = run("replay", "run", 1, "--ask", "fails.py", "--move", number).out
    assert "What the bot sees" in out
    assert "turn " in out.split("own output")[1]
    assert "ValueError: too late" in out
    assert "the game ended here by its forfeit" in out
    near = run("replay", "run", 1, "--ask", "fails.py", "--move", 100_000, code=2).err
    assert f"the nearest is {number}" in near


@pytest.mark.parametrize(("keys", "code"), [("p view.turns\nc\n" * 99, 0), ("q\n", 130)])
def test_a_breakpoint_stops_in_the_bot(folder: Path, keys: str, code: int) -> None:
    (folder / "stops.py").write_text("def act(view, moves):\n    breakpoint()\n    return moves[0]\n")
    words = ["replay", "run", "1", "--bot", "first", "--ask", "stops.py", "--as", "first"]
    command = [sys.executable, "-m", "arena.cli.main", *words]
    done = subprocess.run(command, cwd=folder, input=keys, capture_output=True, text=True)
    assert done.returncode == code
    assert "(Pdb)" in done.stdout
    assert ("decisions; 0 differ" in done.stdout) == (code == 0)
