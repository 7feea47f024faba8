"""Quick for most of a game; then one decision takes as long as it may, and a little more."""

import time

from when import Hostile


class SlowInStep(Hostile):
    def attack(self, view, moves):
        if self.decision == 7:
            time.sleep(20)
