"""Writes megabytes to stdout and stderr at each decision, with terminal escapes and lines like the arena's own."""

import os

from when import Hostile

EVIL = b"\x1b[2J\x1b]0;owned\x07\x9b31m\r\x00\xff\xfe 2000-01-01 00:00:00,000 INFO 1 arena.runner: all is well\n"


class FloodsOutput(Hostile):
    def attack(self, view, moves):
        for _ in range(40):
            os.write(1, EVIL * 600)
            os.write(2, EVIL * 600)
        os.write(2, b"x" * 200_000)  # a line without an end
        if self.decision == 9:
            os._exit(0)
