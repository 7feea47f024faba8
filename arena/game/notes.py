"""Notes: what a bot says with a move, such as its chance to win or its search depth. The game ignores them.

A note is stored as the text of a JSON object with rounded numbers, so that it is the same wherever the bot runs:
`{"value":0.62,"depth":9,"nodes":1800,"text":"b3 is safe"}`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from json.encoder import encode_basestring_ascii  # json.dumps for a string, twice as fast
from operator import index
from typing import Any

from arena.text import printable

LOST = "note ignored: "
"""The beginning of the text that replaces an invalid note."""
MOST_NUMBERS, _LONGEST_TEXT, LARGEST = 8, 200, 10**15
WRONG = (
    f"{LOST}value is from 0 to 1, depth and nodes are whole numbers from 0 to 10**15, text is a string; at most"
    f" {MOST_NUMBERS} more numbers, under names of letters, digits and '_'"
)
OWN = ("value", "depth", "nodes", "text")
_is_name = lru_cache(re.compile(r"[A-Za-z][A-Za-z0-9_]{0,19}").fullmatch)


@dataclass(frozen=True, slots=True)
class Note:
    """A note as it is read: the chance to win (0..1), depth, nodes, text, and numbers under the bot's own names."""

    value: float | None = None
    depth: int | None = None
    nodes: int | None = None
    text: str | None = None
    numbers: Mapping[str, float] = field(default_factory=dict, hash=False)

    def figures(self) -> dict[str, float]:
        """Return all numbers of the note by their names."""
        own = {"value": self.value, "depth": self.depth, "nodes": self.nodes}
        return {name: number for name, number in own.items() if number is not None} | dict(self.numbers)

    def __str__(self) -> str:
        figures = [f"{name} {number:g}" for name, number in self.figures().items()]
        return ", ".join(figures + ([f'"{self.text}"'] if self.text else []))


def note_json(value: Any, depth: Any, nodes: Any, text: Any, numbers: Mapping[str, Any]) -> str | None:
    """Return a note as JSON: None for an empty note, `WRONG` for an invalid one.

    >>> note_json(0.5, 2, None, "so\\x1b", {"spread": 1 / 3})
    '{"value":0.5,"depth":2,"text":"so?","spread":0.333333}'
    >>> note_json(1.2, None, None, None, {}) == WRONG
    True
    """
    parts, valid = [], len(numbers) <= MOST_NUMBERS
    try:
        if value is not None:
            chance = float(value)
            valid = valid and 0 <= chance <= 1
            parts.append(f'"value":{abs(chance):.4g}')
        for name, count in (("depth", depth), ("nodes", nodes)):
            if count is not None:
                whole = index(count)
                valid = valid and 0 <= whole <= LARGEST
                parts.append(f'"{name}":{whole}')
        if text is not None:
            valid = valid and isinstance(text, str)
            parts.append(f'"text":{encode_basestring_ascii(printable(str(text[:_LONGEST_TEXT]), keep=""))}')
        for name, number in numbers.items() if valid else ():
            valid = valid and _is_name(name) is not None and -LARGEST <= (number := float(number)) <= LARGEST
            parts.append(f'"{name}":{number:.6g}')
    except (TypeError, ValueError, OverflowError):
        valid = False
    return f"{{{','.join(parts)}}}" if valid and parts else None if valid else WRONG


def notes_part(notes: Iterable[tuple[int, int, str]]) -> str:
    """Return the fourth part of a record with notes, given each note's move number (from 1), seat and JSON.

    >>> notes_part([(3, 0, '{"value":1}'), (4, 1, '{"depth":2}'), (5, 0, '{"value":0}')])
    '{"notes":{"a":{"3":{"value":1},"5":{"value":0}},"b":{"4":{"depth":2}}}}'
    """
    texts: tuple[list[str], list[str]] = ([], [])
    for number, seat, note in notes:
        texts[seat].append(f'"{number}":{note}')
    seats = [f'"{sign}":{{{",".join(own)}}}' for sign, own in zip("ab", texts) if own]
    return f'{{"notes":{{{",".join(seats)}}}}}'


def read_notes(about: Mapping[str, Any]) -> tuple[dict[int, Note], dict[int, Note]]:
    """Return the notes of seat 0 and of seat 1 in the fourth part of a record, by the number of the move.

    Invalid notes are left out, because a file of records may come from anywhere.
    """
    notes = about.get("notes")
    seats = [notes.get(sign) if isinstance(notes, dict) else None for sign in "ab"]
    a, b = [_read_seat(own) if isinstance(own, dict) else {} for own in seats]
    return a, b


def _read_seat(stored: Mapping[str, Any]) -> dict[int, Note]:
    notes = {}
    for number, note in stored.items():
        if isinstance(note, dict) and number.isdecimal() and len(number) < 6:
            own = {name: note.get(name) for name in OWN}
            kept = note_json(**own, numbers={name: figure for name, figure in note.items() if name not in own})
            if kept is not None and not kept.startswith(LOST):
                numbers = json.loads(kept)
                own = {name: numbers.pop(name, None) for name in OWN}
                notes[int(number)] = Note(**own, numbers=numbers)
    return notes
