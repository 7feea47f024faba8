"""Quick and honest, until in some of its games, told by its seed there, it is not. `how` says what it does then.

`once`: only in the first of these games that it plays, so that it behaves when the game is played again.
"""

import os
import struct
import time

from arena.game.moves import MOVES

DONE = []


class MisbehavesIn:
    def __init__(self, how: str = "raises", one_in: int = 8, decision: int = 5, once: bool = False):
        self.how = how
        self.one_in = one_in
        self.decision = decision
        self.once = once

    def begin(self, setup):
        self.decisions = 0
        self.now = setup.seed % self.one_in == 0

    def act(self, view, moves):
        self.decisions += 1
        if self.now and self.decisions == self.decision and not (self.once and DONE):
            DONE.append(True)
            return getattr(self, self.how)(view)
        return moves[len(moves) // 2]

    def raises(self, view):
        raise ValueError("on purpose")

    def exits(self, view):
        os._exit(3)

    def hangs(self, view):
        time.sleep(60)

    def plays_nonsense(self, view):
        return "r1@1"

    def plays_illegally(self, view):
        taken = [card for side in view.mine for card in side]
        return next(move for move in MOVES[view.rules.spy_value] if move.kind == "place" and move.card in taken)

    def forges(self, view):
        os.write(4, struct.pack("<IBIH", 6, 13, 1, 0))
