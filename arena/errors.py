"""Errors that are shown to a person: one clear sentence, no traceback."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class ArenaError(Exception):
    """A fault in what the user gave. The message names the input, the place and the remedy."""


class UnfitEngineError(ArenaError, ImportError):
    """The compiled engine is older than its source, or made for another processor."""


_NEAR, _NEAR_SHORT = 0.75, 0.6  # of difflib's ratio: two letters of four changed places, one of two or three is wrong
_BEGINNING = 3


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that was probably meant: one that looks much alike, or begins so. None if there is none.

    >>> nearest("bsae", ["base", "tactical"]), nearest("tact", ["base", "tactical"]), nearest("nosuch", ["touch"])
    ('base', 'tactical', None)
    """
    words = list(known)
    near = difflib.get_close_matches(word, words, n=1, cutoff=_NEAR if len(word) > _BEGINNING else _NEAR_SHORT)
    if not near and len(word) >= _BEGINNING:
        near = sorted((candidate for candidate in words if candidate.startswith(word)), key=len)
    return near[0] if near else None


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return `"; did you mean 'x'?"` for the nearest known word, or an empty string.

    >>> did_you_mean("ielo-base", ["iello-base", "bga-base"])
    "; did you mean 'iello-base'?"
    >>> did_you_mean("zzz", ["iello-base"])
    ''
    """
    near = nearest(word, known)
    return "" if near is None else f"; did you mean '{near}'?"
