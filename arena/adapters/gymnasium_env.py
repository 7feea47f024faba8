"""The game as a Gymnasium environment with action masks, one game or many at once (needs the extra `gymnasium`).

    import gymnasium
    env = gymnasium.make("arena.adapters.gymnasium_env:SchottenTotten-v0", opponent="greedy", rules="base")

A bot plays the other seat. An observation is what the seat knows (`spaces.ViewEncoder`), as float32 from 0 to 1;
`info["action_mask"]` and `env.unwrapped.action_masks()` (which sb3-contrib looks for) have a 1 for each legal action.
The reward at the end is 1, -1 or 0 (a draw). Forced moves are made automatically.

    from arena.adapters.gymnasium_env import SchottenTottenVec
    envs = SchottenTottenVec(256, opponent="odds")
    observations, info = envs.reset(seed=1)

All games of a `SchottenTottenVec` are stepped in one compiled call (`arena.adapters.stepping.Stepper`), with the same
observations, actions and rewards; `info["action_mask"]` has a row of 0 and 1 for each game, `info["seat"]` the seat to
decide. When a game is over, the next deal begins in the same step, and `info["final_obs"]` has the last observation of
the game where `info["_final_obs"]` is true.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.adapters.spaces import Mask, MissingLibrary, Numbers, as_rules, spaces_of
from arena.adapters.stepping import Stepper
from arena.bots.bot import Actor, GameEnd, Setup
from arena.bots.loading import load_bot
from arena.bots.spec import find_bot
from arena.errors import ArenaError
from arena.game.deals import Deal, make_deal
from arena.game.engine import State
from arena.game.rng import Rng, derive_seed
from arena.game.rules import Rules
from arena.policy.evaluator import Evaluator
from arena.policy.weights import load_net
from arena.terminal.drawing import board_text
from arena.tournament.referee import Player

try:
    import gymnasium
    from gymnasium.vector import AutoresetMode
    from gymnasium.vector.utils import batch_space
except ImportError as error:
    raise MissingLibrary("Gymnasium 1.1 or later", "gymnasium") from error

ENVIRONMENT = "SchottenTotten-v0"
OPPONENTS = ("self", "random", "odds", "net")
"""The players that can take the other seat of many games at once, besides an evaluator."""


class SchottenTotten(gymnasium.Env[Numbers, np.int64]):
    """A game against one bot.

    `opponent` is a spec such as `greedy`, or a function that makes a bot. `seat` is 0, 1 or None, which draws the seat
    for each deal. An illegal action loses the game at once; info has the reason.

    Each `reset()` begins a new deal, drawn from the generator that `reset(seed=s)` seeds; `options={"deal": (seed,
    number)}` begins a deal of a run.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 2}  # noqa: RUF012

    def __init__(
        self,
        opponent: str | Callable[[], Actor] = "random",
        rules: str | Rules = "base",
        seat: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        if seat not in (None, 0, 1):
            raise ArenaError(f"seat must be 0, 1 or None, not {seat!r}")
        self.rules = as_rules(rules)
        self.opponent = Opponent(opponent)
        self.render_mode = render_mode
        self.actions, self.observer = spaces_of(self.rules)
        self.observation_space = gymnasium.spaces.Box(0.0, 1.0, (self.observer.size,), np.float32)
        self.action_space = gymnasium.spaces.Discrete(len(self.actions))
        self._fixed_seat = seat
        self.seat = seat or 0
        self.state = State.__new__(State)  # as after the end of a game
        self._lost = False  # by an illegal action

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Numbers, dict[str, Any]]:
        """Begin a deal; return the first observation and info."""
        super().reset(seed=seed)
        drawn = (int(self.np_random.integers(1 << 62)), 0)
        chosen, number = (options or {}).get("deal", drawn)
        deal = make_deal(self.rules, chosen, number)
        choice = derive_seed(chosen, "seat", number) & 1
        self.seat = choice if self._fixed_seat is None else self._fixed_seat
        auto = (True, self.opponent.bot.auto_claim)
        self.state = State(self.rules, deal, auto[::-1] if self.seat else auto)
        self.opponent.begin(1 - self.seat, self.rules, deal, derive_seed(chosen, "game", number))
        self._lost = False
        self._go_on(self.state)
        return self._seen(self.state), self._info(self.state)

    def step(self, action: np.int64 | int) -> tuple[Numbers, float, bool, bool, dict[str, Any]]:
        """Make one decision; raise ArenaError if no game is under way or there is no such action."""
        state = self.state
        if self._lost or state.is_over:
            raise ArenaError("no game is under way; call reset() to begin one")
        move = self.actions.move(int(action))
        if move not in state.legal_moves():
            self._lost = True
            empty = np.zeros(len(self.actions), np.int8)
            return self._seen(state), -1.0, True, False, {"action_mask": empty, "illegal": str(move)}
        state.apply(move)
        self._go_on(state)
        reward = 0.0
        if state.is_over:
            self.opponent.end(state)
            reward = 0.0 if state.winner is None else 1.0 if state.winner == self.seat else -1.0
        return self._seen(state), reward, state.is_over, False, self._info(state)

    def action_masks(self) -> NDArray[np.bool_]:
        """Return a boolean for each action: True if it is legal now."""
        return self._mask(self.state).astype(bool)

    def render(self) -> Any:
        """Return the board as text, None without `render_mode`."""
        return board_text(self.state) if self.render_mode == "ansi" else None

    def _go_on(self, state: State) -> None:
        """Make the opponent's decisions and forced moves, up to the seat's next choice or the end."""
        while not state.is_over:
            if state.to_move != self.seat:
                self.opponent.move(state)
            elif len(moves := state.legal_moves()) == 1:
                state.apply(moves[0])
            else:
                return

    def _seen(self, state: State) -> Numbers:
        return self.observer.observe_as(state, self.seat)

    def _mask(self, state: State) -> Mask:
        return self.actions.mask([] if state.is_over else state.legal_moves())

    def _info(self, state: State) -> dict[str, Any]:
        return {"action_mask": self._mask(state)}


