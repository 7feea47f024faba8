"""The dispatch loop with an executor that plays nothing: what it hands out, stores and does when it is to stop.

Also how the speed of games is measured meanwhile.
"""

from __future__ import annotations

import os
import signal
from collections import deque
from collections.abc import Sequence

import pytest

from arena.tournament.games import Chunk, PairTask
from arena.tournament.runner.executors import Dispatcher, StopSignals
from arena.tournament.runner.job import Failed, Lost, Played, WorkerEvent
from arena.tournament.runner.progress import GameRate

UNITS = [PairTask(0, deal, "ann", "bob") for deal in range(1000)]


class FakeExecutor:
    """Plays at `unit_s` seconds a unit, one chunk with each call of `events`, in two parts."""

    slots = 2

    def __init__(
        self, unit_s: float = 0.01, also: dict[int, WorkerEvent] | None = None, starting_s: float = 0.0
    ) -> None:
        self.unit_s = unit_s
        self.starting_s = starting_s
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
            half = len(chunk) // 2
            for tasks in (chunk.tasks[:half], chunk.tasks[half:]):
                if tasks:
                    played = Chunk(chunk.number, tasks)
                    found.append(Played(played, self.unit_s * len(tasks), {}, (), self.starting_s))
        return found

    def drain(self) -> None: ...

    def close(self) -> None: ...


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


def _play(executor: FakeExecutor, stored: Stored) -> list[str]:
    """Play all units; what was told meanwhile."""
    told: list[str] = []
    dispatcher = Dispatcher(
        executor,
        StopSignals(),
        failed=_raise,  # type: ignore[arg-type]
        lost=lambda event: told.append(event.text),
        clock=lambda: 0.06 * executor.calls,
    )
    dispatcher.play(iter(UNITS), len(UNITS), stored)
    return told


@pytest.mark.parametrize("unit_s", [0.0005, 1.0])
def test_every_unit_is_stored_once_in_chunks_of_some_length(unit_s: float) -> None:
    executor, stored = FakeExecutor(unit_s), Stored()
    assert _play(executor, stored) == []
    assert stored.units == UNITS
    assert [chunk.number for chunk in executor.chunks] == list(range(1, len(executor.chunks) + 1))
    sizes = [len(chunk) for chunk in executor.chunks]
    assert sizes[0] == 1  # nothing is known about the bots
    assert max(sizes) == max(1, min(int(0.4 / unit_s), (len(UNITS) - 4) // 4))
    assert sizes[-1] <= max(1, max(sizes) // 4)  # no worker is left alone with much at the end


def test_chunks_last_longer_if_processes_take_long_to_start() -> None:
    quick, slow = FakeExecutor(0.01, starting_s=0.1), FakeExecutor(0.1, starting_s=5.0)
    _play(quick, Stored())
    _play(slow, Stored())
    assert max(len(chunk) for chunk in quick.chunks) == 200  # two seconds
    assert max(len(chunk) for chunk in slow.chunks) == 200  # not more than twenty


def test_failures_come_after_what_was_played() -> None:
    stored = Stored()
    executor = FakeExecutor(also={2: Lost("a worker died"), 5: Failed("no licence", ours=False)})
    with pytest.raises(RuntimeError, match="no licence"):
        _play(executor, stored)
    assert stored.units == [task for chunk in executor.chunks[:4] for task in chunk.tasks]
    assert _play(FakeExecutor(also={2: Lost("a worker died")}), Stored()) == ["a worker died"]


def test_nothing_more_is_handed_out_when_it_is_enough() -> None:
    executor, stored = FakeExecutor(1.0), Stored(enough=5)
    _play(executor, stored)
    assert stored.units == UNITS[:8]  # what came within each 0.2 s: four units at a time
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
