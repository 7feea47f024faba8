"""Answers the next decision, too, before it is asked."""

from talk import honest, line, talk, write


def act(message):
    write(honest(message) + line(id=message["id"] + 1, move=0))


talk(act)
