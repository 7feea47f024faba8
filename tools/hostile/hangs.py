"""Hangs in a different place in each game: `begin`, `act`, `observe`, `end`; in Python, in C, ignoring signals."""

import contextlib
import re
import signal
import time

from when import Hostile

PLACES = ("begin", "act", "observe", "end")


def deaf():
    for number in signal.valid_signals():
        with contextlib.suppress(OSError, ValueError):
            signal.signal(number, signal.SIG_IGN)
    while True:
        try:
            time.sleep(1)
        except BaseException:
            continue


def in_c():
    re.match(r"(a*)*b", "a" * 40)


class Hangs(Hostile):
    place = "act"

    def begins(self, setup):
        self.place = PLACES[setup.seed // 5 % 4]
        self.maybe("begin")

    def attack(self, view, moves):
        self.maybe("act")

    def observe(self, event):
        self.maybe("observe")

    def end(self, result):
        self.maybe("end")

    def maybe(self, place):
        if place == self.place and self.now:
            (deaf if self.asked % 2 else in_c)()
