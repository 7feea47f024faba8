"""Leaves a child behind that ignores what signals it can, then never answers."""

import os
import signal
import time

from talk import talk


def act(message):
    if os.fork() == 0:
        os.setsid()
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGPIPE):
            signal.signal(number, signal.SIG_IGN)
        time.sleep(60)
        os._exit(0)
    time.sleep(60)


talk(act)
