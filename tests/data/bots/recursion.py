"""Calls itself without end."""


def deeper(n):
    return deeper(n + 1)


def act(view, moves):
    deeper(0)
    return moves[0]
