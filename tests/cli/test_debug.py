"""`arena replay --ask`: a bot is asked again at its decisions of a stored game."""

from __future__ import annotations

import io
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
    how = ["--games", "4", "--rules", "tactical", "--seed", "3", "--workers", "1", "--out", str(place / "run")]
    assert main(["tournament", str(place / "mine.py"), str(place / "fails.py"), "first", *how]) == 0
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


def test_pdb_stops_in_act(run: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("p view.turns\np len(moves)\nc\n"))
    out = run("replay", "run", 12, "--ask", "first", "--move", _first_step(run), "--pdb").out
    assert "(Pdb)" in out
    assert "return moves[0]" in out or "def act" in out
    assert "It chooses" in out
    monkeypatch.setattr("sys.stdin", io.StringIO("q\n"))
    run("replay", "run", 12, "--ask", "first", "--pdb", code=130)


def _first_step(run: Arena) -> str:
    lines = run("replay", "run", 12, "--ask", "first").out.splitlines()
    return lines[1].split()[0]
