# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: annotation_typing=False
"""A small value net over the features, in the engine's speed: the stones share one embedding.

    h = relu(W1 x + b1)     e = relu(W2 h + b2)             for each stone; 48 -> 32 -> 16
    z = relu(sum of W3[stone] e + Wg g + b3)                nine stones and the hand; 32
    chance to win = logistic(w4 z + b4)

The sum over the stones is linear, so a move costs what it changes. Weights are trained by `arena.training`.
"""

from __future__ import annotations

from typing import Any

try:
    import cython
except ImportError:
    from arena.game import nocython as cython  # type: ignore[no-redef]

from arena.errors import ArenaError
from arena.game.engine import State
from arena.policy.evaluator import Evaluator

if not cython.compiled:
    from math import floor, ldexp

    from arena.policy.evaluator import SLOTS
    from arena.policy.features import HAND, STONE, hand_features, stone_features

    HIDDEN, CODE, MIDDLE = 32, 16, 32


#: The arrays of a net in their order, with their shapes.
SHAPES = {
    "w1": (48, 32), "b1": (32,), "w2": (32, 16), "b2": (16,), "w3": (9, 16, 32), "wg": (32, 32), "b3": (32,),
    "w4": (32,), "b4": (1,),
}  # fmt: skip
WEIGHTS = 7793


def exponential(x: float) -> float:
    """e to the power of `x` (-40 to 40), the same on every machine: the mathematical libraries differ in last bits."""
    n = floor(x * 1.4426950408889634 + 0.5)
    r = (x - n * 0.693147180369123816490) - n * 1.90821492927058770002e-10
    p = 1.0
    for i in range(14, 0, -1):
        p = 1.0 + p * r / i
    return ldexp(p, n)


def logistic(x: float) -> float:
    """1 / (1 + e^-x)."""
    if x > 36.0:
        return 1.0
    if x < -36.0:
        return 0.0
    return 1.0 / (1.0 + exponential(-x))


class Net(Evaluator):
    """An evaluator with learned weights: 7,793 numbers, see `SHAPES` for their order."""

    if not cython.compiled:
        weights: list[float]
        x: list[float]
        z: list[float]

        def __new__(cls, *args: Any, **kwargs: Any) -> Any:
            self = super().__new__(cls)
            self.weights, self.z = [0.0] * WEIGHTS, [0.0] * (SLOTS * MIDDLE)
            self.x = [0.0] * STONE
            return self

    def __init__(self, weights: Any, **settings: float) -> None:
        super().__init__(**settings)
        numbers = [float(number) for number in weights]
        if len(numbers) != WEIGHTS:
            raise ArenaError(f"a net has {WEIGHTS} weights, these are {len(numbers)}")
        for i in range(WEIGHTS):
            self.weights[i] = numbers[i]

    def judge(self, board: State, s: int, slot: int) -> None:
        """The stone's share of the middle layer."""
        if not cython.compiled:  # in C arrays on the stack: what is added to stays in registers
            hidden, code, z = [0.0] * HIDDEN, [0.0] * CODE, [0.0] * MIDDLE
        x = self.x
        w = self.weights
        self.chances[slot] = stone_features(
            board, self.seat, s, self.mine, self.theirs, self.root.clan_left, self.room, x, 0
        )
        at = STONE * HIDDEN
        for j in range(HIDDEN):
            hidden[j] = w[at + j]
        for i in range(STONE):
            if x[i] != 0.0:
                for j in range(HIDDEN):
                    hidden[j] += w[i * HIDDEN + j] * x[i]
        at += HIDDEN
        for j in range(CODE):
            code[j] = w[at + HIDDEN * CODE + j]
        for i in range(HIDDEN):
            if hidden[i] > 0.0:
                for j in range(CODE):
                    code[j] += w[at + i * CODE + j] * hidden[i]
        at += HIDDEN * CODE + CODE + s * CODE * MIDDLE
        for j in range(MIDDLE):
            z[j] = 0.0
        for i in range(CODE):
            if code[i] > 0.0:
                for j in range(MIDDLE):
                    z[j] += w[at + i * MIDDLE + j] * code[i]
        for j in range(MIDDLE):
            self.z[slot * MIDDLE + j] = z[j]

    def combine(self, board: State) -> float:
        """The chance to win, out of the shares of the nine stones and the hand."""
        if not cython.compiled:
            middle = [0.0] * MIDDLE
        g = self.x
        w = self.weights
        hand_features(board, self.seat, self.mine, self.root.clan_left, self.root.tactic_left, self.fold(), g, 0)
        at = STONE * HIDDEN + HIDDEN + HIDDEN * CODE + CODE + 9 * CODE * MIDDLE
        for j in range(MIDDLE):
            middle[j] = w[at + HAND * MIDDLE + j]
        for s in range(9):
            to = self.picked[s] * MIDDLE
            for j in range(MIDDLE):
                middle[j] += self.z[to + j]
        for i in range(HAND):
            if g[i] != 0.0:
                for j in range(MIDDLE):
                    middle[j] += w[at + i * MIDDLE + j] * g[i]
        at += HAND * MIDDLE + MIDDLE
        out = w[at + MIDDLE]
        for j in range(MIDDLE):
            if middle[j] > 0.0:
                out += w[at + j] * middle[j]
        return logistic(out)
