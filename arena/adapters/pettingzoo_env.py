"""The game as a PettingZoo AEC environment (needs the extra `pettingzoo`).

    from arena.adapters import pettingzoo_env
    env = pettingzoo_env.env(rules="tactical")

Agents are `player_0` and `player_1`, the seats 0 and 1. An observation is a dictionary: `observation` holds what the
seat knows (`spaces.ViewEncoder`), `action_mask` a 1 for each legal action, all 0 for the seat that does not decide.
Rewards at the end are 1, -1 or 0 (a draw). Provable stones are claimed automatically; forced moves are steps as well.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arena.adapters.spaces import MissingLibrary, as_rules, spaces_of
from arena.game.deals import make_deal
from arena.game.engine import State
from arena.game.rules import Rules
from arena.terminal.drawing import board_text

try:
    import gymnasium
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers
except ImportError as error:
    raise MissingLibrary("PettingZoo", "pettingzoo") from error

AGENTS = ["player_0", "player_1"]


def env(rules: str | Rules = "base", seed: int = 0, render_mode: str | None = None) -> AECEnv[str, Any, int]:
    """Return the environment with PettingZoo's usual wrappers: an illegal action ends the game and is rewarded -1."""
    made: Any = raw_env(rules, seed, render_mode)
    made = wrappers.TerminateIllegalWrapper(made, illegal_reward=-1)
    made = wrappers.AssertOutOfBoundsWrapper(made)
    return wrappers.OrderEnforcingWrapper(made)


class raw_env(AECEnv[str, Any, int]):
    """The environment without wrappers: an illegal action raises `IllegalMove`.

    `reset(seed=s)` begins deal 0 of the seed `s`, each further `reset()` the next deal; `options={"deal": n}` deal n.
    They are the deals that a run with that seed plays.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012  (PettingZoo's form)
        "name": "schotten_totten_v0",
        "render_modes": ["ansi"],
        "is_parallelizable": False,
        "render_fps": 2,
    }

    def __init__(self, rules: str | Rules = "base", seed: int = 0, render_mode: str | None = None) -> None:
        super().__init__()
        self.rules = as_rules(rules)
        self.render_mode = render_mode
        self.actions, self.observer = spaces_of(self.rules)
        self._seed, self._number = seed, -1
        self.possible_agents = list(AGENTS)
        box = gymnasium.spaces.Box(0.0, 1.0, (self.observer.size,), np.float32)
        mask = gymnasium.spaces.Box(0, 1, (len(self.actions),), np.int8)
        self.observation_spaces = {
            agent: gymnasium.spaces.Dict({"observation": box, "action_mask": mask}) for agent in AGENTS
        }
        self.action_spaces = {agent: gymnasium.spaces.Discrete(len(self.actions)) for agent in AGENTS}

    def observation_space(self, agent: str) -> Any:
        """Return the observation space of an agent."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Return the action space of an agent."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a deal."""
        if seed is not None:
            self._seed, self._number = seed, -1
        self._number = int((options or {}).get("deal", self._number + 1))
        self.state = State(self.rules, make_deal(self.rules, self._seed, self._number))
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in AGENTS}
        self.agent_selection = AGENTS[self.state.to_move]

    def observe(self, agent: str) -> dict[str, Any]:
        """Return what an agent knows, with its mask of legal actions."""
        seat = AGENTS.index(agent)
        legal = self.state.legal_moves() if seat == self.state.to_move else []
        seen = self.observer.observe_as(self.state, seat)
        return {"observation": seen, "action_mask": self.actions.mask(legal)}

    def step(self, action: int | None) -> None:
        """Make the selected agent's decision; raise IllegalMove if the action is not legal."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0
        self._clear_rewards()
        assert action is not None, "None is an action only for an agent that is done"
        self.state.apply(self.actions.move(action))
        if self.state.is_over:
            winner = self.state.winner
            for seat, agent in enumerate(AGENTS):
                self.rewards[agent] = 0 if winner is None else 1 if winner == seat else -1
                self.terminations[agent] = True
        else:
            self.agent_selection = AGENTS[self.state.to_move]
        self._accumulate_rewards()

    def render(self) -> str | None:
        """Return the board as text, None without `render_mode`."""
        return board_text(self.state, AGENTS) if self.render_mode == "ansi" else None
