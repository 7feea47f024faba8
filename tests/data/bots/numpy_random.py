"""Draws from the global generator of numpy."""

import numpy as np


def act(view, moves):
    return moves[np.random.randint(len(moves))]
