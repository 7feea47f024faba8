"""What a check leaves out: a bot is free to hand over what nobody has thought of, and a report is made all the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from arena.text import one_line

LINE = 300
"""Characters of a line."""
_MOST = 40

T = TypeVar("T")


class Omissions:
    """Lines that say what was not checked, and why; each once, and not too many."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def guard(self, what: str, make: Callable[[], T], otherwise: T) -> T:
        """What `make` returns, or `otherwise` if it fails; `what` names it, as in "the source"."""
        try:
            return make()
        except Exception as error:
            self.failed(what, error)
            return otherwise

    def failed(self, what: str, error: Exception) -> None:
        """Say that it could not be checked, and why."""
        self.add(f"{what} could not be checked: {type(error).__name__}: {error}")

    def add(self, text: str) -> None:
        """Add a line."""
        line = one_line(text.rstrip(": "), LINE)
        if line not in self.lines and len(self.lines) < _MOST:
            self.lines.append(line)
