"""Never plays the same game twice, except its first games, so that it passes its check."""

import os

from when import Hostile


class Wavers(Hostile):
    def attack(self, view, moves):
        return moves[os.urandom(1)[0] % len(moves)]
