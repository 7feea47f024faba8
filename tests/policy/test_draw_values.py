"""What each card that could have been drawn is worth: the cards, the drawn one first, and what is no draw."""

from __future__ import annotations

import pytest

from arena.game.deals import make_deal
from arena.game.engine import State
from arena.game.rng import Rng
from arena.game.rules import load_rules
from arena.policy import load_net


@pytest.mark.parametrize("rules_name", ["base", "tactical", "s2-expert"])
def test_a_draw_has_a_value_for_each_card_left(rules_name: str) -> None:
    rules = load_rules(rules_name)
    net, rng = load_net(rules), Rng(3)
    draws = 0
    for number in range(3):
        state = State(rules, make_deal(rules, 5, number))
        while moves := state.legal_moves():
            before = state.copy()
            state.apply(moves[rng.below(len(moves))])
            decks = (before.clan_cards_left, before.tactic_cards_left)
            now = (state.clan_cards_left, state.tactic_cards_left)
            values = net.draw_values(before, state)
            drawn = [old for old, new in zip(decks, now) if len(new) == len(old) - 1]
            if values:
                draws += 1
                assert drawn
                assert len(values) in range(max(len(drawn[0]) - 4, 1), len(drawn[0]) + 1)  # but for cards put back
                assert all(-0.2 <= value <= 1 for value in values)
            elif drawn and state.outcome is None:
                assert rules.tactics  # a card that the recruiter put back, whose place is known
    assert draws > 60


def test_a_value_depends_on_the_card_and_not_on_the_rest_of_the_deck() -> None:
    rules = load_rules("base")
    net = load_net(rules)
    before = State(rules, make_deal(rules, 1, 0))
    after = before.copy()
    after.apply(after.legal_moves()[0])
    values = net.draw_values(before, after)
    assert len(values) == 42
    assert len(set(values)) > 5
    other = before.view(before.turn).sample(Rng(9), before.hand_of(1 - before.turn), [before.clan_cards_left[0]])
    same = other.copy()
    same.apply(same.legal_moves()[0])
    again = net.draw_values(other, same)
    assert again[0] == values[0]
    assert sorted(again) == sorted(values)
