"""Writes megabytes to all outputs, with signs that a terminal obeys and lines that look like the runner's own."""

import os
import sys

EVIL = "\x1b[2J\x1b]0;owned\x07\x9b31m\rdone\b\b\x00 \u202eevil\n"
EVIL += "2000-01-01 00:00:00,000 INFO 1 arena.tournament.runner: forged\n"


class Babbles:
    def __init__(self, how: str = "prints"):
        self.how = how
        self.asked = 0

    def act(self, view, moves):
        self.asked += 1
        if self.asked <= 3:
            getattr(self, self.how)()
        return moves[0]

    def prints(self):
        for _ in range(20_000):
            print(EVIL, file=sys.stdout)
            print(EVIL, file=sys.stderr)

    def writes(self):
        for _ in range(500):
            os.write(1, EVIL.encode() * 50)
            os.write(2, b"\xff\xfe" + EVIL.encode() * 50)

    def has_no_end_of_line(self):
        for _ in range(2000):
            os.write(2, b"x" * 4000)

    def raises(self):
        raise ValueError(EVIL * 1000)

    def writes_and_dies(self):
        os.write(2, EVIL.encode() * 20)
        os._exit(3)

    def writes_and_hangs(self):
        while True:
            os.write(2, EVIL.encode() * 500)
