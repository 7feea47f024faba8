"""Writes half of an answer and falls asleep."""

import time

from talk import honest, talk, write


def act(message):
    write(honest(message)[:9])
    time.sleep(60)


talk(act)
