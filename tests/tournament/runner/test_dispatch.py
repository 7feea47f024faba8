"""The dispatch loop with an executor that plays nothing: what it hands out, stores and does when it is to stop.

Also how the speed of games is measured meanwhile.
"""

from __future__ import annotations

import os
import signal
from collections import deque
from collections.abc import Callable, Sequence

import pytest

from arena.tournament.games import Chunk, PairTask
from arena.tournament.runner.executors import Dispatcher, StopSignals
from arena.tournament.runner.job import Failed, Lost, Played, WorkerEvent
from arena.tournament.runner.progress import GameRate

UNITS = [PairTask(0, deal, "ann", "bob") for deal in range(1000)]


class FakeExecutor:
    """Plays one chunk with each call of `events`; reports at most `most` units at once, `later` after 24 chunks."""

    slots = 2

    def __init__(self, most: int = 16, later: int = 0, also: dict[int, WorkerEvent] | None = None) -> None:
        self.most, self.later = most, later or most
        self.also = also or {}  # more events, by the number of the call
        self.chunks: list[Chunk] = []
        self.waiting: deque[Chunk] = deque()
        self.calls = 0

    def submit(self, chunk: Chunk) -> None:
        self.chunks.append(chunk)
        self.waiting.append(chunk)
        assert len(self.waiting) <= 2 * self.slots

    def events(self, timeout: float) -> list[WorkerEvent]:
        self.calls += 1
        found = [self.also[self.calls]] if self.calls in self.also else []
        if self.waiting:
            chunk = self.waiting.popleft()
            most = self.most if chunk.number <= 24 else self.later
            for at in range(0, len(chunk), most):
                found.append(Played(Chunk(chunk.number, chunk.tasks[at : at + most]), {}, [()]))
        return found

    def drain(self) -> None: ...

    def close(self) -> None: ...


class TimedExecutor(FakeExecutor):
    """Workers that take `unit_s` by a clock for each unit, and report twice a second."""

    def __init__(self, clock: list[float], slots: int, unit_s: float) -> None:
        super().__init__()
        self.clock, self.slots, self.unit_s = clock, slots, unit_s
        self.free_at = [0.0] * slots
        self.reports: list[tuple[float, int, Played]] = []

    def submit(self, chunk: Chunk) -> None:
        super().submit(chunk)
        self._begin()

    def _begin(self) -> None:
        while self.waiting and (at := min(self.free_at)) <= self.clock[0]:
            chunk, worker = self.waiting.popleft(), self.free_at.index(at)
            most = max(1, round(0.5 / self.unit_s))
            for first in range(0, len(chunk), most):
                part = Chunk(chunk.number, chunk.tasks[first : first + most])
                self.free_at[worker] = max(self.free_at[worker], self.clock[0]) + len(part) * self.unit_s
                self.reports.append((self.free_at[worker], part.tasks[0].deal, Played(part, {}, [()])))
        self.reports.sort(key=lambda report: report[:2])

    def events(self, timeout: float) -> list[WorkerEvent]:
        self.clock[0], _, played = self.reports.pop(0)
        self._begin()
        return [played]


class Verdict:
    """A store that has enough when the first `units` are all there."""

    def __init__(self, units: int) -> None:
        self.missing = set(range(units))

    def __call__(self, deliveries: Sequence[Played]) -> bool:
        self.missing -= {task.deal for played in deliveries for task in played.chunk.tasks}
        return not self.missing


class Stored:
    """What the loop has stored; `enough` says after how many units it is."""

    def __init__(self, enough: int = len(UNITS) + 1) -> None:
        self.enough = enough
        self.units: list[object] = []

    def __call__(self, deliveries: Sequence[Played]) -> bool:
        assert deliveries
        self.units += [task for played in deliveries for task in played.chunk.tasks]
        return len(self.units) >= self.enough


def _raise(event: Failed) -> None:
    raise RuntimeError(event.text)


def _play(executor: FakeExecutor, stored: Callable[[Sequence[Played]], bool], units: int = len(UNITS)) -> list[str]:
    """Play so many units; what was told meanwhile."""
    told: list[str] = []
    dispatcher = Dispatcher(
        executor,
        StopSignals(),
        failed=_raise,  # type: ignore[arg-type]
        lost=lambda event: told.append(event.text),
    )
    dispatcher.play((PairTask(0, deal, "ann", "bob") for deal in range(units)), units, stored)
    return told


