"""A clock for the referee that advances only when it is read and when bots sleep."""

from __future__ import annotations

import time

import pytest


class Clock:
    """Each reading takes a microsecond, and each sleep its nominal time, so nothing depends on the machine."""

    def __init__(self) -> None:
        self.now_ns = 0

    def perf_counter_ns(self) -> int:
        self.now_ns += 1_000
        return self.now_ns

    def sleep(self, seconds: float) -> None:
        self.now_ns += round(seconds * 1e9)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Replace the clock of the referee, and of bots in this process."""
    clock = Clock()
    monkeypatch.setattr("arena.tournament.referee.perf_counter_ns", clock.perf_counter_ns)
    monkeypatch.setattr(time, "sleep", clock.sleep)
    return clock
