"""The inside of a bot's process, spoken to message by message."""

from __future__ import annotations

import dataclasses
import json
import os
import random
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.bots.bot import BotFault
from arena.bots.isolation.python_child import Child
from arena.bots.isolation.python_messages import (
    ANSWER,
    ASK,
    BEGIN,
    BEGINNING,
    DONE,
    FAULT,
    LOAD,
    MADE,
    MAKE,
    QUESTION,
    Message,
    pack_message,
    read_answer,
    read_fault,
    take_message,
)
from arena.bots.spec import find_bot
from arena.game.deals import make_deal
from arena.game.engine import State
from arena.game.rules import load_rules
from tests.bots.processes.waiting import bytes_in, wait_for
from tests.game.play import packed

RULES = load_rules("base")
STATE = State(RULES, make_deal(RULES, 1, 1))
VIEW = STATE.view(STATE.to_move)
FIRST = "def act(view, moves): return moves[0]\n"


@pytest.fixture(autouse=True)
def _world_as_it_was() -> Iterator[None]:
    path, limit, state = sys.path[:], sys.getrecursionlimit(), random.getstate()
    yield
    sys.path[:] = path
    sys.setrecursionlimit(limit)
    random.setstate(state)


def loaded(folder: Path, code: str) -> bytes:
    """The messages that load and make a bot of these lines."""
    path = folder / "bot.py"
    path.write_text(code)
    bot = dataclasses.replace(find_bot(str(path), name="bot"), bundle=None)
    spec, rules = map(dataclasses.asdict, (bot, RULES))
    order = {"spec": spec, "rules": rules, "paths": [], "threads": 0}
    return pack_message(LOAD, json.dumps(order).encode()) + pack_message(MAKE)


def begin() -> bytes:
    return pack_message(BEGIN, BEGINNING.pack(STATE.to_move, 0, 5, 0, 0.0, 0.0))


def ask(number: int = 1) -> bytes:
    image = packed(VIEW)
    return QUESTION.pack(len(image) + 21, ASK, number, 0, 0.0, 0.0) + image


def answers(*pieces: bytes) -> list[Message]:
    """What a child that has begun a game answers, to pieces that come one after the other."""
    orders, out = os.pipe()
    back, said = os.pipe()

    def talk() -> None:
        for piece in pieces:
            os.write(out, piece)
            wait_for(lambda: not bytes_in(orders), pause_s=0.0005)
        os.close(out)

    runner = threading.Thread(target=talk)
    runner.start()
    try:
        Child(lambda data: os.write(said, data)).serve(orders, said)
    finally:
        runner.join()
        os.close(said)
    unread, found = bytearray(), []
    while data := os.read(back, 1 << 16):
        unread += data
    while (one := take_message(unread)) is not None:
        found.append(one)
    for end in (orders, back):
        os.close(end)
    assert not unread
    assert [one.kind for one in found[:3]] == [DONE, MADE, DONE]
    return found[3:]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("None", "act returned None, not one of the moves"),
        ("moves", "act returned a list, not one of the moves"),
        ("Move(99999, 'x', 'place', None, None, None)", "x is not legal: this Move object was constructed by hand"),
    ],
)
def test_what_is_no_move_is_told(tmp_path: Path, value: str, words: str) -> None:
    code = f"from arena.game.moves import Move\ndef act(view, moves): return {value}\n"
    [found] = answers(loaded(tmp_path, code) + begin() + ask())
    assert read_fault(found, 1).kind == "illegal move"
    assert read_fault(found, 1).detail.startswith(words)


def test_a_broken_view_is_no_end_of_the_world(tmp_path: Path) -> None:
    whole = ask()
    pieces = whole[:30] + b"\xff" * (len(whole) - 30), whole[:40], whole[40:]
    broken, found = answers(loaded(tmp_path, FIRST) + begin(), *pieces)
    assert (broken.kind, found.kind) == (FAULT, ANSWER)
    with pytest.raises(BotFault, match="not a view"):
        read_answer(broken, 1)
