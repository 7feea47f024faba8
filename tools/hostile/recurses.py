"""Recurses without a limit, in Python and in C."""

import sys

from when import Hostile


class Recurses(Hostile):
    def attack(self, view, moves):
        sys.setrecursionlimit(1 << 30)
        if self.decision % 2:
            thing = None
            for _ in range(3_000_000):
                thing = [thing]
            return repr(thing)
        return self.deeper(view)

    def deeper(self, view):
        return [*self.deeper(view), view]
