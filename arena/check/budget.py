"""How the time of a check is shared out, and what is said while it runs."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

PLAY, REPEAT, ORDER, ALONE, TOGETHER, STRENGTH = "play", "repeat", "order", "alone", "together", "strength"
PHASES = (PLAY, REPEAT, ORDER, ALONE, TOGETHER)
_WEIGHTS = {PLAY: 1.0, REPEAT: 1.2, ORDER: 1.0, ALONE: 0.3, TOGETHER: 0.5, STRENGTH: 1.0}
_STARTS = {PLAY: 2, REPEAT: 2, ORDER: 2, ALONE: 3, TOGETHER: 2, STRENGTH: 1}
_DOING = {
    PLAY: "playing",
    REPEAT: "repeating the games",
    ORDER: "replaying the games in reverse order",
    ALONE: "replaying games alone",
    TOGETHER: "playing many games at once",
    STRENGTH: "measuring strength",
}


class CheckProgress(NamedTuple):
    """Where a check stands: the phase, what it does in which rule set, and the time left (None: not known)."""

    phase: str
    rules: str
    games: int
    seconds_left: float | None

    def __str__(self) -> str:
        text = f"{self.rules}: {_DOING[self.phase]}, {self.games} game{'s' * (self.games != 1)}"
        return text if self.seconds_left is None else f"{text}, about {max(round(self.seconds_left), 1)} s left"


class TimeBudget:
    """The parts of a check, each a phase in a rule set, in their order, and how long each may take.

    Whatever a part does not use goes to those after it. `seconds` None: no limit. `tell` hears how the check goes;
    what it raises ends the check. `now` is the clock.
    """

    def __init__(
        self,
        rules: Sequence[str],
        games: int,
        seconds: float | None,
        strength: bool,
        tell: Callable[[CheckProgress], None],
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        phases = (*PHASES, STRENGTH) if strength else PHASES
        self._left = [(phase, one) for phase in phases for one in rules]
        self._part = self._left[0]
        self._games = games
        self._now = now
        self._tell = tell
        self._begun = now()
        self._end = None if seconds is None else self._begun + seconds
        self._deadline: float | None = None
        self._spent = 0.0
        self._played = 0
        self.start_s = 0.0
        """Seconds that it takes to start the bot."""
        self.stopped_by: BaseException | None = None
        """What `tell` has raised: that ends the check and is not a failure of it."""

    def begin(self, phase: str, rules: str) -> None:
        """This part comes now."""
        self._part = (phase, rules)
        while self._left and self._left[0] != self._part:
            self._left.pop(0)
        self._begun = self._now()
        if self._end is not None:
            rest = sum(_WEIGHTS[one] for one, _ in self._left)
            self._deadline = self._begun + (self._end - self._begun) * _WEIGHTS[phase] / rest
        self.say(0)

    def over(self) -> bool:
        """Has the part used up its time?"""
        return self._deadline is not None and self._now() >= self._deadline

    def room(self) -> bool:
        """Is there time for a start and a unit of games in this part?"""
        return self._deadline is None or self._now() + self.start_s + 2 * (self._rate or 0.0) <= self._deadline

    def played(self, games: int, total: int) -> None:
        """So many more games were played, `total` in this part."""
        self._played += games
        self._spent += self._now() - self._begun
        self._begun = self._now()
        self.say(total)

    @property
    def _rate(self) -> float | None:
        """Seconds for a game."""
        return self._spent / self._played if self._played else None

    def say(self, games: int) -> None:
        """Tell where the check stands."""
        try:
            self._tell(CheckProgress(*self._part, games, self.seconds_left(games)))
        except BaseException as error:
            self.stopped_by = error
            raise

    def seconds_left(self, games: int) -> float | None:
        """How much longer it will take, as far as can be told."""
        rate = self._rate
        if rate is None:
            return None
        costs = [_WEIGHTS[phase] * self._games * rate + _STARTS[phase] * self.start_s for phase, _ in self._left]
        left = max(sum(costs) - games * rate, 0.0)
        return left if self._end is None else min(left, max(self._end - self._now(), 0.0))
