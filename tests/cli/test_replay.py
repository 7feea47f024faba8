"""`arena replay`: choosing among stored games and going through one; `arena debug`: asking a bot again."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from arena.cli.main import main
from arena.game.record import parse_record
from tests.cli.conftest import Arena, content

# ---------------------------------------------------------------- JSON


def test_json_of_a_game(arena: Arena, played: Path) -> None:
    game = content(arena("replay", played, 2, "--json").out)
    record = parse_record(game["record"])
    assert game["rules"] == record.rules.canonical
    assert [move["move"] for move in game["moves"]] == [str(move) for move in record.moves]
    assert {(move["seat"], move["bot"]) for move in game["moves"]} == {(0, game["names"][0]), (1, game["names"][1])}
    first = game["moves"][0]
    assert (first["bot"], first["number"], first["turn"], first["asked"]) == (game["first"], 1, 1, True)
    assert first["events"][0] == first["move"]
    assert game["result"] in arena("replay", played, 2).out
    record = arena("replay", played, 1, "--record").out
    head, moves, _ = record.split("; ")[:3]
    game = content(arena("replay", f"{head}; {moves.split(',')[0]}; * 0-0", "--json").out)
    assert (game["score"], game["points_first"], game["ending"], len(game["moves"])) == (None, None, "broken off", 1)


def test_forfeits_and_notes_as_json(arena: Arena) -> None:
    bot = (
        'def act(view, moves):\n    view.note(value=0.25, text="so")\n    return None if view.turns > 4 else moves[0]\n'
    )
    Path("bot.py").write_text(bot)
    arena("match", "bot.py", "random", "--games", 2, "--seed", 1, "--workers", 1, "-o", "run", code=1)
    game = content(arena("replay", "run", 1, "--json").out)
    assert (game["forfeit"], game["forfeit_by"], game["winner"]) == ("illegal move", "bot", "random")
    assert "None" in game["detail"]
    assert game["moves"][0]["note"] == {"value": 0.25, "text": "so"}


# ---------------------------------------------------------------- a bot is asked again


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
        raise ValueError("too late\\nby far")
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
        if "mine" in (listed := run("replay", "run").out.splitlines())[game + 3]:
            out = run("debug", "mine.py", "run", game).out
            assert "decisions; 0 differ" in out, listed[game + 3]


def test_another_bot_is_asked_in_its_place(run: Arena) -> None:
    assert "--as: " in run("debug", "random", "run", 1, code=2).err
    out = run("debug", "random", "run", 1, "--as", "a").out
    assert "*" in out
    assert "decisions; " in out


def test_the_decision_that_failed_is_shown(run: Arena) -> None:
    listed = run("debug", "fails.py", "run", 1).out if "fails" in run("replay", "run", 1).out else ""
    assert "fails: ValueError: too late" in listed
    number = listed.split("(forfeit)")[0].rsplit("\n", 1)[-1].split()[0]
    out = run("debug", "fails.py", "run", 1, "--move", number).out
    assert "What the bot sees" in out
    assert "turn " in out.split("own output")[1]
    assert "\n  Traceback (most recent call last):\n    File " in out
    assert "(forfeit)" in out
    near = run("debug", "fails.py", "run", 1, "--move", 100_000, code=2).err
    assert f"the nearest is {number}" in near


def test_a_breakpoint_stops_in_the_bot(folder: Path) -> None:
    (folder / "stops.py").write_text("def act(view, moves):\n    breakpoint()\n    return moves[0]\n")
    words = ["debug", "stops.py", "run", "first/mine/0", "--as", "first"]
    command = [sys.executable, "-m", "arena.cli.main", *words]
    keys = "p view.turns\nc\n" * 3 + "q\n"
    done = subprocess.run(command, cwd=folder, input=keys, capture_output=True, text=True)
    assert done.returncode == 130
    assert done.stdout.count("(Pdb)") == 7
