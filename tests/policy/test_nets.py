"""Nets, self-play, training and search: each piece against a second way to the same numbers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from arena import ArenaError, Rng, State, load_rules, make_deal
from arena.paths import WEIGHTS_FOLDER
from arena.policy import Evaluator, Net, load_net
from arena.policy.net import exponential, logistic
from arena.policy.selfplay import play_games
from arena.policy.weights import read_weights
from tests.policy.layers import random_weights


def test_exponential() -> None:
    x = np.linspace(-38, 38, 4001)
    assert np.array([exponential(one) for one in x]) == pytest.approx(np.exp(x), rel=1e-15, abs=0)
    assert (logistic(-1e9), logistic(0.0), logistic(1e9)) == (0.0, 0.5, 1.0)
    assert logistic(2.0) == pytest.approx(1 / (1 + np.exp(-2)), rel=1e-15)


def test_self_play_repeats() -> None:
    rules, pair = load_rules("tactical"), (Evaluator(), Net(random_weights(2)))
    games = [play_games(rules, pair, 3, 2, 9, noise) for noise in (0.0, 0.3)]
    assert games == [play_games(rules, pair, 3, 2, 9, noise) for noise in (0.0, 0.3)]
    assert games[0] != games[1]
    assert games[0] == play_games(rules, pair, 3, 1, 9) + play_games(rules, pair, 4, 1, 9)


def test_a_net_of_an_earlier_generation() -> None:
    weights = [list(read_weights(WEIGHTS_FOLDER / f"{name}.bin")) for name in ("base", "base-1")]
    state = State(load_rules("base"), make_deal(load_rules("base"), 1, 0))
    found = [load_net("base").value(state), load_net(state.rules, 1).value(state)]
    assert found == [Net(numbers).value(state) for numbers in weights]
    assert found[0] != found[1]
    with pytest.raises(ArenaError, match="no net of generation 7: there are 1, and 0 for the newest"):
        load_net("expert", 7)


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
    deal = make_deal(rules, 1, 0)
    before = State(rules, deal)
    after = before.copy()
    after.apply(after.legal_moves()[0])
    values = net.draw_values(before, after)
    assert len(values) == 42
    assert len(set(values)) > 5
    cards = deal.clan_numbers[:13] + deal.clan_numbers[:12:-1]  # both hands and the first card
    other = State(rules, replace(deal, clan_numbers=cards))
    same = other.copy()
    same.apply(same.legal_moves()[0])
    again = net.draw_values(other, same)
    assert again[0] == values[0]
    assert sorted(again) == sorted(values)
