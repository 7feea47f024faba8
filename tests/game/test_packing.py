"""Views as bytes: what arrives is what was sent, and nothing hidden is among the bytes."""

from __future__ import annotations

import marshal
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.game import packing
from arena.game.deals import make_deal
from arena.game.engine import IllegalMove, State, View
from arena.game.moves import MOVES, Move
from arena.game.packing import (
    ANSWER,
    ASK,
    QUESTION,
    REPLY,
    TABLES,
    Desk,
    Line,
    Tables,
    answer_all,
    answer_line,
    events_of,
    pack_view,
)
from arena.game.rng import Rng
from arena.game.rules import load_rules, preset_names

PUBLIC = [
    "seat", "hand", "mine", "theirs", "my_turn", "history", "unseen", "known_in_hand", "known_in_decks", "turn",
    "first_seat", "phase", "is_over", "winner", "outcome", "turns", "owners", "deck_counts", "passes", "pending",
    "taken_from", "ruse_under_way", "seen_clan_cards",
]  # fmt: skip


def board_of(image: bytes) -> object:
    """What a packed view says of the board, without its place in the history."""
    if packing.__file__.endswith(".py"):
        return marshal.loads(image[4:])[3]
    return image[6:]


def told(view: View) -> list[object]:
    """Everything that a view says."""
    sides = [(view.side(p, s), view.modes(s), view.completed_first(s)) for p in (0, 1) for s in range(1, 10)]
    seats = [(view.row(p), view.hand_counts(p), view.tactics_played(p), view.joker_played(p)) for p in (0, 1)]
    return [*(getattr(view, name) for name in PUBLIC), sides, seats]


@pytest.mark.parametrize("name", preset_names())
@pytest.mark.parametrize("auto", [(True, True), (False, False)])
def test_views_arrive_as_they_were_sent(name: str, auto: tuple[bool, bool]) -> None:
    rules = load_rules(name)
    for number in range(6):
        state = State(rules, make_deal(rules, 5, number), auto)
        desks = (Desk(rules), Desk(rules))
        heard = [0, 0]
        rng = Rng(number)
        while moves := state.legal_moves():
            seat = state.turn
            view = state.view(seat)
            image = b"!" + pack_view(view, heard[seat])
            heard[seat] = events_of(view)
            seen, choice, stop = desks[seat].read(image, 1)
            assert stop == len(image)
            assert choice == moves
            assert told(seen) == told(view)
            if not rng.below(4):
                other = seen.sample(Rng(3))
                assert told(other.view(seat))[:4] == told(view)[:4]
            state.apply(rng.choice(moves))


@pytest.mark.parametrize("name", ["iello-base", "iello-expert", "battle-line-tactical"])
def test_no_byte_tells_what_the_seat_does_not_know(name: str) -> None:
    """Two states that a seat cannot tell apart have the same bytes."""
    rules = load_rules(name)
    compared = 0
    for number in range(20):
        state = State(rules, make_deal(rules, 9, number), (False, False))
        rng = Rng(number)
        while moves := state.legal_moves():
            for seat in (0, 1):
                view = state.view(seat)
                image = pack_view(view, events_of(view))
                other = view.sample(rng).view(seat)
                assert board_of(pack_view(other, 0)) == board_of(image), (number, seat)
                compared += 1
            state.apply(rng.choice(moves))
    assert compared > 1000


def test_events_that_do_not_follow_are_refused() -> None:
    rules = load_rules("base")
    state = State(rules, make_deal(rules, 1, 1))
    state.apply(state.legal_moves()[0])
    view = state.view(state.turn)
    desk = Desk(rules)
    with pytest.raises(ValueError, match="do not follow"):
        desk.read(pack_view(view, 1), 0)
    with pytest.raises(ValueError, match="cannot have been told"):
        pack_view(view, 99)
    assert desk.read(pack_view(view, 0), 0)[0].history == view.history