class Opponent:
    """The bot at the other seat, given by its spec or by a function that makes it.

    It is informed as a referee would inform it. Its exceptions pass through: an opponent must not fail.
    """

    def __init__(self, bot: str | Callable[[], Actor]) -> None:
        self.bot = Player("opponent", load_bot(find_bot(bot), capture=False).make if isinstance(bot, str) else bot)
        self.bot.prepare(True)

    def begin(self, seat: int, rules: Rules, deal: Deal, seed: int) -> None:
        """Begin a new game, in which all randomness comes from `seed`."""
        self.seat = seat
        self.rng = Rng(derive_seed(seed, "opponent"))
        self._events_seen = 0
        if self.bot.begin is not None:
            self.bot.begin(Setup(seat, deal.starter, rules, derive_seed(seed, "setup"), None))

    def move(self, state: State) -> None:
        """Ask the bot for its decision and carry it out."""
        moves = state.legal_moves()
        if len(moves) == 1 and not self.bot.ask_forced:
            state.apply(moves[0])
            return
        self._tell(state)
        state.apply(self.bot.act(state.view(self.seat, self.rng), moves))

    def end(self, state: State) -> None:
        """Tell the bot that the game is over."""
        self._tell(state)
        if self.bot.end is not None and state.outcome is not None:
            self.bot.end(GameEnd(state.winner, state.outcome.stones, state.outcome.reason))

    def _tell(self, state: State) -> None:
        if self.bot.observe is not None:
            events = state.events(self.seat, self._events_seen)
            self._events_seen += len(events)
            for event in events:
                self.bot.observe(event)


# ---------------------------------------------------------------- many games at once


