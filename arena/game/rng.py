# cython: language_level=3, annotation_typing=False
"""The project's random numbers: the same on every platform and Python version.

`derive_seed` turns a seed and a purpose into 64 bits by BLAKE2b; `Rng` is SplitMix64 (Steele, Lea and Flood
2014, "Fast splittable pseudorandom number generators") with the methods of `random.Random` that bots use.
Nothing in the project draws from a global generator.
"""

from __future__ import annotations

import hashlib
from collections.abc import MutableSequence, Sequence
from typing import TypeVar

try:
    import cython
except ImportError:
    from arena.compiled import nocython as cython  # type: ignore[no-redef]

T = TypeVar("T")
MASK64 = (1 << 64) - 1


def derive_seed(seed: int | str, *parts: int | str) -> int:
    """Derive a 64-bit seed for one purpose by BLAKE2b over the seed and the parts.

    >>> derive_seed(1, "deal", 17) == derive_seed(1, "deal", 17) != derive_seed(1, "deal", 18)
    True
    """
    text = "\x1f".join([str(seed), *map(str, parts)])
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


def derive_seeds(count: int, seed: int | str, *parts: int | str) -> tuple[int, ...]:
    """Derive up to eight 64-bit seeds for one purpose; knowing some of them reveals nothing about the others.

    >>> len(set(derive_seeds(6, 1, "game", 17)))
    6
    """
    text = "\x1f".join([str(seed), *map(str, parts)])
    data = hashlib.blake2b(text.encode(), digest_size=8 * count).digest()
    return tuple([int.from_bytes(data[at : at + 8], "little") for at in range(0, 8 * count, 8)])


class Rng:
    """A SplitMix64 generator.

    >>> Rng(1).below(6), Rng(1).choice("abc"), Rng(2).sample(range(9), 3)
    (3, 'b', [5, 6, 1])
    """

    if not cython.compiled:
        _state: int

        def step(self) -> int:
            """Return the next 64 random bits (C name of `next64`)."""
            self._state = z = (self._state + 0x9E3779B97F4A7C15) & MASK64
            z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK64
            z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK64
            return z ^ (z >> 31)

        def pick(self, n: int) -> int:
            """Return a whole number in `0..n-1`, `0 < n < 2**32` (C name of `below`)."""
            m = (self.step() >> 32) * n
            least = ((1 << 32) - n) % n
            while m & 0xFFFFFFFF < least:  # rejected, so that every number is equally likely (Lemire 2019)
                m = (self.step() >> 32) * n
            return m >> 32

    def __init__(self, seed: int) -> None:
        self._state = seed & MASK64

    def next64(self) -> int:
        """Return the next 64 random bits."""
        return self.step()

    def below(self, n: int) -> int:
        """Return a whole number in `0..n-1`, each equally likely; raise ValueError unless `0 < n < 2**32`."""
        if not 0 < n < 1 << 32:
            raise ValueError(f"below() needs 0 < n < 2**32, not {n}")
        return self.pick(n)

    def random(self) -> float:
        """Return a float in [0, 1) with 53 random bits."""
        return (self.step() >> 11) * (1.0 / (1 << 53))

    def randrange(self, start: int, stop: int | None = None) -> int:
        """Return a whole number as `random.randrange` without a step does."""
        if stop is None:
            return self.below(start)
        return start + self.below(stop - start)

    def randint(self, low: int, high: int) -> int:
        """Return a whole number in `low..high`, both included."""
        return low + self.below(high - low + 1)

    def choice(self, items: Sequence[T]) -> T:
        """Return a random item of a sequence; raise IndexError if the sequence is empty."""
        if not items:
            raise IndexError("choice from an empty sequence")
        return items[self.pick(len(items))]

    def shuffle(self, items: MutableSequence[T]) -> None:
        """Shuffle in place (Fisher-Yates, from the end)."""
        for i in range(len(items) - 1, 0, -1):
            j = self.pick(i + 1)
            items[i], items[j] = items[j], items[i]

    def shuffled(self, items: bytes) -> bytes:
        """Return the bytes in random order, the same order that `shuffle` gives."""
        pool = bytearray(items)
        at = pool
        for i in range(len(pool) - 1, 0, -1):
            j = self.pick(i + 1)
            kept = at[i]
            at[i] = at[j]
            at[j] = kept
        return bytes(pool)

    def sample(self, items: Sequence[T], k: int) -> list[T]:
        """Return `k` different items in random order."""
        pool = list(items)
        if not 0 <= k <= len(pool):
            raise ValueError(f"sample of {k} out of {len(pool)}")
        for i in range(k):
            j = i + self.pick(len(pool) - i)
            pool[i], pool[j] = pool[j], pool[i]
        return pool[:k]

    def copy(self) -> Rng:
        """Return a generator that continues with the same numbers."""
        return Rng(self._state)

    def __reduce__(self) -> tuple[type[Rng], tuple[int]]:
        return Rng, (self._state,)
