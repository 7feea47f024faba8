"""The frames between runner and child: cut anywhere they are the same, and what is no answer is a fault."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.bots.bot import BotFault, TimeLeft
from arena.bots.isolation.python_messages import (
    ANSWER,
    ANSWERING,
    DONE,
    FAULT,
    FAULTY,
    HEAD,
    HOOKS,
    LONGEST_MESSAGE,
    MADE,
    MESSAGE_KINDS,
    QUESTION,
    REPLY,
    Message,
    clock_flags,
    fault_message,
    pack_message,
    read_answer,
    read_clock,
    read_fault,
    take_message,
)

BODIES = st.lists(st.tuples(st.sampled_from((DONE, MADE, ANSWER, FAULT)), st.binary(max_size=40)), max_size=6)


@contextmanager
def protocol(text: str) -> Iterator[None]:
    with pytest.raises(BotFault, match=text) as caught:
        yield
    assert caught.value.kind == "protocol"


def test_the_engine_writes_the_same_frames() -> None:
    assert REPLY.pack(6, ANSWER, 7, 1994) == pack_message(ANSWER, ANSWERING.pack(7, 1994))
    assert QUESTION.size == HEAD.size + 21


@given(BODIES, st.data())
def test_frames_may_come_in_any_pieces(bodies: list[tuple[int, bytes]], data: st.DataObject) -> None:
    stream = b"".join(pack_message(*body) for body in bodies)
    unread, found, at = bytearray(), [], 0
    while at < len(stream):
        size = data.draw(st.integers(1, len(stream) - at))
        unread += stream[at : at + size]
        at += size
        while (one := take_message(unread)) is not None:
            found.append(one)
    assert found == bodies
    assert not unread
    assert take_message(unread) is None


@pytest.mark.parametrize(
    "said",
    [
        HEAD.pack(LONGEST_MESSAGE + 1, DONE),
        *(HEAD.pack(0, kind) for kind in (0, 10, 255)),
        b"Traceback (most recent call last):\n",
    ],
)
def test_what_is_no_frame_is_refused_at_its_head(said: bytes) -> None:
    with protocol("is no answer: b"):
        take_message(bytearray(said))


def test_answers_fit_their_question() -> None:
    good = Message(ANSWER, ANSWERING.pack(9, 1994))
    assert read_answer(good, 9) == (1994, None)
    for number in (8, 10):
        with protocol("not asked, or answered twice"):
            read_answer(good, number)
    for bad in (Message(DONE, good.body), Message(ANSWER, b""), Message(ANSWER, good.body + b"\0")):
        with protocol("no answer to the question"):
            read_answer(bad, 9)


@pytest.mark.parametrize(("hook", "kind"), [(HOOKS[1], MESSAGE_KINDS[0]), (HOOKS[-1], "illegal move")])
def test_failures_arrive_as_they_were_told(hook: str, kind: str) -> None:
    found = take_message(bytearray(fault_message(5, hook, kind, text := "line 3: gr\u00fcn\n\tis no colour")))
    assert found is not None
    fault = read_fault(found, 5)
    assert (fault.kind, fault.detail) == (kind, text if kind == "illegal move" else f"in {hook}: {text}")
    with pytest.raises(BotFault, match="line 3"):
        read_answer(found, 5)
    assert read_fault(found, 6).kind == "protocol"


def test_failures_that_are_none() -> None:
    for body in (b"", FAULTY.pack(5, len(HOOKS), 0), FAULTY.pack(5, 0, len(MESSAGE_KINDS))):
        assert read_fault(Message(FAULT, body), 5).kind == "protocol"
    assert read_fault(Message(DONE, FAULTY.pack(5, 0, 0)), 5).kind == "protocol"


def test_reasons_are_bounded_on_both_sides() -> None:
    whole = fault_message(0, "act", "exception", "\u20ac" * 20_000)
    assert len(whole) < 9000
    detail = read_fault(Message(FAULT, whole[HEAD.size :]), 0).detail
    assert detail.startswith("in act: \u20ac\u20ac")
    forged = Message(FAULT, FAULTY.pack(0, 4, 0) + b"x" * (LONGEST_MESSAGE - FAULTY.size))
    assert len(read_fault(forged, 0).detail) < 9000
    fault_message(0, "act", "exception", "\ud800")  # no surrogate keeps it from being told


@pytest.mark.parametrize("clock", [None, TimeLeft(100, None), TimeLeft(None, 1 / 3), TimeLeft(0.001, 1e12)])
def test_clocks_arrive_exactly(clock: TimeLeft | None) -> None:
    flags, move, bank = clock_flags(clock)
    assert read_clock(flags, *struct.unpack("<dd", struct.pack("<dd", move, bank))) == clock
    assert read_clock(flags | 4, move, bank) == clock  # other flags are no clock's
