"""Starts a thread in each game that outlives the game and goes on counting for `seconds`."""

import threading
import time


class Threads:
    def __init__(self, seconds: float = 30.0):
        self.seconds = seconds

    def begin(self, setup):
        threading.Thread(target=self.count, daemon=False).start()

    def count(self):
        until = time.monotonic() + self.seconds
        number = 0
        while time.monotonic() < until:
            number += 1

    def act(self, view, moves):
        return moves[0]
