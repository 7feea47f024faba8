"""The environments pass the checkers of their libraries, play the engine's game, and repeat."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from arena.errors import ArenaError
from arena.game.deals import make_deal
from arena.game.engine import IllegalMove, State
from arena.game.rules import load_rules

gymnasium = pytest.importorskip("gymnasium")
pytest.importorskip("pettingzoo")

from gymnasium.utils.env_checker import check_env  # noqa: E402
from pettingzoo.test import api_test, seed_test  # noqa: E402

from arena.adapters import gymnasium_env, pettingzoo_env  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore:Observation")
RULES = ["base", "tactical", pytest.param("bga-expert", marks=pytest.mark.slow)]


@pytest.mark.parametrize("rules", RULES)
def test_pettingzoo_s_own_tests(rules: str) -> None:
    api_test(pettingzoo_env.env(rules), num_cycles=100)
    seed_test(lambda: pettingzoo_env.env(rules), num_cycles=60)


@pytest.mark.parametrize("rules", RULES)
def test_gymnasium_s_own_checker(rules: str) -> None:
    made = gymnasium.make(gymnasium_env.ENVIRONMENT, opponent="greedy", rules=rules, render_mode="ansi")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(made.unwrapped)


def play(env: Any, choose: Any) -> tuple[list[int], dict[str, float]]:
    """A game of PettingZoo's; the actions taken, and the rewards."""
    taken = []
    for agent in env.agent_iter():
        seen, _, termination, truncation, _ = env.last()
        if termination or truncation:
            break
        action = choose(agent, seen["action_mask"])
        taken.append(action)
        env.step(action)
    return taken, dict(env.rewards)


def test_a_game_is_the_engine_s() -> None:
    env = pettingzoo_env.env("tactical")
    rules = load_rules("tactical")
    for deal in range(2):
        if deal:
            env.reset()  # the next deal of the seed
        else:
            env.reset(seed=5)
        actions = env.unwrapped.actions
        taken, rewards = play(env, lambda _, mask: int(np.flatnonzero(mask)[-1]))
        state = State(rules, make_deal(rules, 5, deal))
        for action in taken:
            state.apply(actions.move(action))
        assert state.is_over
        assert rewards == {f"player_{seat}": 1 if seat == state.winner else -1 for seat in (0, 1)}


def finish(env: gymnasium_env.SchottenTotten, seed: int) -> tuple[float, int]:
    _, info = env.reset(seed=seed)
    steps, done, reward = 0, False, 0.0
    while not done:
        assert (info["action_mask"] == env.action_masks()).all()
        _, reward, done, _, info = env.step(int(np.flatnonzero(info["action_mask"])[0]))
        steps += 1
    return reward, steps


@pytest.mark.parametrize("seat", [1, None])
def test_one_seat_repeats_and_is_dealt_both_seats(seat: int | None) -> None:
    env = gymnasium_env.SchottenTotten("greedy", "tactical", seat=seat)
    seats = set()
    once = []
    for seed in range(6):
        once.append(finish(env, seed))
        seats.add(env.seat)
        assert env.state.is_over
        assert once[-1][0] == (1 if env.state.winner == env.seat else -1)
    assert seats == ({0, 1} if seat is None else {seat})
    assert [finish(gymnasium_env.SchottenTotten("greedy", "tactical", seat=seat), seed) for seed in range(6)] == once


def test_illegal_actions_and_wrong_arguments_are_reported() -> None:
    env = gymnasium_env.SchottenTotten()
    with pytest.raises(ArenaError, match="call reset"):
        env.step(0)
    _, info = env.reset(seed=1)
    wrong = int(np.flatnonzero(info["action_mask"] == 0)[0])
    _, reward, done, _, info = env.step(wrong)
    assert (reward, done) == (-1, True)
    assert "@" in info["illegal"]
    with pytest.raises(ArenaError, match="call reset"):
        env.step(0)
    both = pettingzoo_env.env()
    both.reset(seed=1)
    wrong = int(np.flatnonzero(both.last()[0]["action_mask"] == 0)[0])
    agent = both.agent_selection
    both.step(wrong)
    assert (both.terminations[agent], both.rewards[agent]) == (True, -1)
    bare = pettingzoo_env.raw_env()
    bare.reset(seed=1)
    with pytest.raises(IllegalMove):
        bare.step(wrong)
    with pytest.raises(ArenaError, match="seat must be 0, 1 or None"):
        gymnasium_env.SchottenTotten(seat=2)
    with pytest.raises(ArenaError, match="unknown bot"):
        gymnasium_env.SchottenTotten("gredy")
