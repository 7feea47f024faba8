"""Views as bytes, and questions over a pipe: what arrives is what was sent, and nothing hidden is among the bytes."""

from __future__ import annotations

import marshal
import os
from collections.abc import Iterator
from typing import Any

import pytest

from arena.game import packing
from arena.game.deals import make_deal
from arena.game.engine import State, View
from arena.game.moves import Move
from arena.game.packing import ANSWER, ASK, QUESTION, REPLY, Desk, Line, answer_line
from arena.game.rng import Rng
from arena.game.rules import load_rules
from tests.game.play import COMPILED, KINDS, packed, view_dump


def board_of(image: bytes) -> object:
    """What a packed view says of the board, without its place in the history."""
    if packing.__file__.endswith(".py"):
        return marshal.loads(image[4:])[3]
    return image[6:]


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("auto", [(True, True), (False, False)])
def test_views_arrive_as_they_were_sent(name: str, auto: tuple[bool, bool]) -> None:
    rules = load_rules(name)
    for number in range(3):
        state = State(rules, make_deal(rules, 5, number), auto)
        desks, lines = (Desk(rules), Desk(rules)), (Line(-1, -1), Line(-1, -1))
        rng = Rng(number)
        while moves := state.legal_moves():
            seat = state.to_move
            view = state.view(seat)
            image = b"!" + lines[seat].tell(view)[1]
            seen, choice, stop = desks[seat].read(image, 1)
            assert stop == len(image)
            assert choice == moves
            assert view_dump(seen) == view_dump(view)
            assert desks[seat].events(2) == view.history[2:]
            if not rng.below(4):
                other = seen.sample(Rng(3))
                again = other.view(seat)
                assert (again.hand, again.mine, again.theirs) == (view.hand, view.mine, view.theirs)
            state.apply(rng.choice(moves))


@pytest.mark.parametrize("name", ["iello-base", "iello-expert", "battle-line-tactical"])
def test_no_byte_tells_what_the_seat_does_not_know(name: str) -> None:
    """Two states that a seat cannot tell apart have the same bytes."""
    rules = load_rules(name)
    compared = 0
    for number in range(8):
        state = State(rules, make_deal(rules, 9, number), (False, False))
        rng = Rng(number)
        while moves := state.legal_moves():
            for seat in (0, 1):
                view = state.view(seat)
                image = packed(view, repeated=True)
                other = view.sample(rng).view(seat)
                assert board_of(packed(other)) == board_of(image), (number, seat)
                compared += 1
            state.apply(rng.choice(moves))
    assert compared > 400


# ---------------------------------------------------------------- questions over a pipe

needs_the_quick_way = pytest.mark.skipif(not COMPILED, reason="uncompiled, the caller sends and answers")


class Ends:
    """The pipes between a `Line` and a bot's process, all four ends."""

    def __init__(self) -> None:
        self.orders, self.out = os.pipe()
        self.back, self.answers = os.pipe()
        for end in (self.out, self.back):
            os.set_blocking(end, False)
        self.line = Line(self.out, self.back)
        self.closed: set[int] = set()

    def close(self, *ends: int) -> None:
        for end in set(ends) - self.closed:
            self.closed.add(end)
            os.close(end)

    def close_all(self) -> None:
        self.close(self.orders, self.out, self.back, self.answers)

    def sent(self) -> bytes:
        """What the line has sent."""
        return os.read(self.orders, 1 << 20)

    def answer(self, question: int, move: int) -> None:
        os.write(self.answers, REPLY.pack(6, ANSWER, question, move))


@pytest.fixture
def ends() -> Iterator[Ends]:
    found = Ends()
    yield found
    found.close_all()


def opening() -> State:
    rules = load_rules("tactical")
    return State(rules, make_deal(rules, 1, 0))


NO_PLAIN_ANSWER = [
    *(REPLY.pack(6, ANSWER, question, 5) for question in (0, 2)),
    *(REPLY.pack(6, kind, 1, 5) for kind in (14, ASK)),
    *(REPLY.pack(size, ANSWER, 1, 5) for size in (5, 7)),
    *((REPLY.pack(6, ANSWER, 1, 5) * 30)[:length] for length in (1, 10, 12, 300)),
]


