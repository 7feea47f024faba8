"""What holds in every game, whatever is played (hypothesis chooses rule set, seed, claims and length)."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.game.engine import IllegalMove, State
from arena.game.moves import MOVES, parse_move
from arena.game.rng import Rng
from tests.game.play import AUTO_CLAIMS, choose, dump, random_game
from tools.differential import RULE_SETS

rule_sets = st.sampled_from(RULE_SETS)
seeds = st.integers(0, 2**40)
autos = st.sampled_from(AUTO_CLAIMS)
lengths = st.integers(0, 80)
quick = settings(max_examples=20, derandomize=True)


def at_move(rules_name: str, seed: int, auto: tuple[bool, bool], length: int) -> State:
    """The state of a random game after so many moves, or its end."""
    state = None
    for number, (state, _) in enumerate(random_game(rules_name, seed, auto)):
        if number == length:
            return state
    assert state is not None
    return state


@quick
@given(rule_sets, seeds, autos, lengths)
def test_a_copy_is_independent(rules_name: str, seed: int, auto: tuple[bool, bool], length: int) -> None:
    state = at_move(rules_name, seed, auto, length)
    before = dump(state)
    copy = state.copy()
    assert dump(copy) == before
    rng = Rng(seed)
    while not copy.is_over:
        copy.apply(choose(copy, rng))
    assert dump(state) == before
    ended = dump(copy)
    for _ in range(5):
        if not state.is_over:
            state.apply(choose(state, rng))
    assert dump(copy) == ended
    assert copy.events(0)[: len(before["events"][0])] == before["events"][0]


@quick
@given(rule_sets, seeds, autos, lengths, st.integers(0, 2**30))
def test_an_illegal_move_changes_nothing(
    rules_name: str, seed: int, auto: tuple[bool, bool], length: int, pick: int
) -> None:
    """Moves that are not legal raise a sentence, and a whole dump of the state is as before."""
    state = at_move(rules_name, seed, auto, length)
    before = dump(state)
    legal = set(state.legal_moves())
    rng = Rng(pick)
    table = sorted({move for table in MOVES.values() for move in table} - legal, key=lambda move: move.text)
    for move in rng.sample(table, 60):
        with pytest.raises(IllegalMove) as caught:
            state.apply(move)
        sentence = str(caught.value)
        assert sentence.startswith(f"{move} is not legal: ")
        assert len(sentence) > len(f"{move} is not legal: ") + 10
    assert dump(state) == before


def test_texts_of_all_moves_read_back() -> None:
    for table in MOVES.values():
        assert len(table) == 1995
        for index, move in enumerate(table):
            assert parse_move(str(move)) is move
            assert move.index == index
            assert pickle.loads(pickle.dumps(move)) is move
            assert repr(move) == f"Move({move.text})"
    assert len({move.text for move in MOVES[7]}) == 1995


HASHED = """
from arena.game.moves import MOVES
from arena.game.engine import State
from arena.game.deals import make_deal
from arena.game.rules import load_rules
rules = load_rules("bga-tactical")
state = State(rules, make_deal(rules, 1, 0))
print([m.text for m in set(state.legal_moves())], [m.text for m in {*MOVES[7][::7], *MOVES[8][::5]}])
"""


def test_sets_of_moves_have_one_order_in_every_process() -> None:
    """A bot that iterates over a set of moves plays the same game whatever PYTHONHASHSEED is."""
    seen = set()
    for hash_seed in ("0", "4242"):
        environment = os.environ | {"PYTHONHASHSEED": hash_seed}
        done = subprocess.run(
            [sys.executable, "-c", HASHED], env=environment, capture_output=True, text=True, check=True
        )
        seen.add(done.stdout)
    assert len(seen) == 1
    assert len(seen.pop()) > 1000
