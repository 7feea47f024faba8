"""Plays fast for most of a game; then one decision takes slightly longer than allowed."""

import time

from when import Hostile


class SlowInStep(Hostile):
    def attack(self, view, moves):
        if self.decision == 7:
            time.sleep(20)
