"""The inside of a bot's process, spoken to frame by frame: what it answers, what its bot may do to it."""

from __future__ import annotations

import dataclasses
import fcntl
import json
import os
import random
import struct
import sys
import termios
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.bots.bot import BotFault
from arena.bots.isolation.python_child import Child
from arena.bots.isolation.python_messages import (
    ANSWER,
    ASK,
    AUTO_CLAIM,
    BEGIN,
    BEGINNING,
    DONE,
    FAULT,
    LOAD,
    MADE,
    MAKE,
    QUESTION,
    WANTS_ANSWER,
    Message,
    MessageReader,
    pack_message,
    read_answer,
    read_fault,
)
from arena.bots.spec import find_bot
from arena.game.deals import make_deal
from arena.game.engine import State, View
from arena.game.packing import Line
from arena.game.rules import load_rules

RULES = load_rules("base")


class Spoken:
    """A child with a bot of these lines; `tell` feeds a frame and gives what it has answered."""

    def __init__(self, folder: Path, code: str, params: dict[str, Any] | None = None) -> None:
        path = folder / "bot.py"
        path.write_text(code)
        self.said: list[bytes] = []
        self.child = Child(self.said.append)
        plain = map(dataclasses.asdict, (find_bot(str(path), params, name="bot"), RULES))
        order = {**dict(zip(("spec", "rules"), plain)), "paths": [], "threads": 0}
        self.loading = self.tell(pack_message(LOAD, json.dumps(order).encode()))
        self.line = Line(-1, -1)
        self.state = State(RULES, make_deal(RULES, 1, 1))

    def tell(self, whole: bytes) -> list[Message]:
        self.said.clear()
        self.child.answer(whole[4], whole)
        return frames(b"".join(self.said))

    def make(self) -> int:
        [made] = self.tell(pack_message(MAKE))
        assert made.kind == MADE, made
        return made.body[0]

    def begin(self, reply: bool = False, seed: int = 5) -> list[Message]:
        flags = WANTS_ANSWER * reply
        return self.tell(pack_message(BEGIN, BEGINNING.pack(self.state.turn, 0, seed, flags, 0.0, 0.0)))

    def ask(self, number: int = 1, flags: int = 0, view: View | None = None) -> Message:
        image = self.line.tell(view or self.state.view(self.state.turn))[1]
        [found] = self.tell(QUESTION.pack(len(image) + 21, ASK, number, flags, 7.0, 0.0) + image)
        return found

    def fault(self, found: Message, number: int = 1) -> tuple[str, str]:
        fault = read_fault(found, number)
        return fault.kind, fault.detail


def frames(said: bytes) -> list[Message]:
    reader = MessageReader()
    reader.add(said)
    found = []
    while (one := reader.take()) is not None:
        found.append(one)
    assert not reader.rest
    return found


@pytest.fixture(autouse=True)
def _world_as_it_was() -> Iterator[None]:
    path, limit, state = sys.path[:], sys.getrecursionlimit(), random.getstate()
    yield
    sys.path[:] = path
    sys.setrecursionlimit(limit)
    random.setstate(state)


FIRST = "def act(view, moves): return moves[0]\n"


# ---------------------------------------------------------------- loading and making


def test_a_bot_is_loaded_and_made(tmp_path: Path) -> None:
    spoken = Spoken(tmp_path, FIRST)
    assert spoken.loading == [(DONE, b"")]
    assert spoken.make() == AUTO_CLAIM
    assert spoken.make() == AUTO_CLAIM  # again in the same process
    assert spoken.begin() == []
    assert spoken.begin(reply=True) == [(DONE, b"")]
    index = spoken.state.legal_moves()[0].index
    assert read_answer(spoken.ask(), 1) == index


# ---------------------------------------------------------------- asking


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("None", "act returned None, not one of the moves"),
        ("moves", "act returned a list, not one of the moves"),
        ("Move(99999, 'x', 'place', None, None, None)", "x is not legal: this Move object was constructed by hand"),
    ],
)
def test_what_is_no_move_is_told(tmp_path: Path, value: str, words: str) -> None:
    spoken = Spoken(tmp_path, f"from arena.game.moves import Move\ndef act(view, moves): return {value}\n")
    spoken.make()
    spoken.begin()
    kind, detail = spoken.fault(spoken.ask())
    assert kind == "illegal move"
    assert detail.startswith(words)


def test_a_failure_in_begin_waits_for_the_question_if_nobody_asked(tmp_path: Path) -> None:
    code = """
class Bot:
    games = 0
    def begin(self, setup):
        Bot.games += 1
        assert Bot.games != 1 and Bot.games != 2
    def act(self, view, moves): return moves[0]
"""
    spoken = Spoken(tmp_path, code)
    spoken.make()
    [found] = spoken.begin(reply=True)
    assert spoken.fault(found, 0)[1].startswith("in begin: Traceback")
    assert spoken.begin() == []
    assert spoken.fault(spoken.ask(), 0)[1].startswith("in begin: Traceback")
    spoken.line.begin(b"")
    assert spoken.begin() == []
    assert spoken.ask().kind == ANSWER  # the next game is unharmed


# ---------------------------------------------------------------- the loop


def loop(spoken: Spoken, *pieces: bytes) -> list[Message]:
    """What comes back if pieces are there to be read, one after the other; the pipe is closed then."""
    orders, out = os.pipe()
    back, answers = os.pipe()

    def talk() -> None:
        for piece in pieces:
            os.write(out, piece)
            until = time.monotonic() + 10
            while struct.unpack("i", fcntl.ioctl(orders, termios.FIONREAD, b"\0" * 4))[0] and time.monotonic() < until:
                time.sleep(0.0005)
        os.close(out)

    spoken.child.write = lambda data: os.write(answers, data)
    runner = threading.Thread(target=talk)
    runner.start()
    try:
        spoken.child.serve(orders, answers)
    finally:
        runner.join()
        os.set_blocking(back, False)
        try:
            said = os.read(back, 1 << 16)
        except BlockingIOError:
            said = b""
        for end in (orders, back, answers):
            os.close(end)
    return frames(said)


def question(spoken: Spoken, number: int) -> bytes:
    image = spoken.line.tell(spoken.state.view(spoken.state.turn))[1]
    return QUESTION.pack(len(image) + 21, ASK, number, 0, 0.0, 0.0) + image


@pytest.mark.parametrize("size", [1, 7, 10_000])
def test_frames_may_come_in_pieces_or_together(tmp_path: Path, size: int) -> None:
    spoken = Spoken(tmp_path, FIRST)
    begin = pack_message(BEGIN, BEGINNING.pack(spoken.state.turn, 0, 1, WANTS_ANSWER, 0.0, 0.0))
    stream = pack_message(MAKE) + begin + question(spoken, 1) + question(spoken, 2)
    step = max(size, len(stream) // 100)
    found = loop(spoken, *(stream[at : at + step] for at in range(0, len(stream), step)))
    assert [one.kind for one in found] == [MADE, DONE, ANSWER, ANSWER]
    index = spoken.state.legal_moves()[0].index
    assert [read_answer(one, number) for number, one in enumerate(found[2:], 1)] == [index, index]


def test_a_broken_view_is_no_end_of_the_world(tmp_path: Path) -> None:
    spoken = Spoken(tmp_path, FIRST)
    spoken.make()
    spoken.begin()
    whole = question(spoken, 1)
    found = loop(spoken, whole[:30] + b"\xff" * (len(whole) - 30), whole)
    assert [one.kind for one in found] == [FAULT, ANSWER]
    with pytest.raises(BotFault, match="not a view"):
        read_answer(found[0], 1)
