# cython: language_level=3, boundscheck=False, wraparound=False, annotation_typing=False
"""What one seat saw happen, in order: its own draws and returns openly, the opponent's as "a card"."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

try:
    import cython
except ImportError:
    from arena.compiled import nocython as cython  # type: ignore[no-redef]

from arena.game.cards import CARD_TEXTS
from arena.game.moves import MOVES

if not cython.compiled:
    from arena.game.moves import RETURN

    DREW, HIDDEN_DRAW, HIDDEN_RETURN = 1995, 2064, 2066  # codes beyond the numbers of moves

DECKS = ("clan", "tactic")


class Event(NamedTuple):  # a tuple: both seats are shown the same objects
    """Something that a seat saw.

    `seat` acted (0 or 1). `kind` is that of a move (place, mode, ruse, take, discard, claim, no claim, return,
    pass) or `draw`. `card` is None where the seat did not see it; then `deck` tells which deck it came from or
    went to. Automatic claims and draws are events too. `str(event)` reads `a r7@3`, `b draws a clan card`.
    """

    seat: int
    kind: str
    text: str
    card: str | None = None
    stone: int | None = None
    binding: str | None = None
    deck: str | None = None

    def __str__(self) -> str:
        return f"{'ab'[self.seat]} {self.text}"


class SeatLog:
    """The events of a game as one seat saw them, as small numbers: `2 * code + acting seat`."""

    if not cython.compiled:

        def __init__(self) -> None:
            self.n = 0
            self.codes: list[int] = []

        def add(self, code: int) -> None:
            """Append an event."""
            self.codes.append(code)
            self.n += 1

    def copy(self) -> SeatLog:
        """A log that goes on by itself."""
        log = SeatLog()
        log.n = self.n
        if cython.compiled:
            memcpy(log.codes, self.codes, 2 * self.n)  # type: ignore[name-defined] # noqa: F821  (C only)
        else:
            log.codes = self.codes[:]
        return log

    def events(self, spy: int, start: int, stop: int) -> tuple[Event, ...]:
        """The events `start..stop-1`, with the spy's text of the edition."""
        events = []
        for i in range(max(start, 0), min(stop, self.n)):
            events.append(event_of(self.codes[i], spy))
        return tuple(events)

    def __len__(self) -> int:
        return self.n


@cache
def event_of(code: int, spy: int) -> Event:
    """The event of a number."""
    seat, code = code & 1, code >> 1
    if code < DREW:
        move = MOVES[spy][code]
        deck = None
        if move.kind == "return":
            deck = DECKS[code >= RETURN + 60]
        return Event(seat, move.kind, move.text, move.card, move.stone, move.binding, deck)
    if code < HIDDEN_DRAW:
        number = code - DREW
        card = f"*{spy}" if number == 61 else CARD_TEXTS[number]
        return Event(seat, "draw", f"draws {card}", card, deck=DECKS[number >= 60])
    if code < HIDDEN_RETURN:
        deck = DECKS[code - HIDDEN_DRAW]
        return Event(seat, "draw", f"draws a {deck} card", deck=deck)
    deck = DECKS[code - HIDDEN_RETURN]
    return Event(seat, "return", f"returns a {deck} card", deck=deck)
