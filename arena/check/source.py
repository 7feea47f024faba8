"""What was read in a bot's source: plain values, and the same as JSON, in which they come from another process."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from arena.check.report import Nature

MOST = 100
"""Places of a kind that are kept."""
LONGEST = 160
"""Characters of a text."""
_MOST_TEXTS = 30


@dataclass(frozen=True)
class Use:
    """A place in the source, and what stands there in words."""

    file: str
    line: int
    text: str


@dataclass(frozen=True)
class Import:
    """A module from outside of the standard library, the arena and the bot's folder.

    `guarded`: the bot goes on without it (`except ImportError`).
    """

    file: str
    line: int
    name: str
    guarded: bool


@dataclass(frozen=True)
class Source:
    """What was read. All lists are in the order of the files and lines. `left_out`: what was not read, and why."""

    nature: Nature
    entries: tuple[Use, ...] = ()
    foreign: tuple[Import, ...] = ()
    chance: tuple[Use, ...] = ()
    global_chance: tuple[Use, ...] = ()
    state: tuple[Use, ...] = ()
    prints: tuple[Use, ...] = ()
    relative: tuple[Use, ...] = ()
    threads: tuple[Use, ...] = ()
    left_out: tuple[str, ...] = ()


USES = ("entries", "chance", "global_chance", "state", "prints", "relative", "threads")
"""The lists of places."""


def to_json(source: Source) -> str:
    """One line of ASCII."""
    nature = source.nature
    return json.dumps(
        {
            "nature": [nature.entry, nature.hooks, nature.parameters],
            "foreign": [[one.file, one.line, one.name, one.guarded] for one in source.foreign],
            "left_out": source.left_out,
            **{name: [[one.file, one.line, one.text] for one in getattr(source, name)] for name in USES},
        }
    )


def from_json(text: str | bytes) -> Source:
    """Read it back. ValueError or RecursionError for anything else: it was made beside hostile files."""
    values = json.loads(text)
    if not isinstance(values, dict) or set(values) != {"nature", "foreign", "left_out", *USES}:
        raise ValueError("it is no source")
    entry, hooks, parameters = _row(values["nature"], 3)
    uses = {name: tuple(_use(one) for one in _list(values[name], MOST)) for name in USES}
    return Source(
        Nature(_text(entry), _texts(hooks), _texts(parameters)),
        foreign=tuple(_import(one) for one in _list(values["foreign"], MOST)),
        left_out=_texts(values["left_out"]),
        **uses,
    )


def _use(value: Any) -> Use:
    file, line, text = _row(value, 3)
    return Use(_path(file), _line(line), _text(text))


def _import(value: Any) -> Import:
    file, line, name, guarded = _row(value, 4)
    return Import(_path(file), _line(line), _text(name), guarded is True)


def _list(value: Any, most: int) -> list[Any]:
    if not isinstance(value, list) or len(value) > most:
        raise ValueError("it has no list, or one that is too long")
    return value


def _row(value: Any, size: int) -> list[Any]:
    if len(found := _list(value, size)) < size:
        raise ValueError("a row is too short")
    return found


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(_text(one) for one in _list(value, _MOST_TEXTS))


def _text(value: Any) -> str:
    if not isinstance(value, str) or len(value) > LONGEST or not value.isprintable():
        raise ValueError("a text is none, or too long")
    return value


def _path(value: Any) -> str:
    """A file; whether it is the bot's is for the reader to see."""
    if not isinstance(value, str):
        raise ValueError("a file is no text")
    return value


def _line(value: Any) -> int:
    if type(value) is not int or not 0 <= value < 10_000_000:
        raise ValueError("a line is no number")
    return value
