# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: annotation_typing=False
"""Games of evaluators inside the engine, and the positions in them as arrays: data to train nets."""

from __future__ import annotations

from typing import Any

try:
    import cython
except ImportError:
    from arena.game import nocython as cython  # type: ignore[no-redef]

from arena.game.deals import make_deal
from arena.game.engine import State
from arena.game.rng import Rng, derive_seed
from arena.game.rules import Rules
from arena.policy.evaluator import Evaluator

if not cython.compiled:
    from arena.game.board import copy_block
    from arena.game.choices import PLAY, PUT, TAKE
    from arena.policy.features import ALL, position_features
    from arena.policy.layers import floats


class Recorder:
    """Room for positions: 464 numbers each, with the game, the seat and the value that its player saw."""

    if not cython.compiled:
        numbers: Any
        games: Any
        seats: Any
        values: Any
        count: int
        x: Any

        def __new__(cls, *args: Any, **kwargs: Any) -> Any:
            self = super().__new__(cls)
            self.x = floats(ALL)
            return self

    def __init__(self, numbers: Any, games: Any, seats: Any, values: Any) -> None:
        if not len(numbers) == ALL * len(games) == ALL * len(seats) == ALL * len(values):
            raise ValueError(f"the arrays must have room for the same number of positions, {ALL} numbers each")
        self.numbers = numbers
        self.games = games
        self.seats = seats
        self.values = values
        self.count = 0

    @cython.final
    def write(self, evaluator: Evaluator, board: State, game: int, value: float) -> None:
        """Write the features of a position that followed from the one the evaluator looked at."""
        if self.count >= len(self.games):
            return
        position_features(evaluator, board, self.x)
        at = ALL * self.count
        for i in range(ALL):
            self.numbers[at + i] = self.x[i]
        self.games[self.count] = game
        self.seats[self.count] = evaluator.seat
        self.values[self.count] = value
        self.count += 1


def play_games(
    rules: Rules, players: tuple[Evaluator, Evaluator], first: int, count: int, seed: int, noise: float = 0.0,
    keep: float = 1.0, recorder: Recorder | None = None,
) -> list[tuple[int, int, int]]:  # fmt: skip
    """Play games `first` to `first + count - 1`; for each the winner (2: a draw) and both seats' stones (as bits).

    Deal n is the same for every pair of players and seed. The moves are those with the highest value; with `noise`, of
    logit(value) + noise * Gumbel. Each position after a play is recorded with the chance `keep`.
    """
    results = []
    for game in range(first, first + count):
        state = State(rules, make_deal(rules, seed, game))
        state.logging = False
        play(state, players[0], players[1], Rng(derive_seed(seed, "self-play", game)), noise, keep, recorder, game)
        results.append((state.won, state.owned[0], state.owned[1]))
    return results


def play(
    state: State, zero: Evaluator, one: Evaluator, rng: Rng, noise: float, keep: float, recorder: Recorder | None,
    game: int,
) -> None:  # fmt: skip
    """Play a game to its end."""
    while state.won < 0:
        evaluator = one if state.mover else zero
        playing = state.stage == PLAY or state.stage == TAKE or state.stage == PUT
        n = state.legal_codes(evaluator.choices)
        best = evaluator.choices[0]
        if n > 1 or recorder is not None:
            evaluator.look(state, state.mover)
            best = evaluator.choices[evaluator.best_of(n, noise, rng)]
            if recorder is not None and playing and rng.random() < keep:
                copy_block(evaluator.work, evaluator.root)
                evaluator.work.clan_left = 0
                evaluator.work.tactic_left = 0
                evaluator.work.perform(best)
                if evaluator.work.won < 0 and evaluator.work.stage != TAKE and evaluator.work.stage != PUT:
                    recorder.write(evaluator, evaluator.work, game, evaluator.most)
        state.perform(best)
