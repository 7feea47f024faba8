"""Decides by the hash of a text."""


def act(view, moves):
    return moves[hash(view.owners + str(view.turns)) % len(moves)]
