"""Plays the move that a small trained net values most; looks no further."""

from __future__ import annotations

from arena import Bot, Move, Setup, View
from arena.policy import load_net


class OnePly(Bot):
    """A bot with the net of a `generation`: 0 is the newest, 1 the first that was packaged, which stays the same."""

    def __init__(self, generation: int = 0) -> None:
        self.generation = generation

    def begin(self, setup: Setup) -> None:
        if getattr(self, "rules", None) != setup.rules:
            self.rules = setup.rules
            self.net = load_net(setup.rules, self.generation)

    def act(self, view: View, moves: list[Move]) -> Move:
        values = self.net.values(view, moves)
        best = max(values)
        if view.phase in ("play", "take", "put"):  # for draws and returns the net has rules, not chances
            view.note(value=best)
        return moves[values.index(best)]
