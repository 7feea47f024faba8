"""Empties and fills up the list of moves that it got, after having chosen."""


def act(view, moves):
    move = moves[-1]
    moves.clear()
    moves.extend([None] * 1000)
    return move
