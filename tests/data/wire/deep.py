"""Answers with a list in a list in a list."""

from talk import talk, write


def act(message):
    deep = b"[" * 20000 + b"]" * 20000
    write(b'{"id": %d, "move": 0, "remark": %s}\n' % (message["id"], deep))


talk(act)
