"""Plays the move that a small trained net values most; looks no further."""

from __future__ import annotations

from arena import Bot, Move, Setup, View
from arena.policy import load_net


class OnePly(Bot):
    """`generation` 1 is the first net that was packaged, an opponent that stays the same; 0 the newest one."""

    def __init__(self, generation: int = 0) -> None:
        self.generation = generation

    def begin(self, setup: Setup) -> None:
        if getattr(self, "rules", None) != setup.rules:
            self.rules = setup.rules
            self.net = load_net(setup.rules, self.generation)

    def act(self, view: View, moves: list[Move]) -> Move:
        values = self.net.values(view, moves)
        best = max(values)
        if view.phase in ("play", "take", "put"):  # of draws and returns the net knows rules, no chances
            view.note(value=best)
        return moves[values.index(best)]
