"""Answers with a move that is not legal."""

from talk import line, talk, write

talk(lambda message: write(line(id=message["id"], move="claim 5")))
