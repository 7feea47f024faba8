"""Sleeps `ms` milliseconds at each decision from number `after` on, then moves."""

import time


class Sleeper:
    def __init__(self, ms: float = 50.0, after: int = 0):
        self.seconds = ms / 1000
        self.after = after

    def begin(self, setup):
        self.asked = 0

    def act(self, view, moves):
        self.asked += 1
        if self.asked > self.after:
            time.sleep(self.seconds)
        return moves[0]
