"""Looks for the opponent's hand and the deck among all Python objects, in the frames above its own, in all modules.

It follows references from there, so that objects which the garbage collector does not list are found, too.
"""

import gc
import sys

from arena.game.deals import Deal
from arena.game.engine import State


class PeeksObjects:
    def __init__(self):
        self.decisions = 0

    def act(self, view, moves):
        self.decisions += 1
        if self.decisions not in (1, 2, 9):
            return moves[0]
        found = sorted({what for thing in everything() if (what := secret(thing, view))})
        if found:
            raise AssertionError(f"secret read: {', '.join(found)}")
        return moves[0]


def everything():
    """All objects that can be reached, each once."""
    waiting = [*gc.get_objects(), *sys.modules.values()]
    frame = sys._getframe()
    while frame is not None:
        waiting += [frame, *frame.f_locals.values(), *frame.f_globals.values()]
        frame = frame.f_back
    for stack in sys._current_frames().values():
        waiting += stack.f_locals.values()
    seen = set()
    while waiting:
        thing = waiting.pop()
        if type(thing) is not int and id(thing) not in seen:
            seen.add(id(thing))
            yield thing
            waiting += gc.get_referents(thing)


def secret(thing, view):
    """What an object tells that this seat does not know."""
    kind = type(thing)
    if kind is Deal:
        return "a deal"
    if kind is State and thing.hand_of(1 - view.seat):
        return "the opponent's hand in a state"
    if kind is bytes and 54 <= len(thing) <= 60 and list(thing) != sorted(thing) and len(set(thing)) == len(thing):
        return "a deck"
    return ""
