"""`arena play` on the whole screen of a terminal."""

from __future__ import annotations

import re
import signal
from pathlib import Path

import pytest

from arena.game.record import parse_record, verify
from tests.terminal.terminals import CTRL_C, CTRL_D, DOWN, Terminal

ASKS = re.compile(r"^[a-z ]+>$|Enter leaves", re.MULTILINE)
"""What stands on the screen when the person is to do something."""

pytestmark = [pytest.mark.slow, pytest.mark.process]


def record(path: Path) -> str:
    return path.read_text(encoding="utf-8").split("; {")[0]


def test_a_whole_game_by_arrow_keys_and_by_typing(tmp_path: Path) -> None:
    file = tmp_path / "games" / "first-iello-tactical-6.txt"
    play = ("play", "first", "--rules", "tactical", "--seed", 6, "--begin", "you")
    with Terminal(*play, cwd=tmp_path) as screen:
        screen.wait("your move>", "turn 1")
        for at in range(500):  # a key may meet a screen that is drawn by halves
            before = screen.text
            screen.type(DOWN + "\r" if at % 2 else "1\r")
            screen.settle(lambda text, old=before: text != old and ASKS.search(text) is not None)
            if "Enter leaves" in screen.text:
                break
        assert "You win" in screen.text or "You lose" in screen.text
        screen.type("\r")
        assert screen.end() == 0
        assert "Saved in" in screen.text
    assert verify(record(file)).is_over


def test_it_is_drawn_anew_in_any_size(tmp_path: Path) -> None:
    with Terminal("play", "greedy", "--seed", 11, "--begin", "you", cwd=tmp_path) as screen:
        screen.wait("your move>", "[9]")
        screen.resize(120, 40)
        screen.wait("[9]", "your move>")
        screen.wait_until(lambda text: any(line.index("[9]") > 80 for line in text.split("\n") if "[9]" in line))
        screen.resize(60, 16)
        screen.wait("[9]", "your move>")
        screen.resize(40, 10)
        screen.wait("too narrow", "your move>")
        screen.resize(80, 24)
        screen.wait("[9]", "your move>")


def test_whoever_leaves_can_come_back(tmp_path: Path) -> None:
    begin = ("greedy", "--seed", 11, "--begin", "you")
    come_back = ("games/greedy-iello-base-11.txt",)
    for words, key in ((begin, CTRL_C), (come_back, CTRL_D)):
        with Terminal("play", *words, cwd=tmp_path) as screen:
            screen.wait("your move>")
            if words == begin:
                screen.enter("1", "turn 3")
            screen.wait("turn 3")
            screen.type(key)
            assert screen.end() == 0
            assert "arena play games/greedy-iello-base-11.txt" in "".join(screen.lines)


def test_a_terminal_that_is_closed_loses_nothing(tmp_path: Path) -> None:
    with Terminal("play", "greedy", "--seed", 11, "--begin", "you", cwd=tmp_path) as screen:
        screen.wait("your move>")
        screen.enter("1", "turn 3")
        screen.signal(signal.SIGKILL)
    assert len(parse_record(record(tmp_path / "games" / "greedy-iello-base-11.txt")).moves) == 2


HOSTILE = """
def act(view, moves):
    print("\\x1b[2J\\x1b[31m\\u202eevil " + "x" * 300)
    return moves[0]
"""


def test_a_bot_that_cannot_be_loaded_ends_the_screen(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("raise ValueError('no')\n")
    with Terminal("play", "bad.py", cwd=tmp_path) as screen:
        screen.wait("raises an exception when it is loaded", "ValueError: no")
        assert screen.end() == 2


def test_names_and_prints_of_strangers_are_text(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text(HOSTILE)
    name = "🤖" * 20 + "שלום" + "n" * 150
    with Terminal("play", f"{name}=bad.py", "--seed", 1, "--begin", "you", cwd=tmp_path) as screen:
        screen.wait("your move>", "🤖")
        screen.enter("1", "turn 3", "evil")
        assert "\x1b[31m" not in screen.raw
        assert "\u202e" not in screen.raw
        assert "[9]" in screen.text


def test_without_colour_on_a_dumb_terminal(tmp_path: Path) -> None:
    env = {"NO_COLOR": "1", "TERM": "dumb"}
    with Terminal("play", "greedy", "--seed", 11, "--begin", "you", cwd=tmp_path, env=env) as screen:
        screen.wait("your move>", "[9]")
        assert "[38;" not in screen.raw
        assert "[48;" not in screen.raw
        screen.enter("1", "turn 3")
