"""Ends, or is ended by, in its second decision, in one of many ways. `how` says which."""

import ctypes
import gc
import os
import resource
import signal
import sys


class Dies:
    def __init__(self, how: str = "leaves"):
        self.how = how

    def begin(self, setup):
        self.decisions = 0

    def act(self, view, moves):
        self.decisions += 1
        if self.decisions == 2:
            return globals()[self.how]() or moves[0]
        return moves[0]


def presses_ctrl_c():
    raise KeyboardInterrupt


def leaves():
    os._exit(3)


def segfaults():
    ctypes.string_at(1)


def is_killed():
    os.kill(os.getpid(), signal.SIGKILL)


def recurses():
    return recurses()


def recurses_without_limit():
    sys.setrecursionlimit(1 << 30)
    return deeper(None)


def deeper(thing):
    """Deep in C, where no limit of Python counts."""
    for _ in range(3_000_000):
        thing = [thing]
    return repr(thing)


def makes_cycles():
    """Without collection, none of it ever goes."""
    gc.disable()
    while True:
        piece = bytearray(1 << 20), []
        piece[1].append(piece)


def uses_up_time():
    resource.setrlimit(resource.RLIMIT_CPU, (1, 1))
    while True:
        pass


def becomes_another_program():
    os.execv(sys.executable, [sys.executable, "-S", "-c", "print('hello'); input()"])


def never_ends_to_exit():
    """Exit functions and the destructor of an object hold up the end of an interpreter."""
    import atexit
    import time

    class Stays:
        def __del__(self):
            time.sleep(60)

    sys.stays = Stays()
    atexit.register(time.sleep, 60)
    sys.exit(5)
