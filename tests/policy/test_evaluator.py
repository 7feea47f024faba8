"""The evaluator: what it keeps is as if judged afresh, and nothing hidden counts."""

from __future__ import annotations

from arena import Rng
from arena.policy import Evaluator
from tests.game.play import random_game


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
