"""Makes illegal moves: of another turn, of cards it does not hold, made by hand, and rewritten in place."""

import contextlib

from when import Hostile

from arena.game.moves import MOVES


class Cheats(Hostile):
    def attack(self, view, moves):
        for move in moves:
            with contextlib.suppress(Exception):
                move.__init__(0, "place", "r1", 1)
        if self.decision == 6:
            taken = {card for side in view.mine for card in side}
            known = MOVES[view.rules.spy_value]
            return next((move for move in known if move.kind == "place" and move.card in taken), "r1@1")
        return None
