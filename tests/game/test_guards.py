"""Calls with wrong arguments: an error in words, never a crash of the process."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

from arena.game.deals import Deal, DealError, make_deal
from arena.game.engine import State, View
from arena.game.moves import Move, moves_by_number, parse_move
from arena.game.rng import Rng
from arena.game.rules import Rules, load_rules
from tests.game.play import dump

RULES = load_rules("tactical")
GOOD = make_deal(RULES, 1, 0)


@pytest.fixture
def state() -> State:
    rules = load_rules("tactical")
    found = State(rules, make_deal(rules, 1, 0))
    for _ in range(9):
        found.apply(found.legal_moves()[0])
    return found


def test_a_deep_copy_is_a_copy(state: State) -> None:
    other = copy.deepcopy(state)
    assert dump(other) == dump(state)
    other.apply(other.legal_moves()[0])
    assert dump(other) != dump(state)


def test_states_and_views_do_not_travel(state: State) -> None:
    with pytest.raises(TypeError, match="record"):
        pickle.dumps(state)
    with pytest.raises(TypeError, match="view"):
        pickle.dumps(state.view(0, Rng(1)))


def test_what_is_missing_or_of_another_kind_is_said(state: State) -> None:
    with pytest.raises(TypeError, match="generator"):
        state.rollout(None)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="as a list, such as"):
        state.view(0).sample(Rng(1), hand="b3")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="7 or 8"):
        moves_by_number(9)


@pytest.mark.parametrize("rules_name", ["iello-tactical", "ps-2004-tactical"])
def test_a_sample_knows_what_the_other_recruiter_put_back(rules_name: str) -> None:
    """Whoever samples does not know the cards; in each sampled state the opponent does."""
    rules = load_rules(rules_name)
    found = 0
    for number in range(60):
        state, rng = State(rules, make_deal(rules, 5, number)), Rng(number)
        while not state.is_over:
            wanted = [move for move in state.legal_moves() if move.text in ("scout", "draw tactic")]
            state.apply(wanted[0] if wanted else rng.choice(state.legal_moves()))
            for seat in (0, 1):
                theirs = state.view(1 - seat).known_in_decks
                if theirs and not state.view(seat).known_in_decks:
                    sampled = state.view(seat).sample(rng).view(1 - seat).known_in_decks
                    assert [entry[1:] for entry in sampled] == [entry[1:] for entry in theirs]
                    found += 1
    assert found > 20


def test_a_state_without_a_game_says_so() -> None:
    state = State.__new__(State)
    calls: list[Any] = [state.legal_moves, state.copy, lambda: state.rollout(Rng(1)), lambda: state.view(0)]
    calls += [lambda: state.apply(parse_move("pass")), lambda: state.perft(3)]
    calls += [lambda: View.__new__(View).sample(Rng(1))]
    for call in calls:
        with pytest.raises(TypeError, match="no game"):
            call()


def test_a_card_twice_in_a_deck() -> None:
    twice = GOOD.clan_numbers[:-1] + GOOD.clan_numbers[:1]
    jokers = bytes([60] * 10)
    for deal in (Deal(twice, GOOD.tactic_numbers, 0), Deal(GOOD.clan_numbers, jokers, 0)):
        with pytest.raises(DealError, match="one of each card"):
            State(RULES, deal)


@pytest.mark.parametrize(("key", "value"), [("values", 200), ("hand_size", 99), ("spy", 9), ("with_tactics", 7)])
def test_rules_that_there_cannot_be(key: str, value: int) -> None:
    rules = Rules("wild", tactics=True)
    rules.numbers[key] = value
    with pytest.raises(ValueError, match="cannot be played"):
        State(rules, GOOD)


def test_a_move_is_made_once() -> None:
    move = parse_move("r7@3")
    with pytest.raises(TypeError, match="twice"):
        move.__init__(0, "pass", "pass", None, None, None)  # type: ignore[misc]
    for name in ("index", "text", "card", "stone"):
        with pytest.raises(AttributeError):
            setattr(move, name, 5)
    assert (move.index, move.text, move is parse_move("r7@3")) == (moves_by_number(7).index(move), "r7@3", True)
    assert str(Move.__new__(Move))


def test_who_completed_first_is_known_after_the_claim() -> None:
    """It was None for claimed stones, against its docstring."""
    rules = load_rules("base")
    for number in range(20):
        state, rng, known = State(rules, make_deal(rules, 4, number)), Rng(number), dict[int, int | None]()
        while moves := state.legal_moves():
            state.apply(rng.choice(moves))
            for stone in range(1, 10):
                sides = [len(state.side(seat, stone)) == state.capacity(stone) for seat in (0, 1)]
                first = state.completed_first(stone)
                assert (first is None) == (not any(sides))
                if known.get(stone) is not None:
                    assert first == known[stone]
                known[stone] = first
        assert any(owner != "." for owner in state.owners)
