"""Starts threads without end, and threads that compute when the bot is not asked."""

import hashlib
import threading

from when import Hostile


def compute():
    while True:
        hashlib.pbkdf2_hmac("sha256", b"", b"", 100_000)


class Threads(Hostile):
    def attack(self, view, moves):
        threading.stack_size(1 << 15)
        for _ in range(200):
            threading.Thread(target=compute, daemon=True).start()
