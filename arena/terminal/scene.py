"""A position as one seat sees it, and the news since that seat last looked."""

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


def short_name(name: str) -> str:
    """Return the name of a player, as short as a line needs it."""
    return shortened(one_line(name), 24)


@dataclass(frozen=True)
class Scene:
    """A position as it is drawn: `seat` sits below and plays upwards. `names` are by seat.

    both_hands  whether the cards of the player above are shown; otherwise only their number is
    changed     stones at which something happened last
    card        the card in hand that the arrow keys point at
    stone       the stone that they point at
    """

    position: Position
    rules: Rules
    names: Sequence[str] = ("", "")
    seat: int = 0
    both_hands: bool = True
    changed: frozenset[int] = frozenset()
    card: str | None = None
    stone: int | None = None

    @property
    def seats(self) -> tuple[int, int]:
        """The seats below and above."""
        return self.seat, 1 - self.seat

    @property
    def to_move(self) -> int | None:
        """The seat to move, None when the game is over."""
        return None if self.position.outcome is not None else self.position.seat

    def name(self, seat: int) -> str:
        """Return the name of a player as it is drawn."""
        return short_name(self.names[seat])

    def shows_hand(self, seat: int) -> bool:
        """Return whether the cards of a hand are shown."""
        return self.both_hands or seat == self.seat

    def counts(self, seat: int) -> tuple[int, int]:
        """Return the numbers of clan and tactic cards in a hand."""
        hand = self.position.hands[seat]
        clan = sum(map(is_clan, hand))
        return clan, len(hand) - clan


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
    return Scene(position, load_rules("base"), ("you", "opponent"), both_hands=False)


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
        return Scene(Position.of(state), state.rules, self.names, self.seat, False, self.stones)

    @property
    def stones(self) -> frozenset[int]:
        """Stones that occur in the news."""
        return frozenset(event.stone for event in self.events if event.stone is not None)

    def text(self, words: Callable[[Event], str] = attrgetter("text")) -> str:
        """Return the news in a line, grouped by player; `words` words an event."""
        parts: list[str] = []
        seat = -1
        for event in self.events:
            said = self.said(event, words)
            parts.append(f"; {short_name(self.names[event.seat])}: {said}" if event.seat != seat else f", {said}")
            seat = event.seat
        return "".join(parts)[2:]

    def said(self, event: Event, words: Callable[[Event], str] = attrgetter("text")) -> str:
        """Word an event: in the second person for `you` (`draw r7`), in the third for others (`draws r7`)."""
        text = words(event)
        return _THIRD_PERSON.sub(r"\1", text) if self.names[event.seat].lower() == "you" else text

    def clear(self) -> None:
        """Forget the news, which has been seen."""
        self.events.clear()
