"""Why a move is illegal: one position and its exact sentence for every branch; and calls with wrong arguments."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import pytest

from arena.game.board import PHASES
from arena.game.deals import Deal, DealError, make_deal
from arena.game.engine import IllegalMove, State, View
from arena.game.explain import QUESTIONS
from arena.game.moves import MOVE_COUNT, Move, moves_by_number, parse_move
from arena.game.rng import Rng
from arena.game.rules import Rules, load_rules
from tests.game.play import dump, go, set_up

#: Seat 0 holds red and seat 1 green cards; r7 r8 r9 on one stone is a proof.
MINE, THEIRS = "r7 r8 r9 r1 r2 r3", "g1 g2 g3 g4 g5 g6"


def reason(state: State, move: str | Move) -> str:
    """What is said about a move, without its beginning; the state stays as it was."""
    one = parse_move(move) if isinstance(move, str) else move
    before = dump(state)
    with pytest.raises(IllegalMove) as caught:
        state.apply(one)
    assert dump(state) == before
    beginning = f"{one} is not legal: "
    assert str(caught.value).startswith(beginning)
    return str(caught.value).removeprefix(beginning)


def test_every_phase_has_its_words() -> None:
    assert set(QUESTIONS) == set(PHASES)


CASES = (Path(__file__).parents[1] / "data" / "illegal_moves.txt").read_text().splitlines()


@pytest.mark.parametrize(("deck", "moves", "wrong"), [*zip(CASES[::3], CASES[1::3], CASES[2::3])])
def test_the_reason_is_given(deck: str, moves: str, wrong: str) -> None:
    """A case is three lines: the rule set and the tactic deck, the moves so far, the illegal move and the reason."""
    *rules, tactic = deck.split(":")
    state = set_up(":".join(rules), MINE, THEIRS, tactic=tactic)
    go(state, *filter(None, moves.strip(" -").split(",")))
    move, words = wrong.strip().split(": ", 1)
    assert reason(state, move) == words


def test_claims() -> None:
    state = set_up("base", "r7 r8 r9 k7 k8 k9", THEIRS, deck="y7 b1 y8 b2", auto=(False, False))
    go(state, "r7@1,g1@9,r8@1,g2@9,k7@2,g4@8,k8@2,g5@8,y7@2,b1@8,r9@1")
    assert reason(state, "r1@5") == QUESTIONS["claim"][0]
    assert reason(state, "claim 2") == reason(state, "claim 3") == "what is legal now is claim 1, no claim"


def test_the_game_is_over() -> None:
    state = set_up("base", "r7 r8 r9 k7 k8 k9", THEIRS, deck="y7 b1 y8 b2 y9 b3")
    go(state, "r7@1,g1@9,r8@1,g2@9,r9@1,g4@8,k7@2,g5@8,k8@2,b1@8,k9@2,g6@7,y7@3,b2@7,y8@3,b3@6,y9@3")
    assert (state.phase, state.owners[:3]) == ("over", "aaa")
    assert reason(state, "r1@5") == reason(state, "pass") == "the game is over"


# ---------------------------------------------------------------- wrong arguments


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


def test_arguments_of_another_type_are_rejected(state: State) -> None:
    with pytest.raises(TypeError, match="generator"):
        state.rollout(None)  # type: ignore[arg-type]
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


def test_a_move_made_by_hand() -> None:
    state = set_up("tactical", MINE, THEIRS)
    words = "this Move object was constructed by hand; use a move from legal_moves() or parse_move()"
    assert reason(state, Move(0, "r1@1", "place", "r1", 1, None)) == words
    for index in (0, MOVE_COUNT, 10**6, -1):
        assert reason(state, Move(index, "nonsense", "place", "x", 77, None)) == words
    assert pickle.loads(pickle.dumps(parse_move("r1@1"))) in state.legal_moves()
