"""Plays the move after which it is most likely to win, by the chances of the nine stones; looks no further."""

from __future__ import annotations

from arena import Bot, Move, View
from arena.policy import Evaluator


class Odds(Bot):
    """A bot whose settings are the chances that a card of its hand, and one that it draws, comes to a given stone.

    Matches under all rules gave the defaults. The evaluator's own settings are those that the nets were trained with.
    """

    def __init__(self, hand: float = 0.8, draw: float = 0.8) -> None:
        self.evaluator = Evaluator(hand=hand, draw=draw)

    def act(self, view: View, moves: list[Move]) -> Move:
        return self.evaluator.choose(view, moves)
