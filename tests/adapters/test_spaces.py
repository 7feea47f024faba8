"""The numbering of moves and the numbers of a view hold whatever can occur."""

from __future__ import annotations

import numpy as np
import pytest

from arena.adapters.spaces import Actions, ViewEncoder
from arena.errors import ArenaError
from arena.game.deals import make_deal
from arena.game.engine import State
from arena.game.rng import Rng
from arena.game.rules import load_rules


@pytest.mark.parametrize("name", ["base", "tactical", "bga-expert", "battle-line-tactical"])
def test_every_legal_move_has_its_number(name: str) -> None:
    """The numbers of actions and of what is seen are stable."""
    rules = load_rules(name)
    actions, observer = Actions(rules), ViewEncoder(rules)
    if name in ("base", "tactical"):
        assert (len(actions), observer.size) == {"base": (487, 1119), "tactical": (1115, 1470)}[name]
        with pytest.raises(ArenaError, match=f"{len(actions)} is not an action; actions are 0 to {len(actions) - 1}"):
            actions.move(len(actions))
    rng = Rng(1)
    for deal in range(2):
        state = State(rules, make_deal(rules, 1, deal))
        while not state.is_over:
            moves = state.legal_moves()
            masked = [actions.move(at) for at in np.flatnonzero(actions.mask(moves))]
            assert masked == sorted(moves, key=lambda move: move.index)
            if state.turns % 8 == deal:
                seen = observer.observe(state.view(state.to_move))
                assert 0 <= seen.min() <= seen.max() <= 1
            state.apply(rng.choice(moves))


def test_an_observation_says_what_the_view_says_and_no_more() -> None:
    rules = load_rules("tactical")
    observer = ViewEncoder(rules)
    state = State(rules, make_deal(rules, 1, 0))
    rng = Rng(5)
    for _ in range(30):
        state.apply(rng.choice(state.legal_moves()))
    view = state.view(0)
    seen = observer.observe(view)
    parts = {name: seen[part] for name, part in observer.parts.items()}
    assert parts["hand"].sum() == len(view.hand)
    assert parts["unseen"].sum() == len(view.unseen)
    assert parts["mine"].sum() == sum(map(len, view.mine))
    assert parts["theirs"].sum() == sum(map(len, view.theirs))
    other = view.sample(Rng(9))  # another hand of the opponent, the same knowledge
    assert (observer.observe(other.view(0)) == seen).all()
    assert not (observer.observe(state.view(1)) == seen).all()