def test_tables_play_the_games_that_a_loop_plays() -> None:
    rules = load_rules("tactical")

    def choose(view: View, moves: list[object]) -> object:
        return moves[view.rng.below(len(moves))]

    def alone(number: int) -> tuple[list[int], tuple[int, int]]:
        state = State(rules, make_deal(rules, 2, number), (True, False))
        rngs = (Rng(number), Rng(number + 100))
        made, asked = [], [0, 0]
        while moves := state.legal_moves():
            seat = state.turn
            move = moves[0]
            if len(moves) > 1 or seat:
                asked[seat] += 1
                move = choose(state.view(seat, rngs[seat]), moves)
            state.apply(move)
            made.append(move.index)
        return made, (asked[0], asked[1])

    tables = Tables()
    seats = ([Desk(rules) for _ in range(8)], [Desk(rules) for _ in range(8)])
    for k in range(8):
        tables.sit(k, State(rules, make_deal(rules, 2, k), (True, False)), (False, True))
        seats[0][k].begin(k)
        seats[1][k].begin(k + 100)
    going = set(range(8))
    while going:
        waiting: tuple[list[int], list[int]] = ([], [])
        for k in sorted(going):
            seat = tables.advance(k)
            if seat < 0:
                going.remove(k)
            else:
                waiting[seat].append(k)
        for seat in (0, 1):
            data = b"".join([tables.ask(k) for k in waiting[seat]])
            out, desk, thing = answer_all(seats[seat], [choose] * 8, data, 0, len(waiting[seat]))
            assert (desk, thing) == (-1, None)
            for at, k in enumerate(waiting[seat]):
                assert tables.answer(k, bytes(out), 2 * at)
    for k in range(8):
        assert (tables.moves_of(k), tables.asked_of(k)) == alone(k)
        assert tables.state_of(k).is_over


def test_tables_take_no_illegal_move() -> None:
    rules = load_rules("base")
    tables = Tables()
    tables.sit(3, State(rules, make_deal(rules, 2, 0)), (False, False))
    assert tables.advance(3) in (0, 1)
    before = tables.state_of(3).legal_moves()
    for bad in (b"\xff\xff", (589).to_bytes(2, "little"), b"\x01", b""):
        assert not tables.answer(3, bad, 0)
    assert tables.state_of(3).legal_moves() == before
    assert not tables.moves_of(3)
    with pytest.raises(ValueError, match="a table is"):
        tables.sit(TABLES, tables.state_of(3), (False, False))


def test_a_failing_bot_is_named_by_its_desk() -> None:
    rules = load_rules("base")
    tables = Tables()
    desks = [Desk(rules) for _ in range(3)]
    for k in range(3):
        tables.sit(k, State(rules, make_deal(rules, 2, k)), (False, False))
        tables.advance(k)
    data = b"".join([tables.ask(k) for k in range(3)])

    def first(view: View, moves: list[object]) -> object:
        return moves[0]

    def fails(view: View, moves: list[object]) -> object:
        raise IllegalMove("mine")

    out, desk, thing = answer_all(desks, [first, fails, first], data, 0, 3)
    assert desk == 1
    assert isinstance(thing, IllegalMove)
    for desk_ in desks:
        desk_.begin(0)
    out, desk, thing = answer_all(desks, [first, first, lambda view, moves: "r7@3"], data, 0, 3)
    assert desk == 2
    assert thing == "r7@3"
    assert int.from_bytes(out[:2], "little") < len(MOVES[7])


def question_in_step(count: int) -> tuple[list[Desk], bytes]:
    rules = load_rules("base")
    tables = Tables()
    for k in range(count):
        tables.sit(k, State(rules, make_deal(rules, 2, k)), (False, False))
        tables.advance(k)
    return [Desk(rules) for _ in range(count)], b"".join([tables.ask(k) for k in range(count)])


@pytest.mark.parametrize("index", [0, -1, 1994, 1995, 70_000, 65_536, -70_000, None])
def test_moves_of_its_own_making_are_none_in_step_either(index: int | None) -> None:
    def act(view: View, moves: list[Move]) -> Move:
        return Move(moves[0].index if index is None else index, "r7@3", "place", "r7", 3, None)

    desks, data = question_in_step(2)
    _, desk, thing = answer_all(desks, [lambda view, moves: moves[0], act], data, 0, 2)
    assert desk == 1
    assert type(thing) is Move


