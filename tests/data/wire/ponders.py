"""Plays rightly, and keeps a core busy all the time."""

import threading

from talk import talk


def ponder():
    while True:
        sum(range(10000))


threading.Thread(target=ponder, daemon=True).start()
talk()
