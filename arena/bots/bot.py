"""The player protocol: what a bot is, and what it receives.

A bot is a class with a method `act(view, moves)`, or a module with a function `act(view, moves)`. It need not import
anything; `Bot` is an optional base class that documents the hooks and helps editors and mypy.

Every choice in the game is one move from one list. A turn is a chain of such decisions (claim, play, target
of a ruse, recruiter's draw and return, draw); `view.phase` says which one it is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeAlias

from arena.game.engine import View
from arena.game.moves import Event, Move
from arena.game.rules import Rules

__all__ = [
    "Act",
    "Actor",
    "Bot",
    "BotFault",
    "Event",
    "GameEnd",
    "Move",
    "Rules",
    "Setup",
    "TimeLeft",
    "View",
    "hook_of",
]


class TimeLeft(NamedTuple):
    """Thinking time in milliseconds: for this decision, and what is left in the bank of this game.

    A decision may take `move_ms`; what it takes beyond that is drawn from the bank. A bot whose bank is
    empty loses the game. None means that this part of the clock does not exist.
    """

    move_ms: float | None
    bank_ms: float | None

    @property
    def total_ms(self) -> float:
        """The most that this decision may take.

        >>> TimeLeft(100, 250.5).total_ms, TimeLeft(None, 40).total_ms
        (350.5, 40)
        """
        return (self.move_ms or 0) + (self.bank_ms or 0)


@dataclass(frozen=True, slots=True)
class Setup:
    """What a bot receives before a game.

    `seat` is 0 or 1 for the whole game; `starter` is the seat that makes the first move.
    `seed` is a number below 2**64, this bot's own in this game: results are reproducible if it is the only source of
    chance. `view.rng`, a generator seeded for this seat and game, is the simpler choice.
    `clock` is the time for each decision and the bank, None without a clock.
    """

    seat: int
    starter: int
    rules: Rules
    seed: int
    clock: TimeLeft | None


@dataclass(frozen=True, slots=True)
class GameEnd:
    """How a game ended. `winner` is a seat or None for a draw, `stones` the stones owned by seat 0 and
    seat 1.

    `reason` is `five stones`, `three adjacent`, `stalemate` or `forfeit`; `forfeit` then says
    what the loser did: `illegal move`, `exception`, `timeout`, `crash` or `protocol`.
    """

    winner: int | None
    stones: tuple[int, int]
    reason: str
    forfeit: str | None = None


class Bot:
    """Optional base class of bots. Only `act` is required; hooks that are not overridden cost nothing.

    `auto_claim` (default True): the engine claims every stone as soon as the claim can be proved. False: claims
    are moves like any other, and a bot may delay them.

    `ask_forced` (default False): `act` is called for real choices only; if there is one legal move, it is made
    without asking. True: it is called for every decision.

    Both are read once, after `__init__`.
    """

    auto_claim: bool = True
    ask_forced: bool = False

    def __init__(self) -> None:
        """Load tables and weights; called once in each process that the bot plays in.

        Users can set the parameters of your `__init__`: with `def __init__(self, depth: int = 2)`, the spec
        `bots/mine.py:depth=3` makes a bot that searches three moves deep. Their types come from the annotations
        (int, float, bool, str, `Literal`, and Optional of these), or else from the defaults.
        """

    def begin(self, setup: Setup) -> None:
        """Reset whatever `act` remembers; called before each game.

        A bot sees one game only: nothing it learnt in another game may change how it plays. Otherwise results would
        depend on which process plays which games, and in which order.
        """

    def act(self, view: View, moves: list[Move]) -> Move:
        """Return one of `moves`. This is the one method a bot must have.

        `view` is a snapshot of everything this seat knows, `moves` a new list of the legal moves, never empty
        and always in the same order. Anything but a legal move, and any exception, forfeits the game.
        """
        raise NotImplementedError(f"the bot {type(self).__name__} has no method act(view, moves)")

    def observe(self, event: Event) -> None:
        """Note an event; called, if overridden, for everything this seat sees, in order, its own moves included.

        Events arrive together, right before the next `act` or `end`. Automatic claims and draws are events too;
        those of cards that this seat does not see have no `card`. `view.history` holds the same events.
        """

    def end(self, result: GameEnd) -> None:
        """Learn how a game ended; not called if this bot forfeited it. A failure here is noted; the result stands."""


class Act(Protocol):
    """The form of `act` as a function of a module."""

    def __call__(self, view: View, moves: list[Move], /) -> Move:
        """Return one of `moves`."""


class Actor(Protocol):
    """The least a bot object offers; all other hooks and attributes may be missing."""

    def act(self, view: View, moves: list[Move], /) -> Move:
        """Return one of `moves`."""


def hook_of(bot: object, name: str) -> Callable[..., object] | None:
    """Return a hook of a bot, None if the bot lacks it or does not override it. `TypeError` if it is not a method."""
    hook = getattr(bot, name, None)
    if hook is None or getattr(hook, "__func__", None) is getattr(Bot, name):
        return None
    if not callable(hook):
        raise TypeError(f"{name} of the bot is not a method")
    return hook  # type: ignore[no-any-return]


#: Values that parameters of bots can have.
Param: TypeAlias = str | int | float | bool | None


class BotFault(Exception):
    """Raised by the stand-in for a bot in a process of its own: that bot forfeits the game.

    `kind` is `illegal move`, `exception`, `timeout`, `crash`, or `protocol` for an invalid answer; `detail` is for
    the author.
    """

    def __init__(self, kind: str, detail: str) -> None:
        super().__init__(kind, detail)
        self.kind = kind
        self.detail = detail
