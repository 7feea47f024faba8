"""Quick until it may play many games in step, and then so slow that each step takes long, yet never too late."""

import time


class DawdlesInStep:
    made = 0

    def __init__(self, seconds: float = 1.2):
        DawdlesInStep.made += 1
        self.slow = DawdlesInStep.made == 3
        self.seconds = seconds
        self.asked = 0

    def act(self, view, moves):
        self.asked += 1
        if self.slow and self.asked < 4:
            time.sleep(self.seconds)
        return moves[0]
