"""What a person sees of a run: plain lines, a line of a terminal, never an error because of it."""

from __future__ import annotations

import io

import pytest

from arena.tournament.runner.progress import (
    BotShare,
    LineProgress,
    RunStatus,
    TerminalProgress,
    progress_for,
    shares_text,
    status_text,
)


def _status(done: int, total: int = 1000, rate: float = 50.0, left: float | None = 10.0) -> RunStatus:
    standing = [BotShare("greedy", done, 0.75), BotShare("random", done, 0.25)]
    return RunStatus(done, total, rate, left, lambda: standing)


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_lines_come_every_few_seconds_only(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [100.0]
    monkeypatch.setattr("arena.tournament.runner.progress.time.monotonic", lambda: clock[0])
    stream = io.StringIO()
    progress = LineProgress(stream, every=5.0)
    progress.begin("quick", 42, _status(200))
    for second in range(20):
        clock[0] += 1
        progress.update(_status(200 + 40 * second))
    progress.note("worker 3 died")
    progress.end(_status(1000, left=0.0), interrupted=False)
    lines = stream.getvalue().splitlines()
    assert lines[0] == "quick: 1,000 games, 200 of them played before, seed 42"
    assert len(lines) == 1 + 4 + 2
    assert lines[1] == "360 of 1,000 games (36%), 50 games/s, 10 s left  |  greedy 75.0%, random 25.0%"
    assert lines[-2] == "worker 3 died"
    assert lines[-1].startswith("1,000 of 1,000 games (100%), 50 games/s  |")
    assert all(line.isprintable() for line in lines)


def test_a_terminal_line_is_rewritten_and_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    stream = _Terminal()
    progress = progress_for(stream)
    assert isinstance(progress, TerminalProgress)
    progress.begin("x", 1, _status(0))
    progress.update(_status(500))
    progress.end(_status(900), interrupted=True)
    shown = stream.getvalue().split("\r\x1b[K")
    assert all(len(part.rstrip("\n").removesuffix(" - interrupted")) < 40 for part in shown[1:])
    assert stream.getvalue().endswith("- interrupted\n")
    assert stream.getvalue().count("\n") == 2


def test_standing_is_not_worked_out_for_nothing() -> None:
    asked = []
    progress = LineProgress(io.StringIO(), every=3600)
    status = RunStatus(1, 2, 0.0, None, lambda: asked.append(1) or [])  # type: ignore[func-returns-value]
    progress.begin("x", 1, status)
    for _ in range(100):
        progress.update(status)
    assert not asked


def test_a_stream_that_breaks_does_not_stop_the_run() -> None:
    class Broken(io.StringIO):
        def write(self, text: str) -> int:
            raise BrokenPipeError

    progress = LineProgress(Broken())
    progress.begin("x", 1, _status(0))
    progress.end(_status(5), interrupted=False)
    closed = io.StringIO()
    closed.close()
    LineProgress(closed).note("nobody hears this")


def test_unknown_speed_and_empty_standing_are_left_out() -> None:
    assert status_text(RunStatus(0, 0, 0.0, None, list)) == "0 of 0 games"
    assert status_text(RunStatus(1, 10, 0.25, 36.0, list)) == "1 of 10 games (10%), 0.25 games/s, 36 s left"
    assert shares_text([BotShare("a", 0, 0.0)]) == ""
