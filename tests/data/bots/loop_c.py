"""Never returns from its third decision: a loop in C code, which holds the interpreter."""

import itertools


class LoopC:
    def begin(self, setup):
        self.asked = 0

    def act(self, view, moves):
        self.asked += 1
        if self.asked >= 3:
            sum(itertools.repeat(0))
        return moves[0]
