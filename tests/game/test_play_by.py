"""The referee's loop inside the engine, and moves that do not come from the list."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import Any

import pytest

from arena.game.cards import CARD_TEXTS
from arena.game.deals import make_deal
from arena.game.engine import State, View
from arena.game.moves import MOVE_COUNT, MOVES, Move, MoveError, parse_move
from arena.game.rng import Rng
from arena.game.rules import load_rules
from tests.game.play import AUTO_CLAIMS, KINDS, dump, set_up

Chooser = Callable[[View, list[Move]], Any]
RNGS = (Rng(1), Rng(2))


def start(rules_name: str, seed: int, auto: tuple[bool, bool] = (True, True)) -> State:
    rules = load_rules(rules_name)
    return State(rules, make_deal(rules, seed, 0), auto)


def random_chooser(seed: int, seen: list[tuple[int, bool, int]]) -> Chooser:
    """A bot that plays at random and notes the seat, whose turn it is, and the number of moves."""
    rng = Rng(seed)

    def choose(view: View, moves: list[Move]) -> Move:
        seen.append((view.seat, view.to_move == view.seat, len(moves)))
        return rng.choice(moves)

    return choose


@pytest.mark.parametrize("rules_name", KINDS)
def test_it_is_the_plain_loop(rules_name: str) -> None:
    """The same end, trail and questions as a loop of legal_moves, view and apply."""
    for seed, auto in enumerate(AUTO_CLAIMS):
        for forced in ((False, False), (True, False), (True, True)):
            asked: list[tuple[int, bool, int]] = []
            trail = array("H", [0]) * 2000
            quick = start(rules_name, seed, auto)
            choosers = (random_chooser(seed, asked), random_chooser(seed + 50, asked))
            at, zero, one, how, what = quick.play_by(choosers, RNGS, forced, trail, 7, [])
            assert (how, what) == (0, None)
            assert quick.is_over
            assert list(trail[:7]) == [0] * 7
            assert (zero, one) == (sum(seat == 0 for seat, _, _ in asked), sum(seat == 1 for seat, _, _ in asked))
            assert all(mine for _, mine, _ in asked)

            plain, wanted = start(rules_name, seed, auto), []
            again = [random_chooser(seed, wanted), random_chooser(seed + 50, wanted)]
            made = []
            while moves := plain.legal_moves():
                seat = plain.to_move
                move = moves[0]
                if len(moves) > 1 or forced[seat]:
                    move = again[seat](plain.view(seat), moves)
                plain.apply(move)
                made.append(move.index)
            assert asked == wanted
            assert list(trail[7:at]) == made
            assert dump(quick) == dump(plain)


FORGED = [Move(index, "x", "place", "r1", 1, None) for index in (10**6, MOVE_COUNT, -1, -(10**6), 0)]


@pytest.mark.parametrize("wrong", [None, "r1@1", 7, *FORGED, parse_move("no claim")])
@pytest.mark.parametrize("seat", [0, 1])
def test_an_illegal_answer_ends_the_loop(wrong: Any, seat: int) -> None:
    """It is handed back, and the state is that of the last legal move."""
    count = 0

    def bad(view: View, moves: list[Move]) -> Any:
        nonlocal count
        count += 1
        return wrong if count == 4 else moves[0]

    def good(view: View, moves: list[Move]) -> Move:
        return moves[0]

    state = start("base", 3)
    trail = array("H", [0]) * 500
    choosers = (bad, good) if seat == 0 else (good, bad)
    at, zero, one, how, what = state.play_by(choosers, RNGS, (False, False), trail, 0, [])
    assert how == 2
    assert what is wrong
    assert (zero, one)[seat] == 4
    assert at == zero + one - 1
    assert not state.is_over
    assert state.to_move == seat
    again = start("base", 3)
    for index in trail[:at]:
        again.apply(MOVES[7][index])
    assert dump(again) == dump(state)


@pytest.mark.parametrize("error", [ValueError("no"), KeyboardInterrupt(), SystemExit(3)])
def test_an_exception_ends_the_loop(error: BaseException) -> None:
    def fails(view: View, moves: list[Move]) -> Move:
        raise error

    state = start("base", 3)
    at, zero, one, how, what = state.play_by((fails, fails), RNGS, (False, False), array("H", [0]) * 9, 0, [])
    assert (at, zero + one, how) == (0, 1, 1)
    assert what is error
    assert state.turns == 1


def test_wrong_seats_and_stones() -> None:
    state = set_up("tactical", "r1")
    for board in (state, state.view(0)):
        for seat in (-1, 2):
            for ask in ("stones_of", "row", "hand_counts", "tactics_played", "joker_played"):
                with pytest.raises(ValueError, match=f"a seat is 0 or 1, not {seat}"):
                    getattr(board, ask)(seat)
            with pytest.raises(ValueError, match="a seat is 0 or 1"):
                board.side(seat, 1)
        for stone in (0, 10, -1):
            for ask in ("modes", "capacity", "completed_first"):
                with pytest.raises(ValueError, match=rf"a stone is 1\.\.9, not {stone}"):
                    getattr(board, ask)(stone)
            with pytest.raises(ValueError, match=r"a stone is 1\.\.9"):
                board.side(0, stone)
    for seat in (-1, 2, 10**6):
        for question in (state.claimable, state.events, state.hand_of, state.view):
            with pytest.raises(ValueError, match="a seat is 0 or 1"):
                question(seat)


def test_the_trail_is_not_left() -> None:
    """Neither before its first place nor behind its last."""
    for length, at in ((5, 0), (4000, -3)):
        state = start("base", 1)

        def first(view: View, moves: list[Move]) -> Move:
            return moves[0]

        with pytest.raises(IndexError, match="outside the trail"):
            state.play_by((first, first), (Rng(1), Rng(2)), (False, False), array("H", [0] * length), at, [])


@pytest.mark.parametrize("name", ["base:hand_size=7", *KINDS])
def test_a_rollout_is_the_game_of_its_random_numbers(name: str) -> None:
    """The short way of rollouts, where moves are counted and not listed, against the moves one by one."""
    rules = load_rules(name)
    for number in range(60):
        start = State(rules, make_deal(rules, 3, number))
        for _ in range(2 * number):
            if moves := start.legal_moves():
                start.apply(moves[number % len(moves)])
        rng = Rng(number)
        state = start.copy()
        while moves := state.legal_moves():
            r = rng.next64()
            low, high = r & 0xFFFFFFFF, r >> 32
            cards = list(dict.fromkeys(move.card for move in moves))
            stones = len(moves) // len(cards)
            p = state.to_move
            may_play_tactics = state.hand_counts(p)[1] and state.tactics_played(p) <= state.tactics_played(1 - p)
            if state.phase == "play" and moves[0].kind == "place" and not may_play_tactics:
                at = (low * len(cards) >> 32) * stones + (high * stones >> 32)
            else:
                at = low * len(moves) >> 32
            state.apply(moves[at])
        outcome = state.outcome
        assert outcome is not None
        before = dump(start)
        assert start.rollout(Rng(number)) == (2 if outcome.winner is None else outcome.winner), number
        assert dump(start) == before


def test_texts_that_are_no_moves() -> None:
    with pytest.raises(MoveError, match="'r7@10' is not a move; did you mean"):
        parse_move("r7@10")
    for text in ("", "r7", "r7@", "r11@1", "claim 0", "take fog@1", "return x", "R7@3", "r7@3 "):
        with pytest.raises(MoveError, match="is not a move"):
            parse_move(text)
    assert {move.card for move in MOVES[7] if move.kind == "return"} == set(CARD_TEXTS)
