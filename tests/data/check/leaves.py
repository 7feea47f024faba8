"""Leaves a process behind in each game."""

import os
import time


class Leaves:
    def begin(self, setup):
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                time.sleep(30)
            os._exit(0)
        os.wait()

    def act(self, view, moves):
        return moves[0]
