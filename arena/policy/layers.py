"""Loops over numbers, for the uncompiled toolkit; `layers.pxd` gives the compiled modules the same in C.

The layers of nets are in 32-bit floats. Sums are made in the order that is written here. Arrays are flat; a matrix of
weights has a row of outputs for each input.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def floats(n: int) -> Any:
    """Room for `n` numbers."""
    return np.zeros(n, np.float32)


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


def mix(table: list[float], at: int, to: int, half: int, p: float) -> None:
    """`table[to:to + half]` = the half at `table[at]`, and by the share `p` the half that follows it."""
    for i in range(half):
        table[to + i] = table[at + i] + (table[at + half + i] - table[at + i]) * p
