"""What of a game is drawn, as one looks at it, and what has happened since: whoever sits below plays upwards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from arena.game.engine import State, View
from arena.game.event_log import Event
from arena.game.rules import Rules
from arena.results.decisions import Position
from arena.results.layout import shortened
from arena.text import one_line

Cards = tuple[str, ...]
_STONES = range(1, 10)


@dataclass(frozen=True)
class Scene:
    """A table. Pairs are (below, above).

    seat      the seat that sits below
    names     of the two players
    sides     for each nine tuples of cards, those at stones 1..9
    owners    for stones 1..9: 0 below, 1 above, None nobody
    modes     combat modes at stones 1..9
    older     for stones 1..9: whose side is complete, or was so first (0, 1); None if no side is
    hands     cards in hand; None: hidden
    counts    clan and tactic cards in the hands
    beside    cards face up beside the board
    decks     cards left in the clan and the tactic deck
    to_move   0 or 1, None when the game is over
    pending   the card that a ruse has taken and not yet put anywhere
    changed   stones at which something happened last
    card      the card in hand that is pointed at
    stone     the stone that is pointed at
    """

    rules: Rules
    seat: int
    names: tuple[str, str]
    turn: int
    sides: tuple[tuple[Cards, ...], tuple[Cards, ...]]
    owners: tuple[int | None, ...]
    modes: tuple[Cards, ...]
    older: tuple[int | None, ...]
    hands: tuple[Cards | None, Cards | None]
    counts: tuple[tuple[int, int], tuple[int, int]]
    beside: tuple[Cards, Cards]
    decks: tuple[int, int]
    to_move: int | None
    pending: str | None = None
    changed: frozenset[int] = frozenset()
    card: str | None = None
    stone: int | None = None

    def pointing(self, card: str | None, stone: int | None) -> Scene:
        """The same table with a card and a stone pointed at."""
        return replace(self, card=card, stone=stone)

    def stones_of(self, side: int) -> int:
        """How many stones one of the two owns."""
        return self.owners.count(side)


def scene_of_view(view: View, names: Sequence[str], changed: frozenset[int] = frozenset()) -> Scene:
    """The table as the seat of a view sees it. `names` are those of seat 0 and seat 1."""
    seat, other = view.seat, 1 - view.seat
    return Scene(
        rules=view.rules,
        seat=seat,
        names=(names[seat], names[other]),
        turn=view.turns,
        sides=(view.mine, view.theirs),
        owners=_from(seat, _seats(view.owners)),
        modes=tuple(view.modes(stone) for stone in _STONES),
        older=_from(seat, [view.completed_first(stone) for stone in _STONES]),
        hands=(view.hand, None),
        counts=(view.hand_counts(seat), view.hand_counts(other)),
        beside=(view.row(seat), view.row(other)),
        decks=view.deck_counts,
        to_move=None if view.is_over else int(view.turn != seat),
        pending=view.pending,
        changed=changed,
    )


def scene_of_position(
    at: Position,
    rules: Rules,
    names: Sequence[str],
    seat: int = 0,
    open_hands: tuple[bool, bool] = (True, True),
    changed: frozenset[int] = frozenset(),
) -> Scene:
    """The table of a stored position with `seat` below; `open_hands` says whose cards are seen (below, above)."""
    two = (seat, 1 - seat)
    one, other = two
    hands = tuple(at.hands[of] if is_open else None for of, is_open in zip(two, open_hands))
    clan = tuple(sum(_is_clan(card) for card in at.hands[of]) for of in two)
    return Scene(
        rules=rules,
        seat=seat,
        names=(names[one], names[other]),
        turn=at.turn,
        sides=(at.sides[one], at.sides[other]),
        owners=_from(seat, _seats(at.owners)),
        modes=at.modes,
        older=_from(seat, at.completed),
        hands=(hands[0], hands[1]),
        counts=((clan[0], len(at.hands[one]) - clan[0]), (clan[1], len(at.hands[other]) - clan[1])),
        beside=(at.beside[one], at.beside[other]),
        decks=at.decks,
        to_move=None if at.outcome is not None else int(at.seat != seat),
        pending=at.pending,
        changed=changed,
    )


def _seats(owners: str) -> list[int | None]:
    return [None if sign == "." else "ab".index(sign) for sign in owners]


def _from(seat: int, seats: Sequence[int | None]) -> tuple[int | None, ...]:
    """Seats as they are seen from one."""
    return tuple(None if one is None else int(one != seat) for one in seats)


def _is_clan(card: str) -> bool:
    return card[0] in "rgbypk" and card[1:].isdigit()


# ---------------------------------------------------------------- news


@dataclass
class News:
    """Follows a game as one seat sees it. `names` are those of seat 0 and seat 1."""

    names: tuple[str, str]
    seat: int
    events: list[Event] = field(default_factory=list)
    _told: int = 0

    def scene(self, state: State) -> Scene:
        """The table now; the stones of what is news are marked."""
        fresh = state.events(self.seat, self._told)
        self.events += fresh
        self._told += len(fresh)
        return scene_of_view(state.view(self.seat), self.names, self.stones)

    @property
    def stones(self) -> frozenset[int]:
        """The stones that the news is about."""
        return frozenset(event.stone for event in self.events if event.stone is not None)

    def text(self) -> str:
        """The news in a line, by player."""
        parts: list[str] = []
        seat = -1
        for event in self.events:
            name = shortened(one_line(self.names[event.seat]), 24)
            parts.append(f"; {name}: {event.text}" if event.seat != seat else f", {event.text}")
            seat = event.seat
        return "".join(parts)[2:]

    def clear(self) -> None:
        """All of it has been seen."""
        self.events.clear()
