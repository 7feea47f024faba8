"""Errors that are shown to the user as one clear sentence, without a traceback."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class ArenaError(Exception):
    """Invalid user input. The message names the input, the place and the remedy."""


class BotWarning(UserWarning):
    """A bot may not be what its user thinks: a file here has its bare name, or files that it names do not count."""


class UnfitEngineError(ArenaError, ImportError):
    """A compiled engine that is missing, older than its source, or made for another processor."""


_NEAR, _NEAR_SHORT = 0.75, 0.6  # difflib's ratio: allows two swapped letters of four, one wrong letter of two or three
_BEGINNING = 3


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return `"; did you mean 'x'?"` for the most similar known word, or one with this beginning; else "".

    >>> did_you_mean("bsae", ["base", "tactical"]), did_you_mean("tact", ["base", "tactical"])
    ("; did you mean 'base'?", "; did you mean 'tactical'?")
    >>> did_you_mean("nosuch", ["touch"])
    ''
    """
    words = list(known)
    near = difflib.get_close_matches(word, words, n=1, cutoff=_NEAR if len(word) > _BEGINNING else _NEAR_SHORT)
    if not near and len(word) >= _BEGINNING:
        near = sorted((candidate for candidate in words if candidate.startswith(word)), key=len)
    return f"; did you mean '{near[0]}'?" if near else ""
