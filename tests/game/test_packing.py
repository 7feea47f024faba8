"""Views as bytes: what arrives is what was sent, and nothing hidden is among the bytes."""

from __future__ import annotations

import marshal
import os
import subprocess
import sys
from pathlib import Path

import pytest

from arena.game import packing
from arena.game.deals import make_deal
from arena.game.engine import IllegalMove, State, View
from arena.game.moves import MOVES, Move
from arena.game.packing import (
    TABLES,
    Desk,
    Tables,
    answer_all,
    events_of,
    pack_view,
)
from arena.game.rng import Rng
from arena.game.rules import load_rules, preset_names

PUBLIC = [
    "seat",
    "hand",
    "mine",
    "theirs",
    "my_turn",
    "history",
    "unseen",
    "known_in_hand",
    "known_in_decks",
    "turn",
    "first_seat",
    "phase",
    "is_over",
    "winner",
    "outcome",
    "turns",
    "owners",
    "deck_counts",
    "passes",
    "pending",
    "taken_from",
    "ruse_under_way",
    "seen_clan_cards",
]


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

    assert refused(data, 0, 4) == refused(b"", 0, 1) == refused(data, len(data) - 1, 1) == "the question is cut short"
    assert refused(data, -1, 1) == refused(data, 1 << 40, 1) == "the question is cut short"
    assert refused(data[:-1], 0, 3).startswith("this is no view")
    assert refused(b"\xff\xff" + data[2:], 0, 1) == "there is no table 65535"
    assert refused(b"\x03\0" + data[2:], 0, 1) == "there is no table 3"
    assert refused(b"\x01\0" + data[2:], 0, 1, [desks[0], None, desks[2]]) == "there is no table 1"  # type: ignore[list-item]


@pytest.mark.skipif(bool(os.environ.get("ARENA_PURE")), reason="is uncompiled already")
@pytest.mark.slow
def test_packing_holds_uncompiled() -> None:
    files = map(str, sorted(Path(__file__).parent.glob("test_packing*.py")))
    environment = os.environ | {"ARENA_PURE": "1"}
    root = Path(__file__).parents[2]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *files]
    left_out = "not byte_tells and not arrive_as"
    done = subprocess.run([*command, "-k", left_out], env=environment, cwd=root, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:]
