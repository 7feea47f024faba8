"""How the time of a check is shared out, and what is said while it runs."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from enum import Enum
from typing import NamedTuple

from arena.text import counted


class Phase(Enum):
    """What is done in each rule set: its share of the time, how often it starts the bot, and what is said meanwhile."""

    PLAY = (1.0, 2, "playing")
    REPEAT = (1.2, 2, "repeating the games")
    ORDER = (1.0, 2, "replaying the games in reverse order")
    ALONE = (0.3, 3, "replaying games alone")
    TOGETHER = (0.5, 2, "playing many games at once")
    STRENGTH = (1.0, 1, "measuring strength")

    def __init__(self, weight: float, starts: int, doing: str) -> None:
        self.weight = weight
        self.starts = starts
        self.doing = doing


class CheckProgress(NamedTuple):
    """Where a check stands: the phase, what it does in which rule set, and the time left (None: not known)."""

    phase: Phase
    rules: str
    games: int
    seconds_left: float | None

    def __str__(self) -> str:
        text = f"{self.rules}: {self.phase.doing}, {counted(self.games, 'game')}"
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
        phases = [phase for phase in Phase if strength or phase is not Phase.STRENGTH]
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

    def begin(self, phase: Phase, rules: str) -> None:
        """This part comes now."""
        self._part = (phase, rules)
        while self._left and self._left[0] != self._part:
            self._left.pop(0)
        self._begun = self._now()
        if self._end is not None:
            rest = sum(one.weight for one, _ in self._left)
            self._deadline = self._begun + (self._end - self._begun) * phase.weight / rest
        self.say(0)

    def over(self) -> bool:
        """Has the part used up its time?"""
        return self._deadline is not None and self._now() >= self._deadline

    def room(self) -> bool:
        """Is there time for a start and a unit of games in this part?"""
        return self._deadline is None or self._now() + self.start_s + 2 * (self._rate or 0.0) <= self._deadline

    def fits(self) -> bool:
        """Is there time for that in the whole check, whatever the share of this part is?"""
        return self._end is None or self._now() + self.start_s + 2 * (self._rate or 0.0) <= self._end

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
        costs = [phase.weight * self._games * rate + phase.starts * self.start_s for phase, _ in self._left]
        left = max(sum(costs) - games * rate, 0.0)
        return left if self._end is None else min(left, max(self._end - self._now(), 0.0))
