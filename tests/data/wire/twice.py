"""Gives one answer twice."""

from talk import honest, talk, write


def act(message):
    write(honest(message) * 2)


talk(act)
