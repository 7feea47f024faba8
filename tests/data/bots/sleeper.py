"""Sleeps `ms` milliseconds at each decision from number `after` on, then moves.

`sign` is a file that it makes when it is asked for the first time.
"""

import time
from pathlib import Path


class Sleeper:
    def __init__(self, ms: float = 50.0, after: int = 0, sign: str = ""):
        self.seconds = ms / 1000
        self.after = after
        self.sign = sign

    def begin(self, setup):
        self.asked = 0

    def act(self, view, moves):
        self.asked += 1
        if self.sign:
            Path(self.sign).touch()
        if self.asked > self.after:
            time.sleep(self.seconds)
        return moves[0]
