"""Care with what comes from a bot: its texts are made fit to be shown, what fails over them is told and not raised."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from arena.check.report import Finding
from arena.text import one_line

USE = 160
"""Characters of what stands at a place in the source."""
SENTENCE = 400
LINE, LINES = 300, 24
"""Characters of a line of details, and lines."""
_MOST_LEFT_OUT = 40

T = TypeVar("T")


def bounded(one: Finding) -> Finding:
    """The finding with texts that can be printed, and none longer than its place."""
    return replace(
        one,
        text=one_line(one.text, SENTENCE),
        remedy=one_line(one.remedy, SENTENCE),
        details=tuple(one_line(line, LINE) for line in one.details[:LINES]),
    )


class Care:
    """Looks at what comes from a bot. Where that fails, `left_out` says so, and the rest is looked at all the same.

    A bot is free to hand over what nobody has thought of: that must not keep a report from being made.
    """

    def __init__(self, left_out: list[str]) -> None:
        self.left_out = left_out

    def look(self, what: str, make: Callable[[], T], otherwise: T) -> T:
        """What `make` returns, or `otherwise`; `what` names it, as in "the source"."""
        try:
            return make()
        except Exception as error:
            self.failed(what, error)
            return otherwise

    def failed(self, what: str, error: Exception) -> None:
        """Say that it could not be looked at, and why."""
        self.say(f"{what} could not be looked at: {type(error).__name__}: {error}")

    def say(self, text: str) -> None:
        """Add a line, once."""
        line = one_line(text.rstrip(": "), LINE)
        if line not in self.left_out and len(self.left_out) < _MOST_LEFT_OUT:
            self.left_out.append(line)
