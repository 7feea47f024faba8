"""The dispatch loop with an executor that plays nothing: what it hands out, stores and does when it is to stop."""

from __future__ import annotations

import os
import signal
from collections import deque
from collections.abc import Callable, Sequence

import pytest

from arena.tournament.games import Chunk, PairTask
from arena.tournament.runner.executors import Dispatcher, StopSignals
from arena.tournament.runner.job import Drained, Failed, Lost, Played, WorkerEvent

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
        self.draining = False

    def submit(self, chunk: Chunk) -> None:
        assert not self.draining
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
        if self.draining:
            self.waiting.clear()
            found.append(Drained())
        return found

    def drain(self) -> None:
        self.draining = True

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


def _play(
    executor: FakeExecutor,
    stored: Stored,
    signals: StopSignals | None = None,
    tick: Callable[[], None] = lambda: None,
) -> list[str]:
    """Play all units; what was told meanwhile."""
    told: list[str] = []
    dispatcher = Dispatcher(
        executor,
        signals or StopSignals(),
        failed=_raise,  # type: ignore[arg-type]
        lost=lambda event: told.append(event.text),
        stopping=lambda: told.append("stopping"),
        tick=tick,
        clock=lambda: 0.06 * executor.calls,
    )
    dispatcher.play(iter(UNITS), len(UNITS), stored)
    return told


@pytest.mark.parametrize("unit_s", [0.0005, 0.001, 0.01, 1.0])
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


def test_asked_to_stop_it_stores_what_is_in_hand() -> None:
    signals, executor, stored = StopSignals(), FakeExecutor(), Stored()

    def ask_once() -> None:
        signals.count = 1

    assert _play(executor, stored, signals, ask_once) == ["stopping"]
    handed_out = [task for chunk in executor.chunks for task in chunk.tasks]
    assert stored.units == handed_out[: len(stored.units)]
    assert 1 <= len(stored.units) < len(handed_out) < len(UNITS)


def test_asked_twice_it_does_not_wait_for_the_workers() -> None:
    signals, executor = StopSignals(), FakeExecutor()
    executor.drain = lambda: None  # type: ignore[method-assign]  # they never come to an end

    def ask_twice() -> None:
        signals.count = 2

    _play(executor, Stored(), signals, ask_twice)
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
