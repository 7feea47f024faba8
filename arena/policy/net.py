# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: annotation_typing=False
"""A small value net over the features, in the engine's speed: the stones share one embedding.

    h = relu(W1 x + b1)     e = relu(W2 h + b2)             for each stone; 48 -> 32 -> 16
    z = relu(sum of W3[stone] e + Wg g + b3)                nine stones and the hand; 32
    chance to win = logistic(w4 z + b4)

The sum over the stones is linear, so a move costs what it changes. What the other's side and the hand bring to the
first layers is reckoned once and kept. All of it is in 32-bit floats. Weights are trained by `tools.training`.
"""

from __future__ import annotations

from typing import Any

try:
    import cython
except ImportError:
    from arena.compiled import nocython as cython  # type: ignore[no-redef]

from arena.errors import ArenaError
from arena.game.engine import State
from arena.policy.evaluator import Evaluator

if not cython.compiled:
    from math import floor

    import numpy as np

    from arena.policy.evaluator import SLOTS
    from arena.policy.inputs import HAND, STONE, floats, hand_features, my_features, their_features
    from arena.policy.stones import STEP, compare, known_chance

    # The layers, in 32-bit floats; net.pxd has the same in C. Sums are made in the order that is written here. Arrays
    # are flat; a matrix of weights has a row of outputs for each input.

    def copy32(out: Any, o: int, x: Any, i: int) -> None:
        """`out[o:o + 32] = x[i:i + 32]`."""
        out[o : o + 32] = x[i : i + 32]

    def add32(out: Any, o: int, x: Any, i: int) -> None:
        """Add 32 numbers to 32 others."""
        out[o : o + 32] += x[i : i + 32]

    def rows32(out: Any, o: int, w: Any, at: int, x: Any, i: int, n: int) -> None:
        """Add to `out[o:o + 32]` the `n` rows of weights from `w[at]` on, each times its input from `x[i]` on."""
        for k in range(n):
            out[o : o + 32] += w[at + 32 * k : at + 32 * k + 32] * x[i + k]

    def relu32(x: Any) -> None:
        """Make 32 numbers that are below 0 to 0."""
        np.maximum(x[:32], np.float32(0), out=x[:32])

    def narrow(out: Any, w: Any, at: int, x: Any) -> None:
        """The 16 outputs of a layer with 32 inputs, 0 instead of less; the biases follow the weights at `w[at]`."""
        sums = np.zeros((4, 16), np.float32)
        sums[0] = w[at + 512 : at + 528]
        for k in range(32):
            sums[k % 4] += w[at + 16 * k : at + 16 * k + 16] * x[k]
        out[:16] = np.maximum((sums[0] + sums[1]) + (sums[2] + sums[3]), np.float32(0))

    def widen(out: Any, o: int, w: Any, at: int, x: Any) -> None:
        """`out[o:o + 32]` = the weights at `w[at]` times 16 inputs."""
        sums = np.zeros((2, 32), np.float32)
        for k in range(16):
            sums[k % 2] += w[at + 32 * k : at + 32 * k + 32] * x[k]
        out[o : o + 32] = sums[0] + sums[1]

    def dot32(x: Any, w: Any, at: int) -> Any:
        """The sum of 32 weights times inputs not below 0: halves are added to halves."""
        p = np.maximum(x[:32], np.float32(0)) * w[at : at + 32]
        for half in (16, 8, 4, 2, 1):
            p = p[:half] + p[half:]
        return p[0]

    HIDDEN, CODE, MIDDLE = 32, 16, 32
    B1, W2, W3, WG, B3, W4, B4 = 1536, 1568, 2096, 6704, 7728, 7760, 7792
    POWER2 = [0.0] * 128


#: The arrays of a net in their order, with their shapes.
SHAPES = {
    "w1": (48, 32),
    "b1": (32,),
    "w2": (32, 16),
    "b2": (16,),
    "w3": (9, 16, 32),
    "wg": (32, 32),
    "b3": (32,),
    "w4": (32,),
    "b4": (1,),
}
WEIGHTS = 7793


def fill_tables() -> None:
    """Fill the powers of 2 from -64 on."""
    for i in range(128):
        POWER2[i] = 2.0 ** (i - 64)


