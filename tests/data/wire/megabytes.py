"""Answers with a line of eight megabytes."""

from talk import line, talk, write


def act(message):
    write(line(id=message["id"], move=0, remark="x" * (8 << 20)))


talk(act)
