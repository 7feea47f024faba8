"""The progress of a run: what it reports while it plays, and to whom. `arena.terminal.live` shows it."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from arena.tournament.formats.schedule import Schedule
from arena.tournament.games import ScheduleProgress
from arena.tournament.plan import Plan
from arena.tournament.runner.job import Played


class PairResult(NamedTuple):
    """The games of two bots so far, and the points of the first of them (a draw is half a point)."""

    a: str
    b: str
    games: int
    points: float


class Wait(NamedTuple):
    """A call of `bot` in a game against `other` that has lasted for some seconds."""

    bot: str
    other: str
    seconds: float


@dataclass(frozen=True)
class RunStatus:
    """Where a run stands.

    `total` games are planned by now: formats played in rounds may add to them, and with `at_most` fewer may be enough.
    `rate` is in games per second from the beginning to the last game that came back, 0 while it is unknown; then
    `seconds_left` is None. `quiet_s` are the seconds since that game, or since play began.

    The functions compute what few listeners show: `waits` gives the decisions in progress, `results` the results of all
    pairings of the `bots`, `forfeits` the number of games that each bot forfeited.
    """

    done: int
    total: int
    rate: float = 0.0
    seconds_left: float | None = None
    at_most: bool = False
    quiet_s: float = 0.0
    waits: Callable[[], Sequence[Wait]] = tuple
    bots: Sequence[str] = ()
    results: Callable[[], Sequence[PairResult]] = tuple
    forfeits: Callable[[], Mapping[str, int]] = dict


class ProgressListener:
    """What a run reports to; this one ignores it. All calls come from the thread that called `play_run`."""

    def plan(self, plan: Plan) -> None:
        """Show what changes in a stored run, if anything does."""
        if plan.has_news:
            self.note(str(plan))

    def begin(self, name: str, seed: int, status: RunStatus) -> None:
        """Take note that play begins; `status.done` games were stored before."""

    def update(self, status: RunStatus) -> None:
        """Take note of stored games. Called often: the listener chooses how much of it to show."""

    def note(self, text: str) -> None:
        """Show a message for the user, such as that a worker died."""

    def end(self, status: RunStatus, interrupted: bool) -> None:
        """Take note that play has ended."""


class RunFigures:
    """What a run reports while it plays, kept up without reading the store, except for forfeits of earlier games."""

    def __init__(self, schedule: Schedule, done: ScheduleProgress, stored: Callable[[], Counter[str]]) -> None:
        """Count from what is `done`; `stored` counts the forfeits in the store."""
        self._stored = stored
        self._units = schedule.units_done(done)
        self._played = 0
        self._begun = self._last_result = time.monotonic()
        self._forfeits: Counter[str] | None = None if done.games else Counter()
        self.follow(schedule, done)

    def follow(self, schedule: Schedule, done: ScheduleProgress) -> None:
        """Plan anew from what is done: when a wave has ended, or the run was extended."""
        self._schedule = schedule
        self.done, self.total = done.games, schedule.planned(done)
        self._pairs: dict[tuple[str, str], list[float]] = {}
        for pairing in schedule.pairings(done):
            score = done.score(pairing.number)
            self._enter(pairing.a, pairing.b, score.games, score.wins + score.draws / 2)

    def end(self, games: int) -> None:
        """Plan no more than these games, which are the whole run."""
        self.done = self.total = games

    def add(self, deliveries: Sequence[Played], stored: int) -> None:
        """Count deliveries, of which `stored` games were new."""
        self.done += stored
        self._played += stored
        for played in deliveries:
            self._units += len(played.chunk)
            for pairing, (games, wins, draws, _, by_a, by_b) in played.scores.items():
                a, b = next((task.a, task.b) for task in played.chunk.tasks if task.pairing == pairing)
                self._enter(a, b, games, wins + draws / 2)
                if self._forfeits is not None:
                    self._forfeits += Counter({a: by_a, b: by_b})
        self.total = self._schedule.expected(self.done, self._units) or self.total
        self._last_result = time.monotonic()

    def _enter(self, a: str, b: str, games: int, points: float) -> None:
        sums = self._pairs.setdefault((a, b), [0, 0.0])
        sums[0] += games
        sums[1] += points

    def status(self, at_most: bool, waits: Callable[[], Sequence[Wait]]) -> RunStatus:
        """Return the figures as they are now."""
        rate = self._played / (self._last_result - self._begun) if self._played else 0.0  # stays while no answer comes
        return RunStatus(
            done=self.done,
            total=self.total,
            rate=rate,
            seconds_left=(self.total - self.done) / rate if rate else None,
            at_most=at_most,
            quiet_s=time.monotonic() - self._last_result,
            waits=waits,
            bots=self._schedule.bots,
            results=self._results,
            forfeits=self._all_forfeits,
        )

    def _results(self) -> list[PairResult]:
        return [PairResult(a, b, int(games), points) for (a, b), (games, points) in self._pairs.items() if games]

    def _all_forfeits(self) -> Counter[str]:
        if self._forfeits is None:
            self._forfeits = self._stored()
        return self._forfeits