def test_questions_end_where_they_end() -> None:
    desks, data = question_in_step(3)
    acts = [lambda view, moves: moves[0]] * 3

    def refused(data: bytes, at: int, count: int, desks: list[Desk] = desks) -> str:
        for desk in filter(None, desks):
            desk.begin(0)
        with pytest.raises(ValueError, match=r"cut short|no table|no view") as refusal:
            answer_all(desks, acts, data, at, count)
        return str(refusal.value)

    assert (
        refused(data, 0, 4)
        == refused(b"", 0, 1)
        == refused(data, len(data) - 1, 1)
        == "the question is cut short"
    )
    assert refused(data, -1, 1) == refused(data, 1 << 40, 1) == "the question is cut short"
    assert refused(data[:-1], 0, 3).startswith("this is no view")
    assert refused(b"\xff\xff" + data[2:], 0, 1) == "there is no table 65535"
    assert refused(b"\x03\0" + data[2:], 0, 1) == "there is no table 3"
    assert refused(b"\x01\0" + data[2:], 0, 1, [desks[0], None, desks[2]]) == "there is no table 1"  # type: ignore[list-item]


# ---------------------------------------------------------------- questions for one move


class Ends:
    """The pipes between a ``Line`` and a bot's process, all four ends."""

    def __init__(self) -> None:
        self.orders, self.out = os.pipe()
        self.back, self.answers = os.pipe()
        for end in (self.out, self.back):
            os.set_blocking(end, False)
        self.line = Line(self.out, self.back)
        self.closed: set[int] = set()

    def close(self, end: int) -> None:
        if end not in self.closed:
            self.closed.add(end)
            os.close(end)

    def asked(self) -> bytes:
        """What the line has sent."""
        return os.read(self.orders, 1 << 20)

    def say(self, question: int, move: int, count: int = 1, kind: int = ANSWER, size: int = 8) -> None:
        os.write(self.answers, REPLY.pack(size, kind, question, count, move))


@pytest.fixture
def ends() -> Iterator[Ends]:
    found = Ends()
    yield found
    for end in (found.orders, found.out, found.back, found.answers):
        found.close(end)


def opening(name: str = "tactical", seed: int = 1) -> State:
    rules = load_rules(name)
    return State(rules, make_deal(rules, seed, 0))


def test_a_question_is_a_frame_with_the_view(ends: Ends) -> None:
    state = opening()
    view = state.view(state.turn)
    ends.say(1, 77)
    assert ends.line.ask(view, 3, 12.5, 0.25) == 77
    assert (ends.line.question, ends.line.unsent) == (1, b"")
    sent = ends.asked()
    assert QUESTION.unpack_from(sent) == (len(sent) - 5, ASK, 1, 1, 3, 12.5, 0.25, 0)
    assert sent[QUESTION.size :] == pack_view(view, 0)
    assert ends.line.count() == 2
    ends.say(3, 1994)
    assert ends.line.ask(view, 0, 0.0, 0.0) == 1994
    assert ends.asked()[QUESTION.size :] == pack_view(view, events_of(view))  # told already


def test_a_game_begins_with_its_first_question(ends: Ends) -> None:
    state = opening()
    view = state.view(state.turn)
    ends.line.begin(b"now it begins")
    ends.say(1, 5)
    ends.say(2, 6)
    assert ends.line.ask(view, 0, 0.0, 0.0) == -1  # two answers at once are none
    assert len(ends.line.data) == 2 * REPLY.size
    sent = ends.asked()
    assert sent.startswith(b"now it begins")
    assert sent[13 + QUESTION.size :] == pack_view(view, 0)
    ends.say(2, 6)
    assert ends.line.ask(view, 0, 0.0, 0.0) == 6
    assert len(ends.asked()) == QUESTION.size + len(pack_view(view, events_of(view)))
    ends.line.begin(b"and another")
    assert ends.line.tell(view) == (b"and another", pack_view(view, 0))
    assert ends.line.tell(view) == (b"", pack_view(view, events_of(view)))


@pytest.mark.parametrize(
    "wrong",
    [
        {"question": 2},
        {"question": 0},
        {"count": 2},
        {"count": 0},
        {"kind": 14},
        {"kind": 4},
        {"size": 9},
        {"size": 7},
    ],
)
def test_what_is_no_plain_answer_is_left_to_others(ends: Ends, wrong: dict[str, int]) -> None:
    state = opening()
    ends.say(**{"question": 1, "move": 5, **wrong})
    said = REPLY.pack(
        wrong.get("size", 8), wrong.get("kind", ANSWER), wrong.get("question", 1), wrong.get("count", 1), 5
    )
    assert ends.line.ask(state.view(0), 0, 0.0, 0.0) == -1
    assert ends.line.data == said
    assert ends.line.unsent == b""


