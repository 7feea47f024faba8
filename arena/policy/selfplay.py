# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: annotation_typing=False
"""Games of evaluators inside the engine, and their positions as arrays: data for training nets."""

from __future__ import annotations

from typing import Any, NamedTuple

from arena.game.deals import make_deal
from arena.game.engine import State
from arena.game.rng import Rng, derive_seed
from arena.game.rules import Rules, load_rules
from arena.policy.evaluator import Evaluator
from arena.policy.inputs import NUMBERS, Recorder

#: The games that share arrays, and the most positions that a game has.
CHUNK, MOST = 50, 160


class Games(NamedTuple):
    """Games of self-play as arrays: n positions of m games, in the order of play."""

    features: Any
    """n x 955 32-bit floats: what the player of the last move knew, after the move and before the draw."""
    games: Any
    """n whole numbers: the place of the game in `winners` and `stones`."""
    seats: Any
    """n whole numbers: that player's seat."""
    values: Any
    """n 32-bit floats: the value of the move for its player."""
    winners: Any
    """m whole numbers: the seat that won, 2 for a draw."""
    stones: Any
    """m x 2 whole numbers: the stones of both seats at the end, as bits."""


def self_play(
    rules: Rules | str,
    players: tuple[Evaluator, Evaluator],
    games: int,
    seed: int,
    noise: float = 0.0,
    keep: float = 1.0,
    first: int = 0,
) -> Games:
    """Play games inside the engine and keep each of their positions with the chance `keep`; see `play_games`.

    Positions in which the game is over, or a taken card is not placed yet, are left out.

    >>> from arena.policy import Evaluator
    >>> found = self_play("base", (Evaluator(), Evaluator()), 2, seed=1)
    >>> found.features.shape[1], set(found.games.tolist()), len(found.winners)
    (955, {0, 1}, 2)
    """
    import numpy as np

    rules = load_rules(rules) if isinstance(rules, str) else rules
    parts = []
    results: list[tuple[int, int, int]] = []
    for begin in range(first, first + games, CHUNK):
        count = min(CHUNK, first + games - begin)
        room = count * MOST
        x, values = np.zeros(room * NUMBERS, np.float32), np.zeros(room, np.float32)
        numbers, seats = np.zeros(room, np.intc), np.zeros(room, np.int8)
        recorder = Recorder(x, numbers, seats, values)
        results += play_games(rules, players, begin, count, seed, noise, keep, recorder)
        n = recorder.count
        parts.append((x[: n * NUMBERS].reshape(n, NUMBERS), numbers[:n] - first, seats[:n], values[:n]))
    if not parts:
        raise ValueError("there must be at least one game")
    x, numbers, seats, values = [np.concatenate(column) for column in zip(*parts)]
    ends = np.array(results)
    return Games(x, numbers, seats, values, ends[:, 0], ends[:, 1:])


def play_games(
    rules: Rules,
    players: tuple[Evaluator, Evaluator],
    first: int,
    count: int,
    seed: int,
    noise: float = 0.0,
    keep: float = 1.0,
    recorder: Recorder | None = None,
) -> list[tuple[int, int, int]]:
    """Play games `first` to `first + count - 1`; return for each the winner (2: a draw) and both seats' stones (bits).

    Deal n of a seed is the same for every pair of players. Each move is the one with the highest value, or with `noise`
    the highest logit(value) + noise * Gumbel. Each position after a play is recorded with the chance `keep`.
    """
    results = []
    for game in range(first, first + count):
        state = State(rules, make_deal(rules, seed, game))
        state.logging = False
        play(state, players[0], players[1], Rng(derive_seed(seed, "self-play", game)), noise, keep, recorder, game)
        results.append((state.won, state.owned[0], state.owned[1]))
    return results


def play(
    state: State,
    zero: Evaluator,
    one: Evaluator,
    rng: Rng,
    noise: float,
    keep: float,
    recorder: Recorder | None,
    game: int,
) -> None:
    """Play a game to its end."""
    while state.won < 0:
        evaluator = one if state.mover else zero
        playing = state.stage == PLAY or state.stage == TAKE or state.stage == PUT
        n = legal_codes(state, evaluator.choices)
        best = evaluator.choices[0]
        if n > 1 or recorder is not None:
            evaluator.look(state, state.mover)
            best = evaluator.choices[evaluator.best_of(n, noise, rng)]
            if recorder is not None and playing and rng.random() < keep:
                after = evaluator.after_move(best)
                if after.won < 0 and after.stage != TAKE and after.stage != PUT:
                    recorder.write(evaluator, after, game, evaluator.most)
        perform(state, best)
