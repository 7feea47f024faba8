"""Errors that are shown to a person: one clear sentence, no traceback."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class ArenaError(Exception):
    """A fault in what the user gave. The message names the input, the place and the remedy."""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return ``"; did you mean 'x'?"`` for the nearest known word, or an empty string.

    >>> did_you_mean("ielo-base", ["iello-base", "bga-base"])
    "; did you mean 'iello-base'?"
    >>> did_you_mean("zzz", ["iello-base"])
    ''
    """
    near = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f"; did you mean '{near[0]}'?" if near else ""
