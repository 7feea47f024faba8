"""Never plays the same game twice, but for the first so many: in its check it does."""

import os

from when import Hostile


class Wavers(Hostile):
    def attack(self, view, moves):
        return moves[os.urandom(1)[0] % len(moves)]
