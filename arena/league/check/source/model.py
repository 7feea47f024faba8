"""What a bot's source says: plain values, and the same values as JSON, in which they come from another process."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeVar

MOST = 100
"""Hints of a kind that are kept."""
LONGEST = 160
"""Characters of a text."""
_MOST_TEXTS = 30
_LAST_LINE = 10_000_000

T = TypeVar("T")


@dataclass(frozen=True)
class Nature:
    """What the bot is: `class Mine`, `function act` or `command`, its hooks and parameters with defaults.

    `auto_claim` and `ask_forced` are None if the bot could not be asked.
    """

    entry: str
    hooks: tuple[str, ...] = ()
    parameters: tuple[str, ...] = ()
    auto_claim: bool | None = None
    ask_forced: bool | None = None


class HintKind(StrEnum):
    """What a line of the source may explain."""

    ENTRY = "entry"
    """A bot that the file holds."""
    IMPORT = "import"
    """Of a package that must be installed."""
    OPTIONAL_IMPORT = "optional import"
    """The same, but the bot can do without it."""
    CHANCE = "chance"
    """What differs between two runs with one seed."""
    GLOBAL_CHANCE = "global chance"
    """A draw from the global generator."""
    LASTING = "lasting"
    """What outlives a game and may be changed."""
    PRINT = "print"
    RELATIVE_PATH = "relative path"
    THREADS = "threads"


@dataclass(frozen=True)
class Hint:
    """A line of the source that may matter, and in words what stands there."""

    kind: HintKind
    file: str
    line: int
    text: str


@dataclass(frozen=True)
class Source:
    """What was read. Hints are ordered by file, the bot's own first, and line; `left_out` says what was not read."""

    nature: Nature
    hints: tuple[Hint, ...] = ()
    left_out: tuple[str, ...] = ()

    def of(self, *kinds: HintKind) -> tuple[Hint, ...]:
        """The hints of these kinds."""
        return tuple(one for one in self.hints if one.kind in kinds)


def to_json(source: Source) -> str:
    """One line of ASCII."""
    nature = source.nature
    return json.dumps(
        {
            "nature": [nature.entry, nature.hooks, nature.parameters],
            "hints": [[one.kind, one.file, one.line, one.text] for one in source.hints],
            "left_out": source.left_out,
        }
    )


def from_json(text: str | bytes) -> Source:
    """Read it back. ValueError or RecursionError for anything else: it was written beside hostile files."""
    values = json.loads(text)
    if not isinstance(values, dict) or set(values) != {"nature", "hints", "left_out"}:
        raise ValueError("the reader's answer is not a source")
    entry, hooks, parameters = _list(values["nature"], lambda value: value, 3, 3)
    return Source(
        Nature(_text(entry), _texts(hooks), _texts(parameters)),
        _list(values["hints"], _hint, MOST * len(HintKind)),
        _texts(values["left_out"]),
    )


def _list(value: Any, read: Callable[[Any], T], most: int, least: int = 0) -> tuple[T, ...]:
    if not isinstance(value, list) or not least <= len(value) <= most:
        raise ValueError("the reader's answer lacks a list, or one has the wrong length")
    return tuple(map(read, value))


def _hint(value: Any) -> Hint:
    kind, file, line, text = _list(value, lambda one: one, 4, 4)
    if not isinstance(file, str) or type(line) is not int or not 0 <= line < _LAST_LINE:
        raise ValueError("the reader's answer has a malformed hint")
    return Hint(HintKind(kind), file, line, _text(text))


def _texts(value: Any) -> tuple[str, ...]:
    return _list(value, _text, _MOST_TEXTS)


def _text(value: Any) -> str:
    if not isinstance(value, str) or len(value) > LONGEST or not value.isprintable():
        raise ValueError("the reader's answer has a text that is too long or cannot be printed")
    return value
