# cython: language_level=3, boundscheck=False, wraparound=False, annotation_typing=False
"""Moves: interned, immutable objects, one for every decision in the game, whose text can be parsed again.

- `r7@3`: a clan card (or `*J`, `*7`, `*8`, `*123`) to the player's own side of stone 3
- `*J=r7@3`: the same with the wild bound to red 7 (`wild_binding = on_play`)
- `fog@3`, `mud@3`: a combat mode
- `scout`, `redeploy`, `deserter`, `traitor`: a ruse begins
- `take r7@3`: the card that a ruse takes, and the stone that it comes from
- `discard`: redeploy puts the taken card into the discard row
- `claim 3`, `no claim`: a stone is claimed, or the window closed
- `draw clan`, `draw tactic`
- `return r7`: the recruiter puts a card back, face down
- `pass`

There is one table of moves for the spy of value 7 and one for the spy of value 8; all other moves are shared.

Events are what one seat saw happen, in order: its own draws and returns openly, the opponent's as "a card".
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, NamedTuple

try:
    import cython
except ImportError:
    from arena.compiled import nocython as cython  # type: ignore[no-redef]

from arena.errors import ArenaError, did_you_mean
from arena.game.cards import CARD_TEXTS

MOVE_COUNT = 1995

if not cython.compiled:  # the numbers of the first moves of each block; for C they are in moves.pxd
    RUSE = 585  # scout, redeploy, deserter, traitor; before: 9 * card + stone, for cards 0..64
    PASS = 589
    TAKE_CODE = 590  # 9 * card + stone, for cards 0..62
    DISCARD = 1157
    CLAIM = 1158  # + stone
    NO_CLAIM = 1167
    DRAW = 1168  # clan, tactic
    RETURN = 1170  # + card, for cards 0..68
    BIND = 1239  # joker as 60 cards, then spy as 6, then shield-bearer as 18, each 9 * card + stone
    BIND_SPY = 1779
    BIND_BEARER = 1833
    DREW, HIDDEN_DRAW, HIDDEN_RETURN = 1995, 2064, 2066  # codes of events beyond the numbers of moves


class Move:
    """One decision. Compare with `is` or `==`; `str(move)` is its text.

    Attributes: `text`; `kind` (place, mode, ruse, take, discard, claim, no claim, draw, return, pass);
    `card` (text or None); `stone` (1..9 or None); `binding` (the clan card that a wild becomes, or None);
    `index` (a number below `MOVE_COUNT`, useful as an action number).

    >>> move = parse_move("r7@3")
    >>> move.card, move.stone, str(move), move is parse_move("r7@3")
    ('r7', 3, 'r7@3', True)
    """

    if not cython.compiled:
        text = ""

        def __setattr__(self, name: str, value: object) -> None:
            if self.text:
                raise AttributeError("a move cannot be changed")
            object.__setattr__(self, name, value)

        def __delattr__(self, name: str) -> None:
            raise AttributeError("a move cannot be changed")

    def __init__(
        self, index: int, text: str, kind: str, card: str | None, stone: int | None, binding: str | None
    ) -> None:
        if self.text:  # both players hold the same object
            raise TypeError(f"a move cannot be made twice: {self.text}")
        if not text:
            raise ValueError("the text of a move must not be empty")
        self.index = index
        self.kind = kind
        self.card = card
        self.stone = stone
        self.binding = binding
        self.text = text

    def __str__(self) -> str:
        return self.text or "a move that was never made"

    def __repr__(self) -> str:
        return f"Move({self})"

    def __hash__(self) -> int:  # not the address: sets of moves keep one order in every process
        return self.index

    def __eq__(self, other: object) -> bool:
        return self is other

    def __reduce__(self) -> tuple[Any, ...]:
        return parse_move, (self.text,)


class MoveError(ArenaError):
    """Text that is not a move."""


def _build(spy: str) -> list[Move]:
    cards = [spy if text == "*7" else text for text in CARD_TEXTS]
    stones = range(1, 10)
    moves: list[Move] = []

    def add(
        text: str, kind: str, card: str | None = None, stone: int | None = None, binding: str | None = None
    ) -> None:
        moves.append(Move(len(moves), text, kind, card, stone, binding))

    for card in cards[:65]:
        for stone in stones:
            add(f"{card}@{stone}", "mode" if card in ("fog", "mud") else "place", card, stone)
    for card in cards[65:]:
        add(card, "ruse", card)
    add("pass", "pass")
    for card in cards[:63]:
        for stone in stones:
            add(f"take {card}@{stone}", "take", card, stone)
    add("discard", "discard")
    for stone in stones:
        add(f"claim {stone}", "claim", None, stone)
    add("no claim", "no claim")
    add("draw clan", "draw")
    add("draw tactic", "draw")
    for card in cards:
        add(f"return {card}", "return", card)
    spy_low = 6 * (int(spy[1:]) - 1)
    for wild, low, high in (("*J", 0, 60), (spy, spy_low, spy_low + 6), ("*123", 0, 18)):
        for card in cards[low:high]:
            for stone in stones:
                add(f"{wild}={card}@{stone}", "place", wild, stone, card)
    return moves


def _shared(eight: list[Move]) -> list[Move]:
    return [move if move.text != shared.text else shared for move, shared in zip(eight, SEVEN)]


SEVEN = tuple(_build("*7"))
EIGHT = tuple(_shared(_build("*8")))


def moves_by_number(spy: int) -> tuple[Move, ...]:
    """Return all moves by their number, for a value of the spy."""
    if spy != 7 and spy != 8:
        raise ValueError(f"the value of the spy is 7 or 8, not {spy!r}")
    return SEVEN if spy == 7 else EIGHT


#: All moves by their number, for each value of the spy.
MOVES: Mapping[int, tuple[Move, ...]] = MappingProxyType({7: SEVEN, 8: EIGHT})
_BY_TEXT = {move.text: move for table in MOVES.values() for move in table}


def parse_move(text: str) -> Move:
    """Return the move with this text; raise `MoveError` if there is none.

    >>> parse_move("take *J@9"), parse_move("no claim")
    (Move(take *J@9), Move(no claim))
    >>> parse_move("r7@0")
    Traceback (most recent call last):
    arena.game.moves.MoveError: 'r7@0' is not a move; did you mean 'r7@9'?
    """
    move = _BY_TEXT.get(text)
    if move is None:
        raise MoveError(f"'{text}' is not a move" + did_you_mean(text, _BY_TEXT))
    return move


# ---- what a seat sees ----------------------------------------------------------------------------------------------

DECKS = ("clan", "tactic")


class Event(NamedTuple):  # a tuple: both seats see the same objects
    """Something that a seat saw.

    `seat` (0 or 1) acted. `kind` is the kind of a move (place, mode, ruse, take, discard, claim, no claim, return,
    pass) or `draw`. `card` is None if the seat did not see the card; then `deck` is the deck it came from or went to.
    Automatic claims and draws are events as well. `str(event)` reads `a r7@3`, `b draws a clan card`.
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
        """Return a copy; events added to either log do not appear in the other."""
        log = SeatLog()
        log.n = self.n
        if cython.compiled:
            memcpy(log.codes, self.codes, 2 * self.n)  # type: ignore[name-defined] # noqa: F821  (C only)
        else:
            log.codes = self.codes[:]
        return log

    def events(self, spy: int, start: int, stop: int) -> tuple[Event, ...]:
        """Return the events `start..stop-1`, with the spy's text of the edition."""
        events = []
        for i in range(max(start, 0), min(stop, self.n)):
            events.append(event_of(self.codes[i], spy))
        return tuple(events)

    def __len__(self) -> int:
        return self.n


@cache
def event_of(code: int, spy: int) -> Event:
    """Return the event with a number."""
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