def exponential(x: float) -> float:
    """e to the power of `x` (-40 to 40), the same on every machine: the mathematical libraries differ in last bits."""
    n = floor(x * 1.4426950408889634 + 0.5)
    r = (x - n * 0.693147180369123816490) - n * 1.90821492927058770002e-10
    t = r * r  # the series, even and odd powers apart
    even = 1.0 / 40320.0 + t * (1.0 / 3628800.0 + t * (1.0 / 479001600.0))
    even = 1.0 + t * (1.0 / 2.0 + t * (1.0 / 24.0 + t * (1.0 / 720.0 + t * even)))
    odd = 1.0 / 362880.0 + t * (1.0 / 39916800.0 + t * (1.0 / 6227020800.0))
    odd = 1.0 + t * (1.0 / 6.0 + t * (1.0 / 120.0 + t * (1.0 / 5040.0 + t * odd)))
    return (even + r * odd) * POWER2[n + 64]


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
        weights: Any
        x: Any
        hidden: Any
        code: Any
        halves: Any
        z: Any
        hands: Any
        known: list[int]
        hand_stamp: list[int]

        def __new__(cls, *args: Any, **kwargs: Any) -> Any:
            self = super().__new__(cls)
            self.weights, self.x, self.hidden, self.code = floats(WEIGHTS), floats(STONE), floats(HIDDEN), floats(CODE)
            self.halves, self.z, self.hands = floats(10 * HIDDEN), floats(SLOTS * MIDDLE), floats(61 * MIDDLE)
            self.known, self.hand_stamp = [0] * 10, [0] * 60
            return self

    def __init__(self, weights: Any, **settings: float) -> None:
        super().__init__(**settings)
        numbers = [float(number) for number in weights]
        if len(numbers) != WEIGHTS:
            raise ArenaError(f"a net has {WEIGHTS} weights, these are {len(numbers)}")
        for i in range(WEIGHTS):
            self.weights[i] = numbers[i]
        for i in range(10):
            self.known[i] = 0
        for i in range(60):
            self.hand_stamp[i] = 0

    def judge(self, board: State, s: int, slot: int) -> None:
        """The stone's share of the middle layer."""
        p = self.seat
        x = self.x
        w = self.weights
        hidden = self.hidden
        chance = known_chance(board, p, s, self.mine, self.theirs)
        if (board.owned[0] | board.owned[1]) >> s & 1:
            my_features(board, p, s, chance, self.room, x, 0)
            copy32(hidden, 0, w, B1)
            rows32(hidden, 0, w, 0, x, 0, 2)
        else:
            at = self.levels(board, s)
            if chance < 0.0:
                chance = compare(self.room, 0, self.others, STEP * at)
            if self.known[at] != self.versions[at]:
                self.known[at] = self.versions[at]
                self.their_half(board, s, at)
            my_features(board, p, s, chance, self.room, x, 0)
            copy32(hidden, 0, self.halves, HIDDEN * at)
            rows32(hidden, 0, w, HIDDEN * 2, x, 2, 4)
            rows32(hidden, 0, w, HIDDEN * 10, x, 10, 15)
            rows32(hidden, 0, w, HIDDEN * 43, x, 43, 1)
            rows32(hidden, 0, w, HIDDEN * 45, x, 45, 1)
        rows32(hidden, 0, w, HIDDEN * 40, x, 40, 1)
        relu32(hidden)
        narrow(self.code, w, W2, hidden)
        widen(self.z, MIDDLE * slot, w, W3 + CODE * MIDDLE * s, self.code)
        self.chances[slot] = chance

    @cython.final
    def their_half(self, board: State, s: int, at: int) -> None:
        """What the other's side of a stone brings to the hidden layer, by the place of what it becomes."""
        x = self.x
        to = HIDDEN * at
        their_features(board, 1 - self.seat, s, self.root.clan_left, self.others, STEP * at, x, 0)
        copy32(self.halves, to, self.weights, B1)
        rows32(self.halves, to, self.weights, HIDDEN * 6, x, 6, 4)
        rows32(self.halves, to, self.weights, HIDDEN * 25, x, 25, 15)
        rows32(self.halves, to, self.weights, HIDDEN * 41, x, 41, 2)
        rows32(self.halves, to, self.weights, HIDDEN * 44, x, 44, 1)
        rows32(self.halves, to, self.weights, HIDDEN * 46, x, 46, 2)

    def combine(self, board: State) -> float:
        """The chance to win, out of the shares of the nine stones and the hand."""
        x = self.x
        w = self.weights
        middle = self.hidden
        at = self.card if self.card >= 0 else 60
        if at == 60 or self.hand_stamp[at] != self.looks:
            if at < 60:
                self.hand_stamp[at] = self.looks
            hand_features(board, self.seat, self.mine, self.root.clan_left, self.root.tactic_left, 0.0, x, 0)
            copy32(self.hands, MIDDLE * at, w, B3)
            rows32(self.hands, MIDDLE * at, w, WG, x, 0, HAND)
        copy32(middle, 0, self.hands, MIDDLE * at)
        for s in range(9):
            add32(middle, 0, self.z, MIDDLE * self.picked[s])
        x[0] = self.fold()
        rows32(middle, 0, w, WG + 30 * MIDDLE, x, 0, 1)
        return logistic(float(dot32(middle, w, W4)) + float(w[B4]))


fill_tables()
