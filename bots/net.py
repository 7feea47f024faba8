"""Plays the move that a small trained net values most; looks no further."""

from __future__ import annotations

from arena import Bot, Move, Setup, View
from arena.policy import load_net


class OnePly(Bot):
    def begin(self, setup: Setup) -> None:
        if getattr(self, "rules", None) != setup.rules:
            self.rules = setup.rules
            self.net = load_net(setup.rules)

    def act(self, view: View, moves: list[Move]) -> Move:
        return self.net.choose(view, moves)
