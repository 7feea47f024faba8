"""Simulates Ctrl-C wherever it is inspected: a metaclass, an exception, a move that raise KeyboardInterrupt."""

from when import Hostile


class Meta(type):
    def __getattribute__(cls, name):
        raise KeyboardInterrupt

    def __instancecheck__(cls, other):
        raise KeyboardInterrupt


class Trap(BaseException, metaclass=type("M", (Meta,), {})):
    pass


class Answer:
    @property
    def __class__(self):
        raise KeyboardInterrupt

    def __eq__(self, other):
        raise KeyboardInterrupt

    def __index__(self):
        raise KeyboardInterrupt

    __hash__ = __repr__ = __str__ = __index__


class CtrlC(Hostile):
    def attack(self, view, moves):
        if self.decision == 3:
            return Answer()
        if self.decision == 4:
            raise KeyboardInterrupt
        return None
