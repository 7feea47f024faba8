"""The game passes OpenSpiel's own test, and deals as the engine does."""

from __future__ import annotations

import random
from typing import Any

import pytest

pyspiel = pytest.importorskip("pyspiel")

from arena.adapters.openspiel_game import GAME_NAME, LONGEST_GAME  # noqa: E402
from arena.game.cards import CARD_NUMBERS, CARD_TEXTS  # noqa: E402
from arena.game.deals import deal_from_cards, make_deal  # noqa: E402
from arena.game.engine import State  # noqa: E402
from arena.game.rules import load_rules  # noqa: E402

CLAN = set(CARD_TEXTS[:60])


@pytest.mark.parametrize(
    "rules",
    ["base", *[pytest.param(one, marks=pytest.mark.slow) for one in ("s2-tactical", "bga-expert", "battle-line-base")]],
)
def test_openspiel_s_own_random_simulation(rules: str) -> None:
    """With serialization for the basic game."""
    pyspiel.random_sim_test(pyspiel.load_game(GAME_NAME, {"rules": rules}), 1, rules == "base", False)


def played(rules: str, seed: int, stop: int = 10**6) -> tuple[Any, list[tuple[str, int]]]:
    """A random game; what chance dealt, and the players' actions, in order."""
    rng = random.Random(seed)
    state = pyspiel.load_game(GAME_NAME, {"rules": rules}).new_initial_state()
    done: list[tuple[str, int]] = []
    while not state.is_terminal() and len(done) < stop:
        if state.is_chance_node():
            outcomes = state.chance_outcomes()
            assert sum(p for _, p in outcomes) == pytest.approx(1)
            action, kind = rng.choices([o for o, _ in outcomes], [p for _, p in outcomes])[0], "deal"
        else:
            action, kind = rng.choice(state.legal_actions()), "move"
        done.append((kind, action))
        state.apply_action(action)
    return state, done


@pytest.mark.parametrize("name", ["base", "s2-tactical", "bga-expert"])
def test_a_game_is_the_engine_s_on_the_cards_that_chance_dealt(name: str) -> None:
    """The decks: the cards in the order in which they were dealt, then those that nobody saw."""
    rules = load_rules(name)
    for seed in range(3):
        state, done = played(name, seed)
        clan = [card for kind, card in done if kind == "deal" and card < 60]
        tactic = [card for kind, card in done if kind == "deal" and card >= 60]
        rest = [card for card in range(6 * rules.values) if card not in clan]
        full = make_deal(rules, 1, 0)
        left = list(full.tactic_numbers)
        for card in tactic:
            left.remove(card)
        texts = [[list(CARD_NUMBERS)[card] for card in cards] for cards in (clan + rest, tactic + left)]
        engine = State(rules, deal_from_cards(rules, *texts, 0))
        for kind, action in done:
            if kind == "move":
                engine.apply(state.get_game().actions.move(action))
        assert engine.is_over
        assert state.returns() == [{None: 0, 0: 1, 1: -1}[engine.winner], {None: 0, 0: -1, 1: 1}[engine.winner]]
        assert len(done) < LONGEST_GAME
        assert state.move_number() == len(done)


@pytest.mark.parametrize("name", ["base", "tactical"])
def test_what_a_player_knows_does_not_depend_on_what_is_hidden(name: str) -> None:
    """Another outcome of the opponent's draw: the same information state."""
    base, done = played(name, 4, stop=40)
    while not (base.is_chance_node() and 1 - base.view(0).to_move in (0, 1)):
        base.apply_action(base.legal_actions()[0])
    drawer = base.view(0).to_move  # the position before the move: who moves, draws
    one, other = (base.child(outcome) for outcome in [o for o, _ in base.chance_outcomes()][:2])
    watcher = 1 - drawer
    assert one.information_state_string(watcher) == other.information_state_string(watcher)
    assert one.observation_string(watcher) == other.observation_string(watcher)
    assert one.observation_tensor(watcher) == other.observation_tensor(watcher)
    assert one.information_state_string(drawer) != other.information_state_string(drawer)
    assert done


@pytest.mark.parametrize("name", ["base", "tactical", "bga-expert"])
def test_what_a_player_does_not_know_is_dealt_anew(name: str) -> None:
    """It keeps its information state, and the cards are those that `View.sample` may deal."""
    rng, others, sampled = random.Random(3), set[str](), set[str]()
    for seed in range(4):
        state, done = played(name, seed)
        state = state.get_game().new_initial_state()
        for number, (kind, action) in enumerate(done):
            if kind == "move" and number % 5 == 0:
                player = state.current_player()
                other = state.resample_from_infostate(player, rng.random)
                assert other.information_state_string(player) == state.information_state_string(player)
                assert other.observation_tensor(player) == state.observation_tensor(player)
                assert other.legal_actions() == state.legal_actions()
                hand, known = other.view(1 - player).hand, state.view(player).known_in_hand
                assert set(known) <= set(hand)
                assert [card for card in hand if card in CLAN] == [
                    card for card in hand if card in {*state.view(player).unseen, *known}
                ]
                others.add(" ".join(hand))
                sampled.add(" ".join(state.view(1 - player).hand))
            state.apply_action(action)
    assert len(others - sampled) > len(sampled) / 2
    with pytest.raises(Exception, match="sampled at a decision"):
        state.get_game().new_initial_state().resample_from_infostate(0, rng.random)
