"""What a run reports of its progress."""

from __future__ import annotations

import pytest

from arena.tournament.runner.progress import GameRate


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
