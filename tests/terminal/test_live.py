"""The progress of a run: a live table, plain lines, never an error because of it."""

from __future__ import annotations

import io
import os
import pty
from pathlib import Path

import pandas as pd
import pyte
import pytest
from rich.console import Console

from arena.cli.group import INTERRUPTED
from arena.stats.ratings import rate
from arena.terminal.live import LineProgress, LiveProgress, ratings_of
from arena.tournament.runner.progress import PairResult, RunStatus
from arena.tournament.store.reader import Reader
from tests.terminal.terminals import Terminal

NAMES = ("ann", "\x1b[2J\u202eevil", "🤖" * 60, "x" * 200, "שלום")


def status(names: tuple[str, ...] = NAMES, done: int = 400) -> RunStatus:
    pairs = [PairResult(a, b, 40, 30.0) for at, a in enumerate(names) for b in names[at + 1 :]]
    return RunStatus(done, 1000, 12.0, 50.0, bots=names, results=lambda: pairs, forfeits=lambda: {names[0]: 3})


def drawn(columns: int, rows: int = 24, names: tuple[str, ...] = NAMES) -> list[str]:
    stream = io.StringIO()
    size = {"width": columns, "height": rows}
    console = Console(file=stream, force_terminal=True, color_system="truecolor", _environ={}, **size)  # type: ignore[arg-type]
    table = LiveProgress(console=console)
    table.begin("run", 1, status(names))
    table._next = 0.0
    table.update(status(names, 500))
    table.note("a worker \x1b[2Jdied")
    table.end(status(names, 1000), True)
    assert "\x1b[2J" not in stream.getvalue()
    screen = pyte.Screen(columns, rows)
    pyte.Stream(screen).feed(stream.getvalue().replace("\n", "\r\n"))
    return [line.rstrip() for line in screen.display if line.strip()]


def test_it_is_drawn_in_place() -> None:
    lines = drawn(80)
    assert lines[0] == "a worker ?[2Jdied"
    assert lines[1] == "run, seed 1"
    assert lines[2].split() == ["#", "bot", "Elo", "+", "-", "games", "score%", "forfeits"]
    assert len(lines) == 3 + len(NAMES) + 2  # drawn four times, and seen once
    assert lines[3].split()[:2] == ["1", "ann"]
    assert lines[3].endswith("3")
    assert lines[-1].endswith("1,000 of 1,000 games (100%), 12 games/s - interrupted")


def test_a_long_field_is_cut_to_the_height_of_the_terminal() -> None:
    lines = drawn(80, 15, tuple(f"bot{at}" for at in range(30)))
    assert "... and 21 more" in lines
    assert len(lines) <= 15


def test_a_closed_terminal_does_not_stop_play() -> None:
    master, slave = pty.openpty()
    with os.fdopen(slave, "w") as stream:
        table = LiveProgress(console=Console(file=stream, force_terminal=True, width=80))
        table.begin("run", 1, status())
        os.close(master)
        table._next = 0.0
        table.update(status())
        table.note("x")
        table.end(status(), False)


def test_lines_come_every_few_seconds_only(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [100.0]
    monkeypatch.setattr("arena.terminal.live.time.monotonic", lambda: clock[0])
    stream = io.StringIO()
    progress = LineProgress(stream=stream)
    progress.begin("quick", 42, status(("ann", "bob"), 200))
    for second in range(20):
        clock[0] += 1
        progress.update(status(("ann", "bob"), 200 + 40 * second))
    progress.note("worker \x1b3 died")
    progress.end(status(("ann", "bob"), 1000), interrupted=True)
    lines = stream.getvalue().splitlines()
    assert lines[0] == "quick: 1,000 games, 200 of them played before, seed 42"
    assert len(lines) == 1 + 4 + 2
    assert lines[1] == "360 of 1,000 games (36%), 12 games/s, 0:00:50 left  |  ann 75.0%, bob 25.0%  |  forfeits: ann 3"
    assert lines[-2] == "worker ?3 died"
    assert lines[-1].endswith("  |  ann 75.0%, bob 25.0%  |  forfeits: ann 3 - interrupted")
    clock[0] += 10
    progress.update(RunStatus(20, 20, rate=4.0))
    progress.end(RunStatus(20, 20, rate=3.9), interrupted=False)  # the rate has changed, and the line comes once
    assert stream.getvalue().count("20 of 20 games") == 1


def test_a_stream_that_breaks_does_not_stop_the_run() -> None:
    class Broken(io.StringIO):
        def write(self, text: str) -> int:
            raise BrokenPipeError

    closed = io.StringIO()
    closed.close()
    for stream in (Broken(), closed):
        progress = LineProgress(stream=stream)
        progress.begin("x", 1, status())
        progress.end(status(), interrupted=False)


def test_ratings_from_sums_are_those_of_the_games() -> None:
    games = [("a", "b", 1.0)] * 30 + [("b", "a", 1.0)] * 12 + [("b", "c", 1.0)] * 25 + [("c", "a", 1.0)] * 9
    games += [("a", "c", 0.5)] * 20
    exact = rate(pd.DataFrame(games, columns=["first", "second", "score"]), first_advantage=0.0)
    results = [PairResult("a", "b", 42, 30.0), PairResult("b", "c", 25, 25.0), PairResult("a", "c", 29, 10.0)]
    ratings = ratings_of(results)
    for bot, elo, error in zip(exact.bots, exact.elo, exact.error95):
        assert ratings[bot].elo == pytest.approx(elo, abs=1)
        assert ratings[bot].error95 == pytest.approx(error, rel=0.5)  # draws count as wins and losses
    assert ratings_of([]) == {}


@pytest.mark.slow
@pytest.mark.process
def test_a_run_on_a_terminal(tmp_path: Path) -> None:
    with Terminal("tournament", "again=random", "first", "random", "--games", "20000", cwd=tmp_path) as screen:
        assert screen.end() == 0
        assert all(text in screen.raw for text in (" + ", "games/s", "left", "60,000 of 60,000 games (100%)"))
        assert "columns hidden; to see them: arena standings" in screen.text
        assert "ms/move" not in screen.text


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.parametrize(("option", "env"), [("-q", {"TERM": "dumb"}), ("--strict", {"NO_COLOR": "1"})])
def test_a_run_that_shows_less(tmp_path: Path, option: str, env: dict[str, str]) -> None:
    with Terminal("match", "first", "random", "--games", "20", option, cwd=tmp_path, env=env, columns=150) as screen:
        assert screen.end() == 0
        assert "Stored in" in screen.text
        assert ("20 of 20 games" in screen.raw) == (option != "-q")
        assert "\x1b[3" not in screen.raw
        if "NO_COLOR" not in env:
            assert "━" not in screen.raw


@pytest.mark.slow
@pytest.mark.process
def test_a_terminal_that_is_closed_interrupts_the_run(tmp_path: Path) -> None:
    with Terminal("match", "first", "random", "--games", "10000000", "--out", "run", cwd=tmp_path) as screen:
        screen.wait("games/s")
        assert screen.close() == INTERRUPTED
    with Reader(tmp_path / "run") as reader:
        assert [session.games for session in reader.sessions()] == [reader.count()]
