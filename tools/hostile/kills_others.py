"""Sends signals to all processes that it can reach: its parent, its group, every process there is."""

import contextlib
import os
import signal

from when import Hostile

SIGNALS = (signal.SIGSTOP, signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL)


class KillsOthers(Hostile):
    def attack(self, view, moves):
        for number in SIGNALS:
            for pid in (os.getppid(), 1, *range(2, 64)):
                if pid not in (0, os.getpid()):
                    with contextlib.suppress(OSError):
                        os.kill(pid, number)
        with contextlib.suppress(OSError):
            os.killpg(0, signal.SIGUSR1)  # also ends itself
