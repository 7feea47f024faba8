"""Games of evaluators inside the engine, and their positions as arrays: data for training nets."""

from __future__ import annotations

from typing import Any, NamedTuple

from arena.game.rules import Rules, load_rules
from arena.policy.evaluator import Evaluator
from arena.policy.inputs import NUMBERS, Recorder
from arena.policy.stepping import play_games

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
