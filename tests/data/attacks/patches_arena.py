"""Changes all that the arena consists of in its own process, and hopes that somebody else is hit by it."""

import contextlib
import ctypes
import functools
import gc
import sys

from arena.bots.isolation import python_child as messages
from arena.bots.isolation.python_child import Child
from arena.game.engine import State, View
from arena.game.moves import Move


class Cheat:
    """Whatever is asked of it: yes."""

    def __getattr__(self, name):
        return self

    def __call__(self, *args, **kwargs):
        return self

    def __eq__(self, other):
        return True

    __hash__ = object.__hash__


class PatchesArena:
    def __init__(self, how: str = "modules"):
        self.patches = {
            "modules": modules,
            "child": child,
            "moves": change_moves,
        }[how]

    def begin(self, setup):
        self.patched = False

    def act(self, view, moves):
        chosen = moves[0]
        if not self.patched:
            self.patched = True
            self.patches(moves)
        return chosen


def modules(moves):
    """Everything that has a name in a module of the arena, and what can be changed of its classes."""
    for name in [name for name in sys.modules if name.startswith("arena.")]:
        for word in [word for word in vars(sys.modules[name]) if not word.startswith("__")]:
            setattr(sys.modules[name], word, Cheat())
    for kind in (State, View):
        for word in ("apply", "legal_moves", "outcome", "hand_of"):
            with contextlib.suppress(TypeError):  # compiled
                setattr(kind, word, Cheat())


def child(moves):
    """The loop that serves the runner: it tells of a game that is won."""
    messages.LONGEST_MESSAGE = 1 << 40
    for thing in gc.get_objects():
        if isinstance(thing, Child):
            thing.quick_act = None
            thing.answer = functools.partial(claim_victory, thing.write)
    Child.answer = Cheat()


def claim_victory(write, kind, whole):
    write(messages.pack_message(messages.DONE, b'["a", [9, 0], "five stones"]'))


def change_moves(moves):
    """The numbers of all moves, in their memory: any answer becomes that of another move."""
    for move in moves:
        for place in range(16, Move.__basicsize__, 4):
            number = ctypes.c_int.from_address(id(move) + place)
            if number.value == move.index:
                number.value = 7
                break
