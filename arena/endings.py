"""The endings of games, their points, and the kinds of forfeit, declared only here: codes, columns and checks follow.

To add a kind of forfeit, append a member to `ForfeitKind` and a line to `docs/wire.schema.json`, and write the code
that raises it. To add an ending, append a line here and one in the engine (`REASONS` in `arena.game`).
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import numpy.typing as npt

_Stones = TypeVar("_Stones", int, "npt.NDArray[Any]")

ENDINGS = ("five stones", "three adjacent", "stalemate", "forfeit")
"""The endings of a game. They are stored by their position: only append."""
ENDING_CODES = {name: code for code, name in enumerate(ENDINGS)}
"""The stored code of an ending."""

WIN_POINTS = 5
"""The match points of a game won."""


def match_points(won: Any, stones: _Stones) -> _Stones:
    """Return the match points of a side (RULES.md §7): 5 if it `won`, else one for each of its stones.

    Both may be arrays, for many games at once.

    >>> match_points(True, 3), match_points(False, 4)
    (5, 4)
    """
    points: _Stones = stones + won * (WIN_POINTS - stones)
    return points


class ForfeitKind(StrEnum):
    """A way to lose a game by a failure. It is stored by its position, from 1: only append.

    `meaning` explains its column in the standings.
    """

    meaning: str

    ILLEGAL_MOVE = "illegal move", "forfeits for an illegal move"
    EXCEPTION = "exception", "forfeits for an exception"
    TIMEOUT = "timeout", "forfeits for using too much time"
    CRASH = "crash", "forfeits because the bot's process died"
    PROTOCOL = "protocol", "forfeits for an invalid answer (bots in processes of their own)"

    def __new__(cls, name: str, meaning: str) -> ForfeitKind:
        """Create a member, which is a string with a `meaning`."""
        kind = str.__new__(cls, name)
        kind._value_ = name
        kind.meaning = meaning
        return kind

    @property
    def column(self) -> str:
        """The name of its column in tables."""
        return self.value.replace(" ", "_")

    @property
    def code(self) -> int:
        """Its stored code; 0 stands for no forfeit."""
        return FORFEIT_CODES[self]


FORFEITS = tuple(kind.value for kind in ForfeitKind)
FORFEIT_CODES: dict[str | None, int] = {None: 0} | {name: code for code, name in enumerate(FORFEITS, start=1)}
"""The stored code of a kind of forfeit, 0 for none."""

AFTER = "end"
"""The name, in lists of forfeits, for a failure in `end`, after the game. The result of the game stands."""


def forfeit_of(code: int) -> str | None:
    """Return the kind of forfeit with a stored code, None for 0.

    >>> forfeit_of(0), forfeit_of(3)
    (None, 'timeout')
    """
    return FORFEITS[code - 1] if code else None
