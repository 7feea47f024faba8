"""How games end, and the kinds of forfeit: declared here once; stored codes, columns and checks follow from it.

Another kind of forfeit is a line here, a line in `docs/wire.schema.json`, and the place that raises it; another ending
is a line here and one in the engine (`arena.game.public_state.REASONS`).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ForfeitKind:
    """A way to lose a game by a fault; `meaning` explains its column in the standings."""

    name: str
    meaning: str

    @property
    def column(self) -> str:
        """Its column in tables."""
        return self.name.replace(" ", "_")


# Stored as places in these tuples: append only.
ENDINGS = ("five stones", "three adjacent", "stalemate", "forfeit")
FORFEIT_KINDS = (
    ForfeitKind("illegal move", "forfeits for an illegal move"),
    ForfeitKind("exception", "forfeits for an exception"),
    ForfeitKind("timeout", "forfeits for using too much time"),
    ForfeitKind("crash", "forfeits because the bot's process died"),
    ForfeitKind("protocol", "forfeits for an answer that is none (bots in processes of their own)"),
)

FORFEITS = tuple(kind.name for kind in FORFEIT_KINDS)
FORFEIT_CODES: dict[str | None, int] = {None: 0} | {name: code for code, name in enumerate(FORFEITS, start=1)}
"""The stored code of a kind of forfeit, 0 for none."""
ENDING_CODES = {name: code for code, name in enumerate(ENDINGS)}
"""The stored code of an ending."""


AFTER = "end"
"""Stands for a failure after the game, in `end`, where kinds of forfeits are listed. It is none: the result stands."""


def forfeit_of(code: int) -> str | None:
    """The kind of forfeit with a stored code, None for 0.

    >>> forfeit_of(0), forfeit_of(3)
    (None, 'timeout')
    """
    return FORFEITS[code - 1] if code else None
