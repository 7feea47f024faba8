"""Draws from the global generator of `random`, and of numpy if there is one: as bots should not, but will."""

import random


class GlobalRandom:
    def act(self, view, moves):
        return random.choice(moves)
