"""Raises exceptions that do harm when they are looked at. `how` says which."""

import time


class RaisesTraps:
    def __init__(self, how: str = "huge"):
        self.how = how

    def act(self, view, moves):
        raise TRAPS[self.how]()


class Huge(Exception):
    def __str__(self):
        return "x" * (40 << 20)


class Raises(Exception):
    def __str__(self):
        raise SystemExit(self)

    __repr__ = __str__


class Sleeps(Exception):
    def __str__(self):
        time.sleep(60)
        return ""


class Lies(Exception):
    @property
    def __class__(self):
        raise KeyboardInterrupt

    @property
    def __traceback__(self):
        raise KeyboardInterrupt


def cyclic():
    error = ExceptionGroup("a group", [ValueError("\x1b[31m\r" * 10)] * 500)
    error.__context__ = ValueError("in a circle")
    error.__context__.__context__ = error
    error.add_note("\x1b[2J" * 10_000)
    return error


def surrogates():
    return ValueError("\udc1b[31m \ud800 \x00")


TRAPS = {
    "huge": Huge,
    "raises": Raises,
    "sleeps": Sleeps,
    "lies": Lies,
    "cyclic": cyclic,
    "surrogates": surrogates,
    "named": lambda: type("Evil\x1b[31m\r\nname", (Exception,), {"__module__": "\x1b[2J"})("text"),
}
