"""A bot over lines of JSON that reads each message into a class with types, as authors in Go, Rust or TypeScript do.

It needs nothing of the arena. Start it with "cmd:python3 examples/wire/typed.py". Keys that a class does not know are
left out, for later versions may add some; what to do is decided by `phase`, never by counting decisions.
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
    """The object of a class, from the keys that it knows."""
    return kind(**{field.name: values[field.name] for field in fields(kind)})


def choose(act: Act) -> str:
    """The move that leaves the most of its side filled; anywhere but in `play` the first one."""
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
