"""Harmless and honest, but slow: what others do while it thinks happens while it is being asked."""

import time


class TakesItsTime:
    def __init__(self, ms: float = 50):
        self.ms = ms

    def act(self, view, moves):
        time.sleep(self.ms / 1000)
        return moves[0]
