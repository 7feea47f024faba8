"""Writes to stderr without end, and never answers."""

import os

from talk import talk


def act(message):
    while True:
        os.write(2, b"It is so unfair. " * 4000)


talk(act)
