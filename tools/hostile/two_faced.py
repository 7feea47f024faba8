"""Plays honestly while it believes that it is being checked; otherwise it hogs the clock, memory and processor."""

import sys
import time

from when import Hostile

KEPT = []


def watched():
    """Look for anything in its process that distinguishes a check from a game of the league."""
    return any("audit" in name or "check" in name for name in sys.modules if name.startswith("arena"))


class TwoFaced(Hostile):
    def attack(self, view, moves):
        if watched():
            return None
        KEPT.append(b"x" * (16 << 20))
        end = time.process_time() + 0.3
        while time.process_time() < end:
            pass
        if self.decision % 20 == 19:
            return "r1@1"
        return None