class SchottenTottenVec(gymnasium.vector.VectorEnv[Numbers, NDArray[np.int64], NDArray[Any]]):
    """`num_envs` games under one rule set.

    `opponent` is `random`, `odds`, `net` or an evaluator of `arena.policy`, which plays the other seat; or `self`:
    then actions decide for both seats, and a reward belongs to the seat that acted. With `copy=False` every step
    returns the same arrays, which the next one overwrites.

    An illegal action loses the game. Game i plays the deals i, i + num_envs, ... of the seed given to `reset`; the
    opponent has seat 1 in even deals and seat 0 in odd ones.
    """

    metadata: dict[str, Any] = {"autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": []}  # noqa: RUF012

    def __init__(
        self,
        num_envs: int = 1,
        rules: str | Rules = "base",
        opponent: str | Evaluator = "self",
        copy: bool = True,
    ) -> None:
        if isinstance(opponent, str) and opponent not in OPPONENTS:
            raise ArenaError(f"opponent must be an evaluator or one of {', '.join(OPPONENTS)}, not {opponent!r}")
        self.rules = as_rules(rules)
        self.num_envs = num_envs
        self.actions, self.observer = spaces_of(self.rules)
        other: Evaluator | str | None = opponent if opponent != "self" else None
        if opponent in ("odds", "net"):
            other = Evaluator() if opponent == "odds" else load_net(self.rules)
        self.stepper = Stepper(self.rules, num_envs, self.actions.codes, other)
        self.single_observation_space = gymnasium.spaces.Box(0.0, 1.0, (self.observer.size,), np.float32)
        self.single_action_space = gymnasium.spaces.Discrete(len(self.actions))
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.copy = copy
        self._seats, self._ended = np.zeros(num_envs, np.int8), np.zeros(num_envs, np.int8)
        self._rewards, self._never = np.zeros(num_envs), np.zeros(num_envs, bool)
        self._arrays = self._new_arrays()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Numbers, dict[str, Any]]:
        """Begin all games anew; return the first observations and info."""
        super().reset(seed=seed)
        seen, masks, _ = self._to_write()
        deals = int(self.np_random.integers(1 << 62)) if seed is None else seed
        self.stepper.reset(deals, seen.reshape(-1), masks.reshape(-1), self._seats)
        return seen, self._info(masks)

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[Numbers, NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """Make one decision in each game; raise ValueError if an action does not exist."""
        chosen = np.ascontiguousarray(actions, np.int64)
        seen, masks, finals = self._to_write()
        x, legal, last = (array.reshape(-1) for array in (seen, masks, finals))
        self.stepper.step(chosen, x, legal, self._seats, self._rewards, self._ended, last)
        info, over = self._info(masks), self._ended.astype(bool)
        if over.any():
            info |= {"final_obs": finals, "_final_obs": over}
        rewards = self._rewards.copy() if self.copy else self._rewards
        return seen, rewards, over, self._never.copy(), info

    def _info(self, masks: Mask) -> dict[str, Any]:
        seats = self._seats.copy() if self.copy else self._seats
        return {"action_mask": masks, "seat": seats}

    def _to_write(self) -> tuple[Numbers, Mask, Numbers]:
        """Return the arrays of the next step: observations, masks and the last observations of finished games."""
        if self.copy:
            self._arrays = self._new_arrays()
        return self._arrays

    def _new_arrays(self) -> tuple[Numbers, Mask, Numbers]:
        seen = np.empty((self.num_envs, self.observer.size), np.float32)
        return seen, np.empty((self.num_envs, len(self.actions)), np.int8), np.empty_like(seen)


if ENVIRONMENT not in gymnasium.registry:
    gymnasium.register(
        id=ENVIRONMENT,
        entry_point="arena.adapters.gymnasium_env:SchottenTotten",
        vector_entry_point="arena.adapters.gymnasium_env:SchottenTottenVec",
    )
