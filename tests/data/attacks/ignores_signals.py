"""Never answers, and does not hear any signal: all are blocked, and ignored where that can be."""

import contextlib
import signal
import time


def act(view, moves):
    for number in signal.valid_signals():
        with contextlib.suppress(OSError, ValueError):
            signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    while True:
        time.sleep(1)
