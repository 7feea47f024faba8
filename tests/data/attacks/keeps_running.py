"""Goes on when it is not asked: threads that compute, or move to other processors, and objects that come to life."""

import hashlib
import os
import threading


class KeepsRunning:
    def __init__(self, threads: int = 8):
        self.worked = [how.__name__ for how in (elsewhere, higher, idle_not, real_time) if works(how)]
        for _ in range(threads):
            threading.Thread(target=compute, daemon=True).start()

    def act(self, view, moves):
        if self.worked:
            raise AssertionError(f"not stopped: {', '.join(self.worked)}")
        return moves[0]


def works(how):
    try:
        how()
    except OSError:
        return False
    return True


def elsewhere():
    os.sched_setaffinity(0, range(os.cpu_count() or 1))


def higher():
    os.nice(-1)


def idle_not():
    os.setpriority(os.PRIO_PROCESS, 0, -5)


def real_time():
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))


def compute():
    """Without Python's lock, so that all of them run."""
    while True:
        hashlib.pbkdf2_hmac("sha256", b"", b"", 100_000)
