"""Draws from a generator that is seeded differently in each process."""

import random

DICE = random.Random()


def act(view, moves):
    return DICE.choice(moves)
