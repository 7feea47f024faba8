"""Fails before there is a bot."""

TABLE = {"a": 1}
VALUE = TABLE["b"]


def act(view, moves):
    return moves[0]
