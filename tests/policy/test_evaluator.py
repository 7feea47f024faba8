"""The evaluator: what it keeps is as if judged afresh, and nothing hidden counts."""

from __future__ import annotations

import pytest

from arena import Rng, State, load_rules, make_deal
from arena.policy import Evaluator
from tests.game.play import random_game
from tools.differential import RULE_SETS


def test_the_value_after_a_move_is_that_of_the_position_after_it() -> None:
    """What is kept from the position before (all stones that the move does not touch) is as if judged afresh."""
    evaluator = Evaluator()
    for seed in range(4):
        for number, (state, _) in enumerate(random_game("base", seed)):
            moves = state.legal_moves()
            if number % 7 == 0 and len(moves) > 1:
                view = state.view(state.to_move)
                values = evaluator.values(view, moves)
                for move, value in list(zip(moves, values))[:: max(1, len(moves) // 9)]:
                    after = state.copy()
                    after.apply(move)
                    if not after.is_over and after.deck_counts == (0, 0):  # no card was drawn: the same knowledge
                        assert value == evaluator.value(after.view(view.seat))


def test_nothing_hidden_counts() -> None:
    evaluator, rng, seen = Evaluator(), Rng(5), 0
    for name in ("base", "tactical", "bga-expert"):
        for number, (state, _) in enumerate(random_game(name, 8, tactic=4)):
            moves = state.legal_moves()
            if number % 5 == 0 and len(moves) < 100:
                view = state.view(state.to_move)
                expected = evaluator.values(view, moves)
                assert evaluator.values(state, moves) == expected
                assert evaluator.values(view.sample(rng), moves) == expected
                seen += 1
    assert seen > 15


@pytest.mark.parametrize("name", RULE_SETS)
def test_whole_games_in_every_rule_set(name: str) -> None:
    evaluator = Evaluator()
    rules = load_rules(name)
    for auto in ((True, True), (False, False)):
        state = State(rules, make_deal(rules, 2, 1), auto)
        while not state.is_over:
            moves = state.legal_moves()
            view = state.view(state.to_move)
            move = evaluator.choose(view, moves)
            if len(moves) < 60:
                values = evaluator.values(view, moves)
                assert move is moves[values.index(max(values))]
                assert all(-0.1 <= value <= 1 for value in values)
            state.apply(move)
        assert evaluator.value(state.view(0)) in (0.0, 0.5, 1.0)
