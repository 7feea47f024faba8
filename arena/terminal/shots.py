"""A game as a list of moments to step through: one that is stored, or one that is being played."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from arena.game.engine import State
from arena.game.event_log import Event
from arena.game.moves import Move
from arena.game.record import parse_record
from arena.game.rules import Rules
from arena.results.board import result_line, steps
from arena.results.decisions import Position
from arena.results.formats.text import shortened
from arena.results.reading.game import StoredGame
from arena.terminal.scene import Scene, scene_of_position
from arena.text import one_line


@dataclass(frozen=True)
class Shot:
    """The table after a decision, and what happened by it. `claims`: was a stone claimed?"""

    position: Position
    text: str
    stones: frozenset[int] = frozenset()
    claims: bool = False


class Film:
    """The moments of a game, which may still be growing; `result` says how it ended, "" while it has not.

    It is an audience of `arena.terminal.session.Session`.
    """

    def __init__(self, rules: Rules, names: Sequence[str] = ("", "")) -> None:
        self.rules = rules
        self.names = (names[0], names[1])
        self.shots: list[Shot] = []
        self.result = ""
        self._turn = 0
        self._seen = [0, 0]
        self._owned = "........."

    @classmethod
    def of(cls, stored: StoredGame) -> Film:
        """That of a stored game."""
        record = parse_record(stored.record)
        film = cls(record.rules, stored.names)
        for step in steps(stored.result or record):
            if step.decision is None:
                film.begun(step.state, film.names)
            else:
                film.moved(step.state, step.decision.move)
        film.result = result_line(record, stored.names)
        if stored.reason.strip():
            film.result += f"\n{stored.reason.strip()}"
        return film

    def begun(self, state: State, seats: tuple[str, str]) -> None:
        """The cards are dealt."""
        self.names = seats
        self._turn = state.turn
        self.shots.append(Shot(Position.of(state), f"The deal; {self._who(state.turn)} begins."))

    def moved(self, state: State, move: Move) -> None:
        """A move was made."""
        seat = self._turn
        events = state.events(seat, self._seen[seat])
        for one in (0, 1):
            self._seen[one] += len(state.events(one, self._seen[one]))
        self._turn = state.turn
        owned, self._owned = self._owned, state.owners
        stones = frozenset(event.stone for event in events if event.stone is not None)
        self.shots.append(Shot(Position.of(state), self._words(seat, events, move), stones, owned != self._owned))

    def _words(self, seat: int, events: Sequence[Event], move: Move) -> str:
        parts = [event.text if event.seat == seat else f"{self._who(event.seat)} {event.text}" for event in events]
        return f"{self._who(seat)}: {', '.join(parts) or move.text}"

    def _who(self, seat: int) -> str:
        name = shortened(one_line(self.names[seat]), 24)
        return f"{'ab'[seat]} {name}".rstrip()

    def scene(self, at: int, seat: int, open_hands: tuple[bool, bool]) -> Scene:
        """The table at a moment with `seat` below."""
        shot = self.shots[at]
        return scene_of_position(shot.position, self.rules, self.names, seat, open_hands, shot.stones)

    def claim(self, at: int, step: int) -> int:
        """The next moment with a claim in a direction; the last or first one if there is none."""
        found = at + step
        while 0 <= found < len(self.shots):
            if self.shots[found].claims:
                return found
            found += step
        return len(self.shots) - 1 if step > 0 else 0
