"""Kills its own process at its third decision."""

import os
import signal


class KillSelf:
    def begin(self, setup):
        self.asked = 0

    def act(self, view, moves):
        self.asked += 1
        if self.asked >= 3:
            os.kill(os.getpid(), signal.SIGKILL)
        return moves[0]
