"""The progress of a run: what it reports while it plays, and to whom. `arena.terminal.live` shows it."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from arena.tournament.formats.schedule import Schedule
from arena.tournament.games import ScheduleProgress
from arena.tournament.plan import Plan
from arena.tournament.runner.job import Played

_RATE_S = 10.0


class PairResult(NamedTuple):
    """The games of two bots so far, and the points of the first of them (a draw is half a point)."""

    a: str
    b: str
    games: int
    points: float


@dataclass(frozen=True)
class RunStatus:
    """Where a run stands.

    `total` games are planned by now: formats played in rounds may add to them, and with `at_most` fewer may be enough.
    `rate` is in games per second, 0 while it is unknown; then `seconds_left` is None. `quiet_s` are the seconds since
    the last game came back, or since play began.

    The functions compute what few listeners show: `moves` counts the moves made since the last result, `results`
    gives the results of all pairings of the `bots`, `forfeits` the number of games that each bot forfeited.
    """

    done: int
    total: int
    rate: float = 0.0
    seconds_left: float | None = None
    at_most: bool = False
    quiet_s: float = 0.0
    moves: Callable[[], int] = int
    bots: Sequence[str] = ()
    results: Callable[[], Sequence[PairResult]] = tuple
    forfeits: Callable[[], Mapping[str, int]] = dict


class ProgressListener:
    """What a run reports to; this one ignores it. All calls come from the thread that called `play_run`."""

    def plan(self, plan: Plan) -> None:
        """Take note of what will be played."""

    def begin(self, name: str, seed: int, status: RunStatus) -> None:
        """Take note that play begins; `status.done` games were stored before."""

    def update(self, status: RunStatus) -> None:
        """Take note of stored games. Called often: the listener chooses how much of it to show."""

    def note(self, text: str) -> None:
        """Show a message for the user, such as that a worker died."""

    def end(self, status: RunStatus, interrupted: bool) -> None:
        """Take note that play has ended."""


class GameRate:
    """Games per second over the last 10 seconds, or over as long as the last game took if that is more."""

    def __init__(self) -> None:
        self._recent: deque[tuple[float, int]] = deque([(time.monotonic(), 0)])

    def add(self, games: int) -> None:
        """Record that `games` have been played in all by now."""
        now = time.monotonic()
        self._recent.append((now, games))
        while now - self._recent[1][0] >= _RATE_S:
            self._recent.popleft()

    def per_second(self, games: int) -> float:
        """Return the rate if `games` have been played in all; 0 while nothing is known."""
        since, before = self._recent[0]
        seconds = time.monotonic() - since
        return (games - before) / seconds if games > before and seconds > 0 else 0.0


class RunningScores:
    """The results of a run so far, kept up without reading the store, except for forfeits of earlier games."""

    def __init__(self, schedule: Schedule, done: ScheduleProgress, stored: Callable[[], Counter[str]]) -> None:
        self._pairs: dict[tuple[str, str], list[float]] = {}
        self._stored = stored
        self._forfeits: Counter[str] | None = None if done.games else Counter()
        for pairing in schedule.pairings(done):
            score = done.score(pairing.number)
            self._enter(pairing.a, pairing.b, score.games, score.wins + score.draws / 2)

    def _enter(self, a: str, b: str, games: int, points: float) -> None:
        sums = self._pairs.setdefault((a, b), [0, 0.0])
        sums[0] += games
        sums[1] += points

    def add(self, played: Played) -> None:
        """Count the games of a delivery that is stored."""
        for pairing, (games, wins, draws, _, by_a, by_b) in played.scores.items():
            a, b = next((task.a, task.b) for task in played.chunk.tasks if task.pairing == pairing)
            self._enter(a, b, games, wins + draws / 2)
            if self._forfeits is not None:
                self._forfeits += Counter({a: by_a, b: by_b})

    def results(self) -> list[PairResult]:
        """Return the results of all pairings that have been played."""
        return [PairResult(a, b, int(games), points) for (a, b), (games, points) in self._pairs.items() if games]

    def forfeits(self) -> Counter[str]:
        """Count the forfeited games of each bot."""
        if self._forfeits is None:
            self._forfeits = self._stored()
        return self._forfeits
