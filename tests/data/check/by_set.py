"""Takes the first of a set of texts."""


def act(view, moves):
    texts = {str(move) for move in moves}
    first = next(iter(texts))
    return next(move for move in moves if str(move) == first)
