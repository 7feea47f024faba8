"""Closes all descriptors of its process, and goes on."""

import os
import time


def act(view, moves):
    os.closerange(3, 1 << 12)
    time.sleep(30)
    return moves[0]
