"""Leaves by `sys.exit` at its third decision."""

import sys


class Exits:
    def begin(self, setup):
        self.asked = 0

    def act(self, view, moves):
        self.asked += 1
        if self.asked == 3:
            sys.exit(0)
        return moves[0]
