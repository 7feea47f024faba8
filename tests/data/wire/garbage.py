"""Answers hello with a greeting."""

from talk import talk, write

talk(hello=lambda message: write(b"Hello to you, too!\n"))