@pytest.mark.parametrize("most", [1, 5, 16, 10_000])
def test_every_unit_is_stored_once_in_chunks_that_fit_a_report(most: int) -> None:
    executor, stored = FakeExecutor(most), Stored()
    assert _play(executor, stored) == []
    assert stored.units == UNITS
    assert [chunk.number for chunk in executor.chunks] == list(range(1, len(executor.chunks) + 1))
    sizes = [len(chunk) for chunk in executor.chunks]
    assert sizes[:5] == [1, 1, 1, 1, 4]  # nothing is known about the bots
    largest = max(sizes)
    assert most < largest <= 4 * most if most < 100 else 64 <= largest <= len(UNITS) // 4
    before = 0
    for size in sizes:  # no worker is left alone with much at the end
        assert size <= max(1, largest // 2, (len(UNITS) - before) // 4)
        before += size


def test_the_rest_of_a_divided_chunk_says_nothing() -> None:
    executor = FakeExecutor(15)  # 16 units come back as 15 and one
    _play(executor, Stored())
    assert {len(chunk) for chunk in executor.chunks[8:-20]} <= {15, 16, 30}


def test_chunks_become_small_again_with_slower_bots() -> None:
    executor = FakeExecutor(4, later=1)
    _play(executor, Stored())
    sizes = [len(chunk) for chunk in executor.chunks]
    assert max(sizes[:24]) >= 8
    assert max(sizes[30:]) <= 2


@pytest.mark.parametrize("unit_s", [0.001, 0.06, 0.3])
def test_two_workers_reach_a_verdict_in_little_more_than_half_the_time(
    monkeypatch: pytest.MonkeyPatch, unit_s: float
) -> None:
    """A verdict rests on all units up to one of them: those that the other worker plays beyond it are of no use."""
    clock = [0.0]
    monkeypatch.setattr("arena.tournament.runner.executors.time.monotonic", lambda: clock[0])
    for units in map(round, (10 / unit_s, 11 / unit_s, 12 / unit_s)):
        seconds = []
        for workers in (1, 2):
            clock[0] = 0.0
            _play(TimedExecutor(clock, workers, unit_s), Verdict(units), 100_000)
            seconds.append(clock[0])
        assert seconds[1] <= 0.6 * seconds[0]


def test_failures_come_after_what_was_played() -> None:
    stored = Stored()
    executor = FakeExecutor(also={2: Lost("a worker died"), 5: Failed("no licence", ours=False)})
    with pytest.raises(RuntimeError, match="no licence"):
        _play(executor, stored)
    assert stored.units == [task for chunk in executor.chunks[:4] for task in chunk.tasks]
    assert _play(FakeExecutor(also={2: Lost("a worker died")}), Stored()) == ["a worker died"]


def test_nothing_more_is_handed_out_when_it_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    executor, stored = FakeExecutor(1), Stored(enough=5)
    monkeypatch.setattr("arena.tournament.runner.executors.time.monotonic", lambda: 0.06 * executor.calls)
    _play(executor, stored)
    assert stored.units == UNITS[:20]  # what came within each 0.2 s: four chunks of one unit, then four of four
    assert executor.waiting


def test_signals_are_counted_and_given_back() -> None:
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    with StopSignals() as signals:
        assert not signals.stopping
        os.kill(os.getpid(), signal.SIGINT)
        assert (signals.stopping, signals.at_once) == (True, False)
        os.kill(os.getpid(), signal.SIGTERM)
        assert signals.at_once
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before


@pytest.mark.parametrize(
    ("stored", "now", "rate"),
    [
        ([(22.0, 2), (22.005, 4)], 22.01, 4 / 22.01),  # a short run of slow games
        ([(1.0, 10), (2.0, 20)], 2.5, 20 / 2.5),
        ([(float(second), 5 * second) for second in range(1, 101)], 100.0, 5.0),
        ([(50.0, 1000), (55.0, 1010), (61.0, 1016)], 61.0, 16 / 11),  # it has become slow
        ([(22.0, 2), (100.0, 4)], 100.0, 2 / 78),  # games that take longer than the window
        ([], 3.0, 0.0),
    ],
)
def test_the_rate_of_the_last_seconds(
    monkeypatch: pytest.MonkeyPatch, stored: list[tuple[float, int]], now: float, rate: float
) -> None:
    clock = [0.0]
    monkeypatch.setattr("arena.tournament.runner.progress.time.monotonic", lambda: clock[0])
    measured = GameRate()
    games = 0
    for clock[0], games in stored:
        measured.add(games)
    clock[0] = now
    assert measured.per_second(games) == pytest.approx(rate)
