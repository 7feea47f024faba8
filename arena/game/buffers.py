"""Arrays of numbers that compiled modules write in place: in C their addresses, uncompiled the arrays themselves."""

from __future__ import annotations

from typing import Any


def words_of(numbers: Any) -> Any:
    """Return an array of unsigned 16-bit numbers (in C: its address; raise ValueError for an array of another kind)."""
    return numbers


#: The same for 8, 32 and 64 bits, and for floats of 32 and 64.
bytes_of = ints_of = longs_of = floats_of = doubles_of = words_of
