"""Calls with wrong arguments: an error in words, never a crash of the process."""

from __future__ import annotations

import copy
import pickle

import pytest

from arena.game.deals import make_deal
from arena.game.engine import State
from arena.game.rng import Rng
from arena.game.rules import load_rules
from tests.game.play import dump


@pytest.fixture
def state() -> State:
    rules = load_rules("tactical")
    found = State(rules, make_deal(rules, 1, 0))
    for _ in range(9):
        found.apply(found.legal_moves()[0])
    return found


@pytest.mark.parametrize("seat", [-1, 2, 7, 10**6])
def test_there_are_two_seats(state: State, seat: int) -> None:
    for question in (state.claimable, state.events, state.hand_of, state.view, state.stones_of):
        with pytest.raises(ValueError, match="a seat is 0 or 1"):
            question(seat)


def test_events_from_a_negative_number_are_all(state: State) -> None:
    assert state.events(0, -1) == state.events(0) != ()
    assert state.events(0, 10**6) == ()


def test_a_rollout_needs_a_generator(state: State) -> None:
    with pytest.raises(TypeError, match="generator"):
        state.rollout(None)  # type: ignore[arg-type]


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
