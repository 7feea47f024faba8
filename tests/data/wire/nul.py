"""Answers with a NUL in the line."""

from talk import talk, write


def act(message):
    write(b'{"id": %d, "move": 0, "remark": "\0"}\n' % message["id"])


talk(act)
