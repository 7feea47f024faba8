"""Many games at once as a Gymnasium vector environment (needs the extra `gymnasium`).

    from arena.adapters.gymnasium_vector import SchottenTottenVec
    envs = SchottenTottenVec(256, opponent="odds")
    observations, info = envs.reset(seed=1)

All games are stepped in one compiled call (`arena.policy.stepping.Stepper`). Observations, actions and rewards are
those of `gymnasium_env.SchottenTotten`; `info["action_mask"]` has a row of 0 and 1 for each game, `info["seat"]` the
seat to decide. A game that is over is followed by the next deal in the same step, and `info["final_obs"]` has its last
observation where `info["_final_obs"]` is true.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.adapters.spaces import Mask, MissingLibrary, Numbers, as_rules, spaces_of
from arena.errors import ArenaError
from arena.game.rules import Rules
from arena.policy.evaluator import Evaluator
from arena.policy.stepping import Stepper
from arena.policy.weights import load_net

try:
    import gymnasium
    from gymnasium.vector import AutoresetMode
    from gymnasium.vector.utils import batch_space
except ImportError as error:
    raise MissingLibrary("Gymnasium 1.1 or later", "gymnasium") from error

OPPONENTS = ("self", "random", "odds", "net")


class SchottenTottenVec(gymnasium.vector.VectorEnv[Numbers, NDArray[np.int64], NDArray[Any]]):
    """`num_envs` games under one rule set.

    `opponent`: who plays the other seat: `random`, `odds`, `net`, an evaluator of `arena.policy`, or `self`: the
    actions are those of both seats, and a reward is that of the seat that acted. `observations` (num_envs x size,
    float32) and `masks` (num_envs x actions, int8) are arrays to write to; without them the environment has its own.
    `copy=False` returns these arrays themselves, which the next step overwrites.

    An action that is not legal loses the game. Game i plays the deals i, i + num_envs, ... of the seed that `reset` is
    given, against an opponent at seat 1 in even deals and at seat 0 in odd ones.
    """

    metadata: dict[str, Any] = {"autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": []}  # noqa: RUF012

    def __init__(
        self,
        num_envs: int = 1,
        rules: str | Rules = "base",
        opponent: str | Evaluator = "self",
        observations: Numbers | None = None,
        masks: Mask | None = None,
        copy: bool = True,
    ) -> None:
        if num_envs < 1 or not (opponent in OPPONENTS or isinstance(opponent, Evaluator)):
            raise ArenaError(
                f"num_envs is at least 1, and opponent an evaluator or one of {', '.join(OPPONENTS)}, not"
                f" {num_envs!r}, {opponent!r}"
            )
        self.rules = as_rules(rules)
        self.num_envs = num_envs
        self.actions, observer = spaces_of(self.rules)
        self.single_observation_space = gymnasium.spaces.Box(0.0, 1.0, (observer.size,), np.float32)
        self.single_action_space = gymnasium.spaces.Discrete(len(self.actions))
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        other: Evaluator | str | None = opponent if isinstance(opponent, Evaluator) or opponent == "random" else None
        if opponent in ("odds", "net"):
            other = Evaluator() if opponent == "odds" else load_net(self.rules)
        self.stepper = Stepper(self.rules, num_envs, self.actions.codes, other)
        self.copy = copy
        self._observations = _array(observations, (num_envs, observer.size), np.float32, "observations")
        self._masks = _array(masks, (num_envs, len(self.actions)), np.int8, "masks")
        self._finals = np.zeros_like(self._observations)
        self._seats, self._ended = np.zeros(num_envs, np.int8), np.zeros(num_envs, np.int8)
        self._rewards, self._never = np.zeros(num_envs), np.zeros(num_envs, bool)
        self._now = (self._observations.reshape(-1), self._masks.reshape(-1), self._seats)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Numbers, dict[str, Any]]:
        super().reset(seed=seed)
        self.stepper.reset(int(self.np_random.integers(1 << 62)) if seed is None else seed, *self._now)
        return self._given(self._observations), self._info()

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[Numbers, NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        chosen = np.ascontiguousarray(actions, np.int64)
        self.stepper.step(chosen, *self._now, self._rewards, self._ended, self._finals.reshape(-1))
        info, over = self._info(), self._ended.astype(bool)
        if over.any():
            info |= {"final_obs": self._given(self._finals), "_final_obs": over}
        return self._given(self._observations), self._given(self._rewards), over, self._never.copy(), info

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self._given(self._masks), "seat": self._given(self._seats)}

    def _given(self, array: NDArray[Any]) -> NDArray[Any]:
        return array.copy() if self.copy else array


def _array(given: NDArray[Any] | None, shape: tuple[int, int], kind: type, name: str) -> NDArray[Any]:
    """The caller's array, if it can be written to row by row, or a new one."""
    if given is None:
        return np.zeros(shape, kind)
    if given.shape != shape or given.dtype != kind or not given.flags.c_contiguous or not given.flags.writeable:
        raise ArenaError(f"{name} is a writable array of {shape[0]} x {shape[1]} {np.dtype(kind).name}, row by row")
    return given
