"""A short run of `tools/fuzz_pipe.py`, and whether it would notice."""

from __future__ import annotations

import os
import random
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.bots.isolation import python_bot as bot
from arena.bots.isolation import python_messages as messages
from arena.bots.isolation.python_bot import PythonBot
from arena.game.packing import Desk
from tools import fuzz_child, fuzz_pipe
from tools.fuzz_pipe import feed_reader, play_games, positions, right
from tools.fuzzing import Wrong

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[3]
KNOWN = positions(20, 3)
MOVES = KNOWN[0][2]
main_thread = pytest.mark.skipif(threading.current_thread() is not threading.main_thread(), reason="needs signals")


@settings(max_examples=300)
@given(st.binary(max_size=200))
def test_any_bytes_to_the_runner(said: bytes) -> None:
    assert feed_reader(random.Random(1), said, 7) in ("protocol", "more wanted", "taken")


@settings(max_examples=100)
@given(st.randoms(use_true_random=False))
def test_right_answers_are_taken(rng: random.Random) -> None:
    assert feed_reader(rng, right(rng, 7, MOVES), 7) in ("taken", "exception", "illegal move")


@settings(max_examples=60)
@given(st.integers(0, 1 << 32))
def test_games_of_a_child_that_loses_its_way(seed: int) -> None:
    came, broken = play_games(random.Random(seed), KNOWN, 5)
    assert broken >= 5
    assert came


@settings(max_examples=200)
@given(st.binary(max_size=700), st.integers(-5, 800))
def test_any_bytes_as_a_view(data: bytes, at: int) -> None:
    """Those that are taken by chance are none that harm; the compiled engine reads them as a memory image."""
    desk = Desk(KNOWN[0][1].rules)
    with pytest.raises(ValueError, match="no view"):
        desk.read(data, at)


@main_thread
@pytest.mark.slow
def test_the_runner_for_a_while() -> None:
    came, slowest = fuzz_pipe.fuzz_runner(5, 1500)
    assert {"taken", "protocol", "timeout", "crash", "exception", "illegal move"} <= set(came)
    assert slowest < fuzz_pipe.HANG_S


@pytest.mark.slow
def test_the_child_for_a_while() -> None:
    came, slowest = fuzz_child.fuzz_child(5, 4000)
    assert {"answered", "fault", "done", "made", "ValueError"} <= set(came)
    assert slowest < fuzz_child.HANG_S


# ---------------------------------------------------------------- what it is there for


@main_thread
def test_a_reader_that_is_too_trusting_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fuzz_pipe, "read_answer", lambda found, question: int.from_bytes(found.body[4:8], "little"))
    with pytest.raises(Wrong, match="taken for an answer"):
        fuzz_pipe.fuzz_runner(1, 2000)


@main_thread
def test_a_process_that_stays_after_nonsense_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PythonBot, "_failed", lambda self, fault: fault)
    with pytest.raises(Wrong, match="the process stays after"):
        fuzz_pipe.fuzz_runner(1, 500)


@main_thread
def test_an_error_of_ours_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> Any:
        raise RecursionError("too deep")

    monkeypatch.setattr(bot, "read_fault", broken)
    with pytest.raises(Wrong, match="RecursionError: too deep, after b'"):
        fuzz_pipe.fuzz_runner(1, 500)


@main_thread
def test_a_hang_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fuzz_pipe, "HANG_S", 0.2)
    monkeypatch.setattr(messages.MessageReader, "take", lambda self: time.sleep(5))
    with pytest.raises(Wrong, match="hang"):
        fuzz_pipe.fuzz_runner(1, 500)


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (b"\x09\0\0\0\x0e", "half a frame"),
        (b"\0\0\0\0\x0b\0", "half a frame"),
        (b"Traceback", "is no answer"),
    ],
)
def test_a_child_that_says_nonsense_is_noticed(said: bytes, words: str) -> None:
    with pytest.raises(Wrong, match=words):
        fuzz_child.kinds_of([said])


@pytest.mark.parametrize(("deed", "words"), [("os.abort()", "ended with -6"), ("time.sleep(60)", "hangs")])
def test_a_child_that_crashes_or_hangs_is_noticed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, deed: str, words: str
) -> None:
    if words == "hangs":
        monkeypatch.setattr(fuzz_child, "HANG_S", 2.0)
    (tmp_path / "sitecustomize.py").write_text(
        f"import os, time\n"
        f"from arena.bots.isolation.python_child import Child\nChild._end = lambda self, body: {deed}\n"
    )
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}{ROOT}")
    with pytest.raises(Wrong, match=rf"{words} at: -m tools.fuzz_child --seed 3 --only \d"):
        fuzz_child.fuzz_child(3, 100_000)
