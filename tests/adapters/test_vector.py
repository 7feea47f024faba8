"""Games stepped together are the games that `State` plays, deal by deal."""

from __future__ import annotations

import numpy as np
import pytest

from arena.adapters.spaces import spaces_of
from arena.game.deals import make_deal
from arena.game.engine import State
from arena.game.rules import load_rules
from arena.policy import Evaluator

pytest.importorskip("gymnasium.vector")
import gymnasium
from gymnasium.vector import VectorEnv

from arena.adapters import gymnasium_env
from arena.adapters.gymnasium_env import SchottenTottenVec


class Twin:
    """One of the games, played by `State` alone."""

    def __init__(self, rules: str, number: int, count: int, odds: Evaluator | None) -> None:
        self.rules, self.number, self.count, self.odds = load_rules(rules), number - count, count, odds
        self.begin()

    def begin(self) -> None:
        self.number += self.count
        self.state = State(self.rules, make_deal(self.rules, 7, self.number))
        self.go_on()

    def go_on(self) -> None:
        while not self.state.is_over:
            moves = self.state.legal_moves()
            if self.odds is not None and self.state.to_move != self.number % 2:
                self.state.apply(self.odds.choose(self.state, moves))
            elif len(moves) == 1:
                self.state.apply(moves[0])
            else:
                return


@pytest.mark.parametrize("opponent", ["self", "odds"])
@pytest.mark.parametrize("rules", ["base", "bga-tactical"])
def test_the_games_are_those_of_states(rules: str, opponent: str) -> None:
    actions, observer = spaces_of(load_rules(rules))
    envs = SchottenTottenVec(3, rules, opponent)
    odds = Evaluator() if opponent == "odds" else None
    twins = [Twin(rules, number, 3, odds) for number in range(3)]
    seen, info = envs.reset(seed=7)
    rng, ended = np.random.default_rng(1), 0
    for _ in range(90):
        for i, twin in enumerate(twins):
            legal = actions.mask(twin.state.legal_moves())
            assert (info["action_mask"][i] == legal).all()
            assert info["seat"][i] == twin.state.to_move
            assert (seen[i] == observer.observe(twin.state.view(twin.state.to_move))).all()
        chosen = np.array([rng.choice(np.flatnonzero(mask)) for mask in info["action_mask"]])
        seen, rewards, over, cut, info = envs.step(chosen)
        assert not cut.any()
        for i, twin in enumerate(twins):
            seat = twin.state.to_move
            twin.state.apply(actions.move(chosen[i]))
            twin.go_on()
            assert over[i] == twin.state.is_over
            assert rewards[i] == (0 if twin.state.winner is None else 1 if twin.state.winner == seat else -1)
            if over[i]:
                ended += 1
                assert info["_final_obs"][i]
                assert (info["final_obs"][i] == observer.observe(twin.state.view(seat))).all()
                twin.begin()
    assert ended >= 3
    assert envs.stepper.deals == tuple(twin.number for twin in twins)


def test_what_a_step_returns_stays_unless_asked_otherwise() -> None:
    for copy in (True, False):
        envs = SchottenTottenVec(2, copy=copy)
        assert isinstance(envs, VectorEnv)
        seen, info = envs.reset(seed=1)
        before, masks = seen.copy(), info["action_mask"]
        assert (masks.sum(axis=1) == 54).all()
        envs.step(masks.argmax(axis=1))
        assert (seen == before).all() == copy


def test_an_illegal_action_loses() -> None:
    envs = SchottenTottenVec(2)
    _, info = envs.reset(seed=1)
    legal = info["action_mask"].argmax(axis=1)
    illegal = int((info["action_mask"][1] == 0).argmax())
    _, rewards, over, _, info = envs.step(np.array([legal[0], illegal]))
    assert rewards.tolist() == [0.0, -1.0]
    assert over.tolist() == [False, True]
    assert envs.stepper.deals == (0, 3)
    with pytest.raises(ValueError, match="487 is not an action; actions are 0 to 486"):
        envs.step(np.array([legal[0], 487]))


def test_gymnasium_makes_it_by_the_name_of_the_environment() -> None:
    name = f"{gymnasium_env.__name__}:{gymnasium_env.ENVIRONMENT}"
    envs = gymnasium.make_vec(name, 3, vectorization_mode="vector_entry_point", rules="tactical", opponent="odds")
    assert isinstance(envs, SchottenTottenVec)
    assert (envs.num_envs, envs.rules.name) == (3, "iello-tactical")
