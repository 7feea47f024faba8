"""Returns the text of a move in the place of the move."""


def act(view, moves):
    return str(moves[0])
