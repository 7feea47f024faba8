"""Computes a number with more digits than the universe has time for: one operation in C."""


def act(view, moves):
    if view.turns >= 4:
        return moves[9 ** 9 ** 9 % 2]
    return moves[0]
