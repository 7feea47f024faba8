"""How the time of a check is shared out, and what is said while it goes on."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

PLAY, REPEAT, ORDER, ALONE, TOGETHER, STRENGTH = "play", "repeat", "order", "alone", "together", "strength"
PHASES = (PLAY, REPEAT, ORDER, ALONE, TOGETHER)
_WEIGHTS = {PLAY: 1.0, REPEAT: 1.2, ORDER: 1.0, ALONE: 0.3, TOGETHER: 0.5, STRENGTH: 1.0}
_STARTS = {PLAY: 2, REPEAT: 2, ORDER: 2, ALONE: 3, TOGETHER: 2, STRENGTH: 1}
_DOING = {
    PLAY: "playing",
    REPEAT: "the same games again",
    ORDER: "the same games in another order",
    ALONE: "games alone",
    TOGETHER: "many games at once",
    STRENGTH: "how strong is it?",
}


class Progress(NamedTuple):
    """Where a check stands: what it does in which rule set, and how long it will take yet (None: not known)."""

    doing: str
    rules: str
    games: int
    seconds_left: float | None

    def __str__(self) -> str:
        text = f"{self.rules}: {self.doing}, {self.games} game{'s' * (self.games != 1)}"
        return (
            text if self.seconds_left is None else f"{text}, about {max(round(self.seconds_left), 1)} s left"
        )


Tell = Callable[[Progress], None]


@dataclass(frozen=True)
class Part:
    """A phase in a rule set."""

    phase: str
    rules: str


class Schedule:
    """The parts of a check in their order, and how long each may take.

    Whatever a part does not use goes to those after it. `seconds` None: no limit.
    """

    def __init__(
        self, rules: Sequence[str], games: int, seconds: float | None, strength: bool, tell: Tell
    ) -> None:
        phases = (*PHASES, STRENGTH) if strength else PHASES
        self._left = [Part(phase, one) for phase in phases for one in rules]
        self._games = games
        self._end = None if seconds is None else time.monotonic() + seconds
        self._tell = tell
        self._now = self._left[0]
        self._deadline: float | None = None
        self._spent = 0.0
        self._played = 0
        self._begun = time.monotonic()
        self.start_s = 0.0

    def begin(self, phase: str, rules: str) -> None:
        """This part comes now."""
        part = Part(phase, rules)
        while self._left and self._left[0] != part:
            self._left.pop(0)
        self._now = part
        self._begun = time.monotonic()
        if self._end is not None:
            rest = sum(_WEIGHTS[one.phase] for one in self._left)
            self._deadline = self._begun + (self._end - self._begun) * _WEIGHTS[phase] / rest
        self.say(0)

    def over(self) -> bool:
        """Has the part used up its time?"""
        return self._deadline is not None and time.monotonic() >= self._deadline

    def room(self) -> bool:
        """Is there time for a start and a unit of games in this part?"""
        if self._deadline is None:
            return True
        return time.monotonic() + self.start_s + 2 * (self._rate or 0.0) <= self._deadline

    def played(self, games: int, total: int) -> None:
        """So many games more were played, `total` in this part."""
        self._played += games
        self._spent += time.monotonic() - self._begun
        self._begun = time.monotonic()
        self.say(total)

    @property
    def _rate(self) -> float | None:
        """Seconds for a game."""
        return self._spent / self._played if self._played else None

    def say(self, games: int) -> None:
        """Tell where the check stands."""
        self._tell(Progress(_DOING[self._now.phase], self._now.rules, games, self.seconds_left(games)))

    def seconds_left(self, games: int) -> float | None:
        """How long it will take yet, as far as can be told."""
        rate = self._rate
        if rate is None:
            return None
        costs = [
            _WEIGHTS[one.phase] * self._games * rate + _STARTS[one.phase] * self.start_s for one in self._left
        ]
        left = max(sum(costs) - games * rate, 0.0)
        return left if self._end is None else min(left, max(self._end - time.monotonic(), 0.0))
