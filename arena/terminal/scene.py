"""The table as one seat sees it, sitting below and playing upwards, and the news since it last looked."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from operator import attrgetter

from arena.game import lesson
from arena.game.engine import State
from arena.game.moves import Event
from arena.game.rules import Rules, load_rules
from arena.results.formats import shortened
from arena.results.positions import Position, is_clan
from arena.text import one_line

_Cards = tuple[str, ...]


@dataclass(frozen=True)
class Scene:
    """A table. Pairs are (below, above).

    position  the whole position by seat, hidden hands included
    seat      the seat that sits below
    names     of the two players
    sides     nine tuples of cards each, for stones 1..9
    owners    for stones 1..9: 0 below, 1 above, None nobody
    modes     combat modes at stones 1..9
    hands     cards in hand; None: hidden
    counts    clan and tactic cards in the hands
    beside    cards face up beside the board
    decks     cards left in the clan and the tactic deck
    to_move   0 or 1, None when the game is over
    pending   the card that a ruse has taken and not yet put anywhere
    changed   stones at which something happened last
    card      the card in hand that the arrow keys point at
    stone     the stone that they point at
    """

    rules: Rules
    position: Position
    seat: int
    names: tuple[str, str]
    turn: int
    sides: tuple[tuple[_Cards, ...], tuple[_Cards, ...]]
    owners: tuple[int | None, ...]
    modes: tuple[_Cards, ...]
    hands: tuple[_Cards | None, _Cards | None]
    counts: tuple[tuple[int, int], tuple[int, int]]
    beside: tuple[_Cards, _Cards]
    decks: tuple[int, int]
    to_move: int | None
    pending: str | None = None
    changed: frozenset[int] = frozenset()
    card: str | None = None
    stone: int | None = None

    def stones_of(self, side: int) -> int:
        """Count the stones of a player: 0 below, 1 above."""
        return self.owners.count(side)


def scene_of(
    position: Position,
    rules: Rules,
    names: Sequence[str],
    seat: int = 0,
    open_hands: tuple[bool, bool] = (True, True),
    changed: frozenset[int] = frozenset(),
) -> Scene:
    """Return the table of a position with `seat` below. `names` are in the order of the seats.

    `open_hands` says whose cards are shown (below, above); of a closed hand only the number of cards is.
    """
    below, above = seats = (seat, 1 - seat)
    hands = [position.hands[player] if is_open else None for player, is_open in zip(seats, open_hands)]
    counts = []
    for player in seats:
        clan = sum(is_clan(card) for card in position.hands[player])
        counts.append((clan, len(position.hands[player]) - clan))
    owners = [None if sign == "." else int(sign != "ab"[seat]) for sign in position.owners]
    return Scene(
        rules=rules,
        position=position,
        seat=seat,
        names=(names[below], names[above]),
        turn=position.turn,
        sides=(position.sides[below], position.sides[above]),
        owners=tuple(owners),
        modes=position.modes,
        hands=(hands[0], hands[1]),
        counts=(counts[0], counts[1]),
        beside=(position.beside[below], position.beside[above]),
        decks=position.decks,
        to_move=None if position.outcome is not None else int(position.seat != seat),
        pending=position.pending,
        changed=changed,
    )


def example() -> Scene:
    """Return the position of the lesson, with the learner below."""
    mine, theirs = lesson.sides(lesson.MINE), lesson.sides(lesson.THEIRS)
    cards = sum(map(len, (*mine, *theirs)))
    position = Position(
        turn=cards + 1,
        seat=0,
        phase="play",
        hands=(tuple(lesson.HAND.split()), ("r1",) * 6),
        sides=(mine, theirs),
        owners=lesson.OWNERS,
        modes=((),) * 9,
        completed=(None,) * 9,
        beside=((), ()),
        decks=(54 - 12 - cards, 0),
        pending=None,
        outcome=None,
    )
    return scene_of(position, load_rules("base"), ("you", "opponent"), 0, (True, False))


# ---------------------------------------------------------------- news


_THIRD_PERSON = re.compile(r"^(draw|return|claim|play|take|discard|give|pass)(?:s|es)\b")


@dataclass
class News:
    """Follows a game as one seat sees it. `names` are in the order of the seats."""

    names: tuple[str, str]
    seat: int
    events: list[Event] = field(default_factory=list)
    _told: int = 0

    def scene(self, state: State) -> Scene:
        """Return the table now, with the stones of the news marked."""
        fresh = state.events(self.seat, self._told)
        self.events += fresh
        self._told += len(fresh)
        position = Position.of(state)
        return scene_of(position, state.rules, self.names, self.seat, (True, False), self.stones)

    @property
    def stones(self) -> frozenset[int]:
        """Stones that occur in the news."""
        return frozenset(event.stone for event in self.events if event.stone is not None)

    def text(self, words: Callable[[Event], str] = attrgetter("text")) -> str:
        """Return the news in a line, grouped by player; `words` words an event."""
        parts: list[str] = []
        seat = -1
        for event in self.events:
            name, said = shortened(one_line(self.names[event.seat]), 24), self.said(event, words)
            parts.append(f"; {name}: {said}" if event.seat != seat else f", {said}")
            seat = event.seat
        return "".join(parts)[2:]

    def said(self, event: Event, words: Callable[[Event], str] = attrgetter("text")) -> str:
        """Word an event: in the second person for `you` (`draw r7`), in the third for others (`draws r7`)."""
        text = words(event)
        return _THIRD_PERSON.sub(r"\1", text) if self.names[event.seat].lower() == "you" else text

    def clear(self) -> None:
        """Forget the news, which has been seen."""
        self.events.clear()
