"""A game as moments: the table after each decision, and what happened. The game may still be played."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from arena.game.engine import State
from arena.game.moves import Event, Move
from arena.game.record import parse_record
from arena.game.rules import Rules
from arena.results.formats import shortened
from arena.results.positions import Decision, Position, decisions, ending_text, shown_names
from arena.terminal.scene import Scene, scene_of
from arena.text import one_line
from arena.tournament.games import GameResult


@dataclass(frozen=True)
class Moment:
    """The table after a decision, and what happened.

    `claims` if a stone was claimed. `choice` words the number of legal moves and the thinking time; "" if not known.
    """

    position: Position
    text: str
    stones: frozenset[int] = frozenset()
    claims: bool = False
    choice: str = field(default="", compare=False)


class Timeline:
    """The moments of a game, and its `result` in words, "" while it lasts. An `Audience` of a session."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.names = ("", "")
        self.moments: list[Moment] = []
        self.result = ""
        self._to_move = 0
        self._seen = [0, 0]
        self._owned = "........."

    @classmethod
    def of(cls, game: GameResult) -> Timeline:
        """Return the timeline of a finished game."""
        record = parse_record(game.record)
        timeline = cls(record.rules)
        timeline.begun(State(record.rules, record.deal, record.auto_claim), shown_names(game))
        for made in decisions(game):
            timeline.moved(made.state_after(), made.move, _choice(made))
        timeline.result = ending_text(game)
        return timeline

    def begun(self, state: State, seats: tuple[str, str]) -> None:
        """Add the deal; `seats` are the names of seat 0 and seat 1."""
        self.names = seats
        self._to_move = state.to_move
        sign, name = "ab"[state.to_move], self._name(state.to_move)
        starter = f"{name} (seat {sign})" if name else f"Seat {sign}"
        self.moments.append(Moment(Position.of(state), f"Cards dealt. {starter} starts."))

    def moved(self, state: State, move: Move, choice: str = "") -> None:
        """Add a move."""
        seat = self._to_move
        events = state.events(seat, self._seen[seat])
        for player in (0, 1):
            self._seen[player] += len(state.events(player, self._seen[player]))
        self._to_move = state.to_move
        owned, self._owned = self._owned, state.owners
        stones = frozenset(event.stone for event in events if event.stone is not None)
        words = self._words(seat, events, move)
        self.moments.append(Moment(Position.of(state), words, stones, owned != self._owned, choice))

    def _words(self, seat: int, events: Sequence[Event], move: Move) -> str:
        parts = [event.text if event.seat == seat else f"{self._who(event.seat)} {event.text}" for event in events]
        return f"{self._who(seat)}: {', '.join(parts) or move.text}"

    def _who(self, seat: int) -> str:
        return f"{'ab'[seat]} {self._name(seat)}".rstrip()

    def _name(self, seat: int) -> str:
        return shortened(one_line(self.names[seat]), 24)

    def scene(self, number: int, seat: int, open_hands: tuple[bool, bool]) -> Scene:
        """Return the table at moment `number`, from 0, with `seat` below."""
        moment = self.moments[number]
        return scene_of(moment.position, self.rules, self.names, seat, open_hands, moment.stones)

    def heading(self, number: int) -> str:
        """Word in a line what happened at a moment."""
        moment, last = self.moments[number], len(self.moments) - 1
        so_far = "" if self.result else " so far"
        return f"Move {number} of {last}{so_far}: {moment.text}{moment.choice}"

    def claim(self, number: int, step: int) -> int:
        """Return the next moment with a claim in a direction (1 or -1), or the last or first moment."""
        last = len(self.moments) - 1
        ahead = range(number + 1, last + 1) if step > 0 else range(number - 1, -1, -1)
        return next((number for number in ahead if self.moments[number].claims), last if step > 0 else 0)


def _choice(made: Decision) -> str:
    """Word the number of legal moves, the thinking time, and what the bot said with its move."""
    said = "" if made.note is None else f"  says: {made.note}"
    if len(made.legal) == 1:
        return said
    return f"  ({len(made.legal)} legal moves{'' if made.ms is None else f', {made.ms:.2g} ms'}){said}"