@pytest.mark.parametrize("size", [1, 5, 12, 14, 300])
def test_more_or_less_than_an_answer_is_left_to_others(ends: Ends, size: int) -> None:
    said = (REPLY.pack(8, ANSWER, 1, 1, 5) * 30)[:size]
    os.write(ends.answers, said)
    assert ends.line.ask(opening().view(0), 0, 0.0, 0.0) == -1
    assert ends.line.data == said


def test_no_answer_yet_is_left_to_others(ends: Ends) -> None:
    assert ends.line.ask(opening().view(0), 0, 0.0, 0.0) == -1
    assert (ends.line.data, ends.line.unsent) == (b"", b"")
    ends.say(2, 1)
    assert ends.line.ask(opening().view(0), 0, 0.0, 0.0) == 1


@pytest.mark.parametrize("gone", ["answers", "orders", "full"])
def test_a_broken_pipe_is_left_to_others(ends: Ends, gone: str) -> None:
    state = opening()
    room = 0
    if gone == "full":
        room = filled(ends.out)
        os.read(ends.orders, 4096)
    else:
        ends.close(getattr(ends, gone))
    ends.line.begin(b"beginning" * 1000)
    assert ends.line.ask(state.view(0), 0, 0.0, 0.0) == -1
    assert ends.line.data == b""
    if gone == "orders":
        assert ends.line.unsent.startswith(b"beginning")
    if gone == "full":
        sent = ends.asked()[room - 4096 :]
        whole = sent + ends.line.unsent
        assert ends.line.unsent
        assert whole.startswith(b"beginning" * 1000)
        assert whole.endswith(pack_view(state.view(0), 0))


def filled(end: int) -> int:
    """Fill a pipe; how much it has taken."""
    room = 0
    while True:
        try:
            room += os.write(end, b"x" * 4096)
        except BlockingIOError:
            return room


def answering(
    ends: Ends, desks: list[Any], acts: list[Any], *pieces: bytes, clock_of: Callable[..., object] = tuple
) -> tuple[Any, ...]:
    """What ``answer_line`` gives for pieces that come one after the other."""
    found: list[tuple[Any, ...]] = []
    thread = threading.Thread(
        target=lambda: found.append(answer_line(ends.orders, ends.answers, desks, acts, clock_of))
    )
    thread.start()
    for piece in pieces:
        os.write(ends.out, piece)
        thread.join(0.03)
    ends.close(ends.out)
    thread.join(10)
    return found[0]


def question_for(view: View, number: int, table: int = 0, flags: int = 0, count: int = 1) -> bytes:
    image = pack_view(view, 0)
    return QUESTION.pack(len(image) + 25, ASK, number, count, flags, 10.0, 20.0, table) + image


def test_whole_games_are_answered_from_the_other_side(ends: Ends) -> None:
    """A line here and ``answer_line`` in another thread play what a loop plays."""
    rules = load_rules("tactical")
    clocks = []

    def choose(view: View, moves: list[Move]) -> Move:
        clocks.append(view.clock)
        return moves[view.rng.below(len(moves))]

    def clock_of(flags: int, move: float, bank: float) -> object:
        return flags, move, bank

    def play(number: int, ask: Callable[[State], int]) -> list[int]:
        state = State(rules, make_deal(rules, 7, number))
        others, made = Rng(number), []
        while moves := state.legal_moves():
            code = moves[others.below(len(moves))].index if state.turn else ask(state)
            state.apply(MOVES[rules.spy_value][code])
            made.append(code)
        return made

    desk = Desk(rules)
    thread = threading.Thread(
        target=lambda: answer_line(ends.orders, ends.answers, [desk], [choose], clock_of)
    )
    thread.start()

    def through_the_line(state: State) -> int:
        number = ends.line.ask(state.view(0), 1, 2.0, 3.0)
        while number < 0:  # it took longer
            assert not ends.line.unsent
            os.set_blocking(ends.back, True)
            number = REPLY.unpack(ends.line.data or os.read(ends.back, REPLY.size))[-1]
            os.set_blocking(ends.back, False)
        return number

    try:
        for number in range(5):
            desk.begin(number)
            ends.line.begin(b"")
            rng = Rng(number)
            assert play(number, through_the_line) == play(
                number, lambda state, rng=rng: choose(state.view(0, rng), state.legal_moves()).index
            )
    finally:
        ends.close(ends.out)
        thread.join(10)
    assert set(clocks) == {None, (1, 2.0, 3.0)}


