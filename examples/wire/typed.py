"""A bot over lines of JSON that reads each message into a typed class, as authors in Go, Rust or TypeScript do.

It needs nothing from the arena. Start it with "cmd:python3 examples/wire/typed.py". It leaves out keys that a class
does not know, because later versions may add some; it decides by `phase`, never by counting decisions.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, fields
from typing import Any


@dataclass(frozen=True)
class Stone:
    """A stone as this bot sees it."""

    mine: list[str]
    theirs: list[str]
    owner: str | None
    modes: list[str]
    modes_by: list[str]
    capacity: int
    completed_first: str | None


@dataclass(frozen=True)
class Act:
    """A decision."""

    id: int
    phase: str
    hand: list[str]
    stones: list[Stone]
    moves: list[str]


@dataclass(frozen=True)
class End:
    """The end of a game."""

    id: int
    winner: str | None
    stones_won: dict[str, int]
    reason: str


def read(kind: type, values: dict[str, Any]) -> Any:
    """Return an object of a class, made from the keys that the class knows."""
    return kind(**{field.name: values[field.name] for field in fields(kind)})


def choose(act: Act) -> str:
    """Return the move to the stone with most of my cards; outside `play`, the first move."""
    if act.phase != "play":
        return act.moves[0]

    def filled(move: str) -> int:
        _, at, stone = move.partition("@")
        return len(act.stones[int(stone) - 1].mine) if at else -1

    return max(act.moves, key=filled)


def main() -> None:
    """Answer each line that has an id."""
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message:
            continue
        answer = {"id": message["id"]}
        if message["type"] == "hello":
            answer |= {"protocol": 3, "name": "typed"}
        elif message["type"] == "act":
            stones = [read(Stone, stone) for stone in message["stones"]]
            answer["move"] = choose(read(Act, message | {"stones": stones}))
        elif message["type"] == "end":
            end = read(End, message)
            print(f"{end.winner or 'nobody'} won by {end.reason}, {end.stones_won}", file=sys.stderr)
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
