"""Hangs in the hook that `where` names, in Python or in C."""

import re
import time


class Hangs:
    def __init__(self, where: str = "act", how: str = "sleeps"):
        self.where = where
        self.hang = {"sleeps": lambda: time.sleep(60), "in C": in_c, "stubborn": stubborn}[how]
        self.maybe("init")

    def maybe(self, where):
        if where == self.where:
            self.hang()

    def begin(self, setup):
        self.maybe("begin")

    def act(self, view, moves):
        self.maybe("act")
        return moves[0]

    def observe(self, event):
        self.maybe("observe")

    def end(self, result):
        self.maybe("end")


def in_c():
    re.match(r"(a*)*b", "a" * 40)


def stubborn():
    """What is to end it is caught."""
    while True:
        try:
            time.sleep(1)
        except BaseException:
            continue