FORGED = [Move(index, "r7@3", "place", "r7", 3, None) for index in (0, 18, -1, 1994, 1995, 70_000, -70_000)]


def first_move(view: View, moves: list[Move]) -> Move:
    return moves[0]


def test_what_is_no_question_for_one_move_is_given_back(ends: Ends) -> None:
    state = opening()
    whole = question_for(state.view(state.turn), 1)
    desks = [Desk(state.rules), None]
    for other in (
        whole[:-1],
        whole + b"x",
        whole[:29],
        b"x",
        question_for(state.view(state.turn), 1, count=2),
        whole[:4] + b"\x05" + whole[5:],
        question_for(state.view(state.turn), 1, table=1),
        question_for(state.view(state.turn), 1, table=2),
        question_for(state.view(state.turn), 1, table=0xFFFF),
    ):
        fresh = Ends()
        try:
            assert answering(fresh, desks, [first_move, None], other) == (other, 0, 0, None)
        finally:
            for end in (fresh.orders, fresh.out, fresh.back, fresh.answers):
                fresh.close(end)
    assert answering(ends, desks, [first_move, None]) == (None, 0, 0, None)


def test_questions_are_answered_until_the_end(ends: Ends) -> None:
    state = opening()
    whole = question_for(state.view(state.turn), 9)
    desks = [Desk(state.rules), Desk(state.rules)]
    other = question_for(state.view(state.turn), 0xFFFFFFFF, table=1)
    assert answering(ends, desks, [first_move, lambda view, moves: moves[-1]], whole, other) == (
        None,
        0,
        0,
        None,
    )
    legal = state.legal_moves()
    assert os.read(ends.back, 999) == REPLY.pack(8, ANSWER, 9, 1, legal[0].index) + REPLY.pack(
        8, ANSWER, 0xFFFFFFFF, 1, legal[-1].index
    )


@pytest.mark.parametrize("thing", [ValueError("mine"), SystemExit(3), "r7@3", None, 5, *FORGED])
def test_what_is_no_move_comes_out_with_its_question(ends: Ends, thing: object) -> None:
    def act(view: View, moves: list[Move]) -> object:
        if isinstance(thing, BaseException):
            raise thing
        return thing

    state = opening()
    desks = [Desk(state.rules), Desk(state.rules)]
    found = answering(ends, desks, [first_move, act], question_for(state.view(state.turn), 7, table=1))
    assert found == (b"", 7, 1, thing)
    with pytest.raises(BlockingIOError):
        os.read(ends.back, 1)


def test_a_view_that_is_none_comes_out_with_its_question(ends: Ends) -> None:
    state = opening()
    whole = question_for(state.view(state.turn), 7)
    _, number, table, error = answering(
        ends, [Desk(state.rules)], [first_move], whole[:34] + b"\xff" * (len(whole) - 34)
    )
    assert (number, table) == (7, 0)
    assert isinstance(error, ValueError)


def test_the_end_of_the_runner_ends_the_answers(ends: Ends) -> None:
    state = opening()
    ends.close(ends.back)
    found = answering(ends, [Desk(state.rules)], [first_move], question_for(state.view(state.turn), 7))
    assert found[0] is None


@pytest.mark.skipif(bool(os.environ.get("ARENA_PURE")), reason="is uncompiled already")
def test_this_file_holds_uncompiled() -> None:
    environment = os.environ | {"ARENA_PURE": "1"}
    root = Path(__file__).parents[2]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", __file__]
    left_out = "not byte_tells and not arrive_as"
    done = subprocess.run(
        [*command, "-k", left_out], env=environment, cwd=root, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout[-3000:]
