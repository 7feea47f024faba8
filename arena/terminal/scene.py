"""A table as one seat sees it, and the news since that seat last looked."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from operator import attrgetter

from arena.game.engine import State
from arena.game.moves import Event
from arena.results.formats import shortened
from arena.text import one_line


def short_name(name: str) -> str:
    """Return the name of a player, as short as a line needs it."""
    return shortened(one_line(name), 24)


@dataclass(frozen=True)
class Scene:
    """A state as it is drawn: `seat` sits below and plays upwards. `names` are by seat.

    both_hands  whether the cards of the player above are shown; otherwise only their number is
    changed     stones at which something happened last
    card        the card in hand that the arrow keys point at
    stone       the stone that they point at
    """

    state: State
    names: Sequence[str] = ("", "")
    seat: int = 0
    both_hands: bool = True
    changed: frozenset[int] = frozenset()
    card: str | None = None
    stone: int | None = None

    def is_to_move(self, seat: int) -> bool:
        """Return whether the seat is to move."""
        return not self.state.is_over and seat == self.state.to_move

    def shows_hand(self, seat: int) -> bool:
        """Return whether the cards of a hand are shown."""
        return self.both_hands or seat == self.seat


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
        return Scene(state.copy(), self.names, self.seat, False, self.stones)

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
