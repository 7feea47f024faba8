"""Plays the move after which it is most likely to win, by the chances of the nine stones; looks no further."""

from __future__ import annotations

from arena import Bot, Move, View
from arena.policy import Evaluator


class Odds(Bot):
    def __init__(self) -> None:
        self.evaluator = Evaluator()

    def act(self, view: View, moves: list[Move]) -> Move:
        return self.evaluator.choose(view, moves)
