"""Ends its process at one decision of a game, in a different way each time."""

import atexit
import ctypes
import os
import signal
import sys
import time

from when import Hostile


def leaves_politely():
    """Delay the end of the interpreter with exit functions."""
    atexit.register(time.sleep, 600)
    sys.exit(0)


WAYS = (
    leaves_politely,
    lambda: os._exit(3),
    lambda: os.abort(),
    lambda: ctypes.string_at(1),
    lambda: os.kill(os.getpid(), signal.SIGKILL),
)


class DiesAt(Hostile):
    def attack(self, view, moves):
        if self.decision == 5:
            WAYS[len(moves) % len(WAYS)]()
