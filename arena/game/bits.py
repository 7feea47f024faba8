"""Cards as bits, for the uncompiled engine; `bits.pxd` gives the compiled modules the same names in C.

Card number = bit number = `6 * (value - 1) + colour`, so a higher bit is a higher card, a value is a group
of six neighbouring bits and a colour is every sixth bit. In the word of a *side* the bits 60, 61 and 62 are
its joker, spy and shield-bearer, so the population count is the number of its cards.
"""

from __future__ import annotations

ALL54 = (1 << 54) - 1
ALL60 = (1 << 60) - 1
PLANE = 0x0041041041041041  # the cards of colour 0, values 1..10
JOKER, SPY, BEARER = 1 << 60, 1 << 61, 1 << 62
SUM, RUN, COLOUR, KIND, COLOUR_RUN = range(5)
RANK = 64  # strength = RANK * category + sum of the values


def hib(x: int) -> int:
    """Index of the highest set bit of `x > 0`."""
    return x.bit_length() - 1


def ctz(x: int) -> int:
    """Index of the lowest set bit of `x > 0`."""
    return (x & -x).bit_length() - 1


def popcount(x: int) -> int:
    """Number of set bits."""
    return x.bit_count()


def group(value: int) -> int:
    """The six cards of a value."""
    return 63 << 6 * (value - 1)


def nth(m: int, k: int) -> int:
    """Index of the `k`-th lowest set bit, from 0.

    >>> nth(0b10110, 2)
    4
    """
    for _ in range(k):
        m &= m - 1
    return ctz(m)


def stir(h: int, word: int) -> int:
    """Mix a word of 64 bits into a hash of 64 bits."""
    h = ((h ^ word) * 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF
    h = ((h ^ h >> 32) * 0xBF58476D1CE4E5B9) & 0xFFFFFFFFFFFFFFFF
    return h ^ h >> 29


def scale(r: int, k: int) -> int:
    """A whole number in `0..k-1` out of the low 32 bits of `r`."""
    return (r & 0xFFFFFFFF) * k >> 32
