"""Answers with what is no move."""

from talk import line, talk, write

talk(lambda message: write(line(id=message["id"], move="r77@3")))
