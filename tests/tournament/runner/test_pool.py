"""A pool with slots that play nothing: what it hands out, stores and does when it is to stop.

Also how the speed of games is measured meanwhile.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Sequence
from contextlib import closing

import pytest

from arena.tournament.games import Chunk, PairTask
from arena.tournament.runner.job import Failed, Job, Played, WorkerEvent
from arena.tournament.runner.pool import BotRefused, StopSignals, WorkerFault, WorkerPool

UNITS = [PairTask(0, deal, "ann", "bob") for deal in range(1000)]
JOB = Job("base", 1, ())


class FakeSlot:
    """Plays nothing; reports at most `most` units at once, `later` after 24 chunks, and `also` after so many chunks."""

    def __init__(self, report: Callable[[WorkerEvent], None], most: int, later: int, also: dict[int, WorkerEvent]):
        self.report, self.most, self.later, self.also = report, most, later, also
        self.chunks: list[Chunk] = []

    def play(self, chunk: Chunk) -> None:
        self.chunks.append(chunk)
        most = self.most if chunk.number <= 24 else self.later
        for at in range(0, len(chunk), most):
            self.report(Played(Chunk(chunk.number, chunk.tasks[at : at + most]), {}, [()]))
        if len(self.chunks) in self.also:
            self.report(self.also[len(self.chunks)])

    def wait(self) -> None: ...

    def drain(self) -> None: ...

    stop = close = drain


class FakePool(WorkerPool):
    """A pool with one such slot."""

    def __init__(self, most: int = 16, later: int = 0, also: dict[int, WorkerEvent] | None = None) -> None:
        self.options = most, later or most, also or {}
        super().__init__(JOB, None, print)

    def _open_slots(self) -> None:
        self.slot = FakeSlot(self._report, *self.options)
        self._add_slot(self.slot)


class Stored:
    """What the loop has stored; `enough` says after how many units it is."""

    def __init__(self, enough: int = len(UNITS) + 1) -> None:
        self.enough = enough
        self.units: list[object] = []

    def __call__(self, deliveries: Sequence[Played]) -> bool:
        assert deliveries
        self.units += [task for played in deliveries for task in played.chunk.tasks]
        return len(self.units) >= self.enough


def _play(
    pool: WorkerPool, stored: Callable[[Sequence[Played]], bool], signals: StopSignals | None = None
) -> list[str]:
    """Play all units; what was told meanwhile."""
    told: list[str] = []
    with closing(pool):
        pool.play(iter(UNITS), len(UNITS), stored, signals or StopSignals(), lost=lambda event: told.append(event.text))
    return told


@pytest.mark.parametrize("most", [1, 5, 16, 10_000])
def test_every_unit_is_stored_once_in_chunks_that_fit_a_report(most: int) -> None:
    pool, stored = FakePool(most), Stored()
    assert _play(pool, stored) == []
    assert stored.units == UNITS
    sizes = [len(chunk) for chunk in pool.slot.chunks]
    assert [chunk.number for chunk in pool.slot.chunks] == list(range(1, len(sizes) + 1))
    assert sizes[:2] == [1, 4]  # nothing is known about the bots
    largest = max(sizes)
    assert most < largest <= 4 * most if most < 100 else 64 <= largest <= len(UNITS) // 2
    before = 0
    for size in sizes:  # no worker is left alone with much at the end
        assert size <= max(1, (len(UNITS) - before) // 2)
        before += size


class Clockwork(WorkerPool):
    """A pool whose workers take `unit_s` by an imagined clock for each unit, and report twice a second."""

    def __init__(self, workers: int, unit_s: float) -> None:
        self.workers, self.unit_s = workers, unit_s
        super().__init__(JOB, None, print)

    def _open_slots(self) -> None:
        self._slots = [FakeSlot(self._report, 1, 1, {})] * self.workers  # without threads

    def seconds_until(self, units: int) -> float:
        """Return when the first `units` have all been reported."""
        self._units, self._expected = iter(UNITS * 100), 100_000
        free_at, missing = [0.0] * self.workers, units
        reports: list[tuple[float, int, Played]] = []
        most, number = max(1, round(0.5 / self.unit_s)), 0
        while True:
            now = min(free_at) if not reports else min(min(free_at), reports[0][0])
            for at, worker in enumerate(free_at):
                if worker <= now:
                    chunk = self._cut()
                    assert chunk is not None
                    for first in range(0, len(chunk), most):
                        part = Chunk(chunk.number, chunk.tasks[first : first + most])
                        free_at[at] += len(part) * self.unit_s
                        reports.append((free_at[at], number, Played(part, {}, [()])))
                        number += len(part)
            reports.sort(key=lambda report: report[:2])
            seconds, first, played = reports.pop(0)
            self._report(played)
            missing -= len(range(first, min(first + len(played.chunk), units)))
            if not missing:
                return seconds


@pytest.mark.parametrize("unit_s", [0.001, 0.06, 0.3])
def test_two_workers_reach_a_verdict_in_little_more_than_half_the_time(unit_s: float) -> None:
    """A verdict rests on all units up to one of them: those that the other worker plays beyond it are of no use."""
    for units in map(round, (10 / unit_s, 11 / unit_s, 12 / unit_s)):
        assert Clockwork(2, unit_s).seconds_until(units) <= 0.6 * Clockwork(1, unit_s).seconds_until(units)


def test_who_is_at_fault() -> None:
    for failed, error in (
        (Failed("a fault", ours=True), WorkerFault),
        (Failed("no file", ours=False, bot="ann"), BotRefused),
    ):
        with pytest.raises(error, match=failed.text):
            _play(FakePool(also={1: failed}), Stored())


def test_play_ends_at_once_when_it_is_enough() -> None:
    stored = Stored(enough=5)
    _play(FakePool(1), stored)
    assert 5 <= len(stored.units) <= len(UNITS)
    assert stored.units == UNITS[: len(stored.units)]


def test_nothing_is_begun_when_it_is_to_stop() -> None:
    signals, stored = StopSignals(), Stored()
    signals.count = 1
    _play(FakePool(1), stored, signals)
    assert stored.units == UNITS[: len(stored.units)]
    assert len(stored.units) < len(UNITS)


def test_signals_are_counted_and_given_back() -> None:
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    with StopSignals() as signals:
        assert not signals.stopping
        os.kill(os.getpid(), signal.SIGINT)
        assert (signals.stopping, signals.at_once) == (True, False)
        os.kill(os.getpid(), signal.SIGTERM)
        assert signals.at_once
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before
