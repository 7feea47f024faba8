"""Writes half of an answer and ends."""

from talk import honest, talk, write


def act(message):
    write(honest(message)[:9])
    raise SystemExit(0)


talk(act)
