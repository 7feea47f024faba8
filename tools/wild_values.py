"""Call everything public of the compiled engine with wild values and on objects that were never initialised.

`python -m tools.wild_values SEED COUNT NOTE`: the call under way stands in the file NOTE, so that one that ends
the process has a name. Any exception is right; a process that dies is not.
"""

from __future__ import annotations

import contextlib
import importlib
import mmap
import random
import signal
import sys
import types
from array import array
from collections.abc import Callable
from typing import Any

from arena.compiled import COMPILED
from arena.game.deals import Deal, make_deal
from arena.game.engine import State, View
from arena.game.event_log import SeatLog
from arena.game.moves import Move, parse_move
from arena.game.packing import Desk, Line, pack_view
from arena.game.rng import Rng
from arena.game.rules import Rules, load_rules

#: What waits or takes long by its nature, and no signal interrupts. (Of states: `perft`, below.)
NOT_CALLED = {"play_random_games", "answer_line"}
TACTICAL, BASE = load_rules("tactical"), load_rules("base")
NUMBERS = (0, 1, -1, 2, 3, 7, 9, 10, 61, 64, 127, 128, 255, 512, 769, 4096, 8191, 10**5, -(10**5), 2**31 - 1, -(2**31))
HUGE = (2**31, 2**32, 2**62, 2**63 - 1, -(2**63), 2**63, 2**64 - 1, 2**64, 10**30, 0.5, float("nan"), True)


def new(kind: type) -> Any:
    """An object that nobody has initialised."""
    return kind.__new__(kind)


def rules_of(draw: random.Random) -> Any:
    """A rule set, often one that there cannot be."""
    if draw.random() < 0.6:
        return draw.choice((BASE, TACTICAL))
    rules = Rules("wild", tactics=draw.random() < 0.7)
    for key in draw.sample(list(rules.numbers), draw.randrange(3)):
        rules.numbers[key] = draw.choice((*NUMBERS, *HUGE, None))
    if draw.random() < 0.2:
        object.__setattr__(rules, "spy_value", draw.choice((*NUMBERS, *HUGE)))
    return rules


def deal_of(draw: random.Random) -> Any:
    """A deal, or something of its shape."""
    rules = draw.choice((BASE, TACTICAL))
    deal = make_deal(rules, 1, draw.randrange(9))
    if draw.random() < 0.5:
        return deal
    decks = (
        deal.clan_numbers,
        bytes([60, 60, *range(61, 69)]),
        bytes([255] * 54),
        bytes([3] * 54),
        bytes(54),
        b"",
        bytes(range(60)),
        b"x" * 10,
        None,
        "text",
        [1] * 54,
    )
    return types.SimpleNamespace(
        clan_numbers=draw.choice(decks), tactic_numbers=draw.choice(decks), starter=draw.choice((0, 7, -1, 2**40))
    )


def state_of(draw: random.Random) -> Any:
    """A state: new, under way, over, or never initialised."""
    if draw.random() < 0.25:
        return new(State)
    rules = draw.choice((BASE, TACTICAL))
    state = State(rules, make_deal(rules, 3, draw.randrange(9)), (draw.random() < 0.5, True))
    for _ in range(draw.choice((0, 3, 30, 300))):
        if moves := state.legal_moves():
            state.apply(draw.choice(moves))
    return state


def desk_of(draw: random.Random) -> Any:
    return new(Desk) if draw.random() < 0.3 else Desk(draw.choice((BASE, TACTICAL)))


def line_of(draw: random.Random) -> Any:
    return new(Line) if draw.random() < 0.4 else Line(-1, -1)


def view_of(draw: random.Random) -> Any:
    return new(View) if draw.random() < 0.3 else state_of(draw).view(draw.randrange(2), Rng(1))


def image_of(draw: random.Random) -> bytes:
    """The bytes of a view, sometimes cut or bent."""
    data = bytearray(pack_view(view_of(draw), 0))
    for _ in range(draw.choice((0, 0, 1, 5))):
        data[draw.randrange(len(data))] = draw.randrange(256)
    return bytes(data[: draw.choice((len(data), len(data), draw.randrange(len(data))))])


def chooser(view: Any, moves: Any) -> Any:
    return moves[-1]


