"""Measure the toolkit, in microseconds and as ratios within one run (`pytest benchmarks/bench_policy.py -s`).

Decisions are measured inside the engine, over games that evaluators play against themselves: one decision judges all
moves of a position. Compare the ratios; the absolute figures, in processor time, depend on the machine.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from arena.adapters.spaces import spaces_of
from arena.adapters.stepping import Stepper
from arena.game.deals import make_deal
from arena.game.engine import State, play_random_games
from arena.game.rng import Rng
from arena.game.rules import Rules, load_rules
from arena.policy import Evaluator, Searcher, features, load_net
from arena.policy.selfplay import play_games

GAMES, SETS = 60, ("base", "tactical", "expert")
micros: dict[tuple[str, str], float] = {}


@pytest.fixture(scope="module", autouse=True)
def table() -> Iterator[None]:
    """Print the measurements at the end of the module, also as numbers of random games that take as long."""
    yield
    print("\n")
    for (what, rules), time_of_one in micros.items():
        games = time_of_one / micros["a random game", rules]
        print(f"{what:<44}{rules:<10}{time_of_one:>10.2f} µs{games:>10.2f} random games")


def measured(what: str, rules: str, count: int, run: Callable[[], object]) -> None:
    """Return the shortest time per unit of five runs of `count` units."""
    best = float("inf")
    for _ in range(5):
        begun = time.process_time()
        run()
        best = min(best, time.process_time() - begun)
    micros[what, rules] = 1e6 * best / count


def stepping(rules: Rules, opponent: str | None) -> float:
    """Measure a step of one of 256 games with mask and observation, without the choice of random actions."""
    actions, observer = spaces_of(rules)
    stepper, rng = Stepper(rules, 256, actions.codes, opponent), np.random.default_rng(1)
    x, last = np.zeros((2, 256 * observer.size), np.float32)
    masks, seats, ended = np.zeros(256 * len(actions), np.int8), np.zeros(256, np.int8), np.zeros(256, np.int8)
    rewards = np.zeros(256)
    stepper.reset(1, x, masks, seats)
    best = float("inf")
    for _ in range(5):
        spent = 0.0
        for _ in range(50):
            chosen = (masks.reshape(256, -1) * rng.random((256, len(actions)))).argmax(axis=1)
            begun = time.process_time()
            stepper.step(chosen, x, masks, seats, rewards, ended, last)
            spent += time.process_time() - begun
        best = min(best, spent / (50 * 256))
    return best


@pytest.mark.parametrize("rules", SETS)
def test_speed(rules: str) -> None:
    found = load_rules(rules)
    measured("a random game", rules, 5000, lambda: play_random_games(found, 5000, 1))
    state = State(found, make_deal(found, 1, 0))
    view, rng = state.view(state.to_move), Rng(1)
    measured("sample, from Python", rules, 20000, lambda: [view.sample(rng) for _ in range(20000)])
    measured("key of a view, from Python", rules, 20000, lambda: [view.key for _ in range(20000)])
    measured("features of a position, from Python", rules, 500, lambda: [features(view) for _ in range(500)])
    for name, player in (("odds", Evaluator()), ("net", load_net(found))):
        decisions = sum(decisions_of(State(found, make_deal(found, 1, number)), player) for number in range(GAMES))
        run = play_both(rules, player)
        measured(f"a decision of {name}", rules, decisions, run)
    for opponent in (None, "random"):
        micros[f"a step of a game, {opponent or 'both seats'}", rules] = 1e6 * stepping(found, opponent)
    searcher, moves = Searcher(load_net(found)), state.legal_moves()
    searcher.choose(view, moves, Rng(1), 1000)
    measured("a node of search over net", rules, searcher.nodes, lambda: searcher.choose(view, moves, Rng(1), 1000))
    assert all(value > 0 for value in micros.values())


def play_both(rules: str, player: Evaluator) -> Callable[[], object]:
    """Play games of an evaluator against itself, inside the engine."""
    return lambda: play_games(load_rules(rules), (player, player), 0, GAMES, 1)


def decisions_of(state: State, player: Evaluator) -> int:
    """Return the number of decisions of such a game."""
    count = 0
    while not state.is_over:
        moves = state.legal_moves()
        count += len(moves) > 1
        state.apply(player.choose(state, moves) if len(moves) > 1 else moves[0])
    return count
