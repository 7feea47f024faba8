"""Ends its process at one decision of a game, each time in another way."""

import atexit
import ctypes
import os
import signal
import sys
import time

from when import Hostile


def leaves_politely():
    """Exit functions hold up the end of an interpreter."""
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
