"""Ends itself after each game, which is allowed."""

from talk import honest, talk, write


def end(message):
    write(honest(message))
    raise SystemExit(0)


talk(end=end)
