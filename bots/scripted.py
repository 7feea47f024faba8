"""Plays a given list of moves, then always the first or the last legal move. For tests."""

from __future__ import annotations

from typing import Literal

from arena import Bot, Move, Setup, View


class Scripted(Bot):
    """A bot that plays `moves`, texts separated by `|` (`r7@3|pass`), in order whenever they are legal.

    A move of the script that is not legal when its turn comes stays first in line. `otherwise` says which legal move
    is played in its place.
    """

    ask_forced = True

    def __init__(self, moves: str = "", otherwise: Literal["first", "last"] = "first") -> None:
        self.script = [text.strip() for text in moves.split("|")] if moves else []
        self.at = 0 if otherwise == "first" else -1
        self.next = 0

    def begin(self, setup: Setup) -> None:
        self.next = 0

    def act(self, view: View, moves: list[Move]) -> Move:
        if self.next < len(self.script):
            for move in moves:
                if move.text == self.script[self.next]:
                    self.next += 1
                    return move
        return moves[self.at]
