"""Raises an exception that raises again when it is printed."""


class Trap(Exception):
    def __str__(self):
        raise RuntimeError("no")

    __repr__ = __str__


def act(view, moves):
    raise Trap
