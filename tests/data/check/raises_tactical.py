"""Divides by the tactic cards that the opponent has not played: wrong only where there are tactic cards."""


def act(view, moves):
    if view.rules.tactics:
        return moves[share(view)]
    return moves[0]


def share(view):
    return 10 // view.tactics_played(view.seat)
