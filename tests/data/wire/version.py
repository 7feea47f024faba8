"""Speaks a version that does not exist."""

from talk import line, talk, write

talk(hello=lambda message: write(line(id=message["id"], protocol=99)))
