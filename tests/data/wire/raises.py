"""Has a fault of its own."""

from talk import talk


def act(message):
    return message["no such key"]


talk(act)
