"""Harmless and honest: it needs what Python calls built in."""

LARGEST = hex(255)


def act(view, moves):
    assert "planted_by_attack" not in __builtins__
    return moves[divmod(len(moves), 2)[0]]
