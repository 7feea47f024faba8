"""How a pool hands out units to its workers, and how signals stop it."""

from __future__ import annotations

import os
import signal

import pytest

from arena.game.rules import load_rules
from arena.tournament.games import Chunk, PairTask
from arena.tournament.rows import GameSettings
from arena.tournament.runner.job import Job, Played
from arena.tournament.runner.pool import StopSignals, WorkerPool

UNITS = [PairTask(0, deal, "ann", "bob") for deal in range(1000)]
JOB = Job(GameSettings(load_rules("base"), 1), ())


class Clockwork(WorkerPool):
    """A pool whose workers take `unit_s` by an imagined clock for each unit, and report twice a second."""

    def __init__(self, workers: int, unit_s: float) -> None:
        self.workers, self.unit_s = workers, unit_s
        super().__init__(JOB, print)

    def _open_slots(self) -> None:
        self._slots = [None] * self.workers  # type: ignore[list-item]  # only their number is asked for

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


def test_signals_are_counted_and_given_back() -> None:
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    with StopSignals() as signals:
        assert not signals.stopping
        os.kill(os.getpid(), signal.SIGINT)
        assert (signals.stopping, signals.at_once) == (True, False)
        os.kill(os.getpid(), signal.SIGTERM)
        assert signals.at_once
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before
