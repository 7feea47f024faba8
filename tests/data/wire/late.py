"""Answers rightly, but after three seconds."""

import time

from talk import honest, talk, write


def act(message):
    time.sleep(3)
    write(honest(message))


talk(act)