MAKERS: tuple[Callable[[random.Random], Any], ...] = (
    lambda draw: draw.choice(NUMBERS),
    lambda draw: draw.choice(NUMBERS),
    lambda draw: draw.choice(HUGE),
    lambda draw: draw.choice((None, "", "r7@3", "a+", "claim 1", b"", bytes(12), bytes(3000), bytearray(9), object())),
    lambda draw: draw.choice(((), (0,), (1, 2), (True, False), (None, None), (-1, 99, 10**9))),
    lambda draw: draw.choice(([], [[]], [()], ["a+"] * 99)),
    lambda draw: draw.choice(((chooser, chooser), (None, 1), (Rng(1), Rng(2)), (Rng(1), None), [chooser] * 2)),
    lambda draw: draw.choice((array("H", [0] * 2000), array("H"), array("H", [0] * 3), array("i", [1]))),
    lambda draw: draw.choice((parse_move("r7@3"), parse_move("*8@1"), parse_move("pass"), Move)),
    lambda draw: draw.choice((Rng(5), new(Rng), new(SeatLog), chooser, {}, TACTICAL.numbers)),
    lambda draw: [desk_of(draw) for _ in range(draw.randrange(3))],
    rules_of,
    deal_of,
    state_of,
    view_of,
    desk_of,
    line_of,
    image_of,
)


def targets() -> list[tuple[str, Any, type | None]]:
    """Name, callable and owner of everything public of the compiled modules."""
    found: list[tuple[str, Any, type | None]] = []
    for name in COMPILED["game"]:
        module = importlib.import_module(f"arena.game.{name}")
        for key, value in sorted(vars(module).items()):
            if getattr(value, "__module__", None) != module.__name__ or key in NOT_CALLED:
                continue
            if not isinstance(value, type):
                if callable(value):
                    found.append((f"{name}.{key}", value, None))
                continue
            if issubclass(value, BaseException):
                continue
            found.append((f"{name}.{key}()", value, None))
            for member in sorted({one for kind in value.__mro__[:-1] for one in vars(kind)}):
                if member not in ("perft", "__class__", "__new__", "__dict__", "__doc__", "__getattribute__"):
                    found.append((f"{name}.{key}.{member}", member, value))
    return found


def one_of(kind: type, draw: random.Random) -> Any:
    """An object of a kind, as it is or never initialised."""
    made = {State: state_of, View: view_of, Desk: desk_of, Line: line_of}
    if kind in made:
        return made[kind](draw)
    if kind is Rng and draw.random() < 0.5:
        return Rng(3)
    if kind is Deal:
        return deal_of(draw)
    return new(kind)


def main(seed: int, count: int, note: str) -> None:
    """Call and note, `count` times."""
    draw = random.Random(seed)
    known = targets()
    file = open(note, "r+b")  # noqa: SIM115 (as long as the process)
    shared = mmap.mmap(file.fileno(), 4096)

    def late(number: int, frame: object) -> None:
        raise TimeoutError

    if hasattr(signal, "SIGALRM"):
        signal.signal(signal.SIGALRM, late)
    for round_ in range(count):
        name, target, kind = known[round_ % len(known)] if round_ < 4 * len(known) else draw.choice(known)
        # BaseException: what a method raises is no matter here, only that the process lives
        with contextlib.suppress(BaseException):
            arguments = [draw.choice(MAKERS)(draw) for _ in range(draw.choice((0, 1, 1, 2, 2, 3, 4, 5, 6)))]
            owner = one_of(kind, draw) if kind else None
            shared[:4096] = f"{round_} {name} {str(arguments)[:3000]}".encode("ascii", "replace").ljust(4096)
            if hasattr(signal, "setitimer"):
                signal.setitimer(signal.ITIMER_REAL, 0.2)
            got = target if kind is None else getattr(owner, target)
            if callable(got):
                got(*arguments)
                if name.endswith("()"):  # and what it is afterwards
                    continue
            if kind is not None and draw.random() < 0.5:
                for member in ("legal_moves", "rollout", "hand", "history", "outcome"):
                    value = getattr(owner, member, None)
                    if callable(value):
                        value(*([Rng(1)] if member == "rollout" else []))
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, 0)
    shared[:4096] = b"done".ljust(4096)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
