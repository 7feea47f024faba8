"""Prints a banner when it starts."""

from talk import talk, write

write(b"MyBot 3.1 (c) me\n")
talk()
