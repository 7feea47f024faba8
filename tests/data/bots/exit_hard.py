"""Ends the whole process at its third decision, past every handler."""

import os


class ExitHard:
    def begin(self, setup):
        self.asked = 0

    def act(self, view, moves):
        self.asked += 1
        if self.asked >= 3:
            os._exit(0)
        return moves[0]
