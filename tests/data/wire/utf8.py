"""Answers with bytes that are no UTF-8."""

from talk import talk, write


def act(message):
    write(b'{"id": %d, "move": 0, "remark": "caf\xe9"}\n' % message["id"])


talk(act)
