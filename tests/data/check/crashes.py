"""Ends its process in games with tactic cards."""

import os


def act(view, moves):
    if view.rules.tactics and view.turns > 4:
        os._exit(3)
    return moves[0]
