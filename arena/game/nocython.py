"""Stand-in for the `cython` module where Cython is not installed and the engine runs as plain Python."""

from typing import TypeVar

T = TypeVar("T")

compiled = False


def final(method: T) -> T:
    """Mark a method that no subclass overrides: compiled, it is called directly."""
    return method