@needs_the_quick_way
@pytest.mark.parametrize("data", NO_PLAIN_ANSWER)
def test_other_answers_are_left_to_the_caller(ends: Ends, data: bytes) -> None:
    os.write(ends.answers, data)
    assert ends.line.ask(opening().view(0), 0, 0.0, 0.0) == -1
    assert (ends.line.data, ends.line.unsent) == (data, b"")


@needs_the_quick_way
@pytest.mark.parametrize("fault", ["answers", "orders", "full"])
def test_a_broken_pipe_is_left_to_others(ends: Ends, fault: str) -> None:
    state = opening()
    room = 0
    if fault == "full":
        room = filled(ends.out)
        os.read(ends.orders, 4096)
    else:
        ends.close(getattr(ends, fault))
    ends.line.begin(b"beginning" * 1000)
    assert ends.line.ask(state.view(0), 0, 0.0, 0.0) == -1
    assert ends.line.data == b""
    if fault == "orders":
        assert ends.line.unsent.startswith(b"beginning")
    if fault == "full":
        sent = ends.sent()[room - 4096 :]
        whole = sent + ends.line.unsent
        assert ends.line.unsent
        assert whole.startswith(b"beginning" * 1000)
        assert whole.endswith(packed(state.view(0)))


def filled(end: int) -> int:
    """Fill a pipe; how much it has taken."""
    room = 0
    while True:
        try:
            room += os.write(end, b"x" * 4096)
        except BlockingIOError:
            return room


def answering(ends: Ends, desk: Desk | None, act: Any, data: bytes = b"") -> tuple[Any, ...]:
    """What `answer_line` gives for a message, after which the line is closed."""
    os.write(ends.out, data)
    ends.close(ends.out)
    return answer_line(ends.orders, ends.answers, desk, act, tuple)  # type: ignore[no-any-return]


def question_for(view: View, number: int) -> bytes:
    image = packed(view)
    return QUESTION.pack(len(image) + 21, ASK, number, 0, 10.0, 20.0) + image


FORGED = [Move(index, "r7@3", "place", "r7", 3, None) for index in (0, -1, 1994, 1995, 70_000)]


def first_move(view: View, moves: list[Move]) -> Move:
    return moves[0]


@needs_the_quick_way
def test_other_messages_are_returned(ends: Ends) -> None:
    state = opening()
    whole = question_for(state.view(state.to_move), 1)
    desk = Desk(state.rules)
    for other in (whole[:-1], whole + b"x", whole[:25], b"x", whole[:4] + b"\x05" + whole[5:]):
        fresh = Ends()
        try:
            assert answering(fresh, desk, first_move, other) == (other, 0, None)
        finally:
            fresh.close_all()
    assert answering(ends, desk, first_move) == (None, 0, None)
    for asked, act in ((desk, None), (None, first_move)):  # and what is no simple question
        fresh = Ends()
        try:
            assert answering(fresh, asked, act, whole) == (whole, 0, None)
        finally:
            fresh.close_all()


@needs_the_quick_way
@pytest.mark.parametrize("thing", [ValueError("mine"), SystemExit(3), "r7@3", None, 5, *FORGED])
def test_an_invalid_answer_comes_with_its_question(ends: Ends, thing: object) -> None:
    def act(view: View, moves: list[Move]) -> object:
        if isinstance(thing, BaseException):
            raise thing
        return thing

    state = opening()
    assert answering(ends, Desk(state.rules), act, question_for(state.view(state.to_move), 7)) == (b"", 7, thing)
    with pytest.raises(BlockingIOError):
        os.read(ends.back, 1)


@needs_the_quick_way
def test_a_broken_view_comes_with_its_question(ends: Ends) -> None:
    state = opening()
    whole = question_for(state.view(state.to_move), 7)
    _, number, error = answering(ends, Desk(state.rules), first_move, whole[:30] + b"\xff" * (len(whole) - 30))
    assert number == 7
    assert isinstance(error, ValueError)
