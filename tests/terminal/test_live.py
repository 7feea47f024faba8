"""The table of a run that goes on."""

from __future__ import annotations

import io
import os
import pty
from pathlib import Path

import pyte
import pytest
from rich.console import Console

from arena.cli.main import INTERRUPTED
from arena.terminal.live import EVERY_S, SHARE, LiveTable
from arena.terminal.quick_ratings import QuickRatings
from arena.tournament.runner.progress import BotShare, PairResult, RunStatus
from arena.tournament.store.reader import Reader
from tests.terminal.terminals import Terminal

NAMES = ("ann", "\x1b[2J\u202eevil", "🤖" * 60, "x" * 200, "שלום")


def status(names: tuple[str, ...] = NAMES, done: int = 400) -> RunStatus:
    pairs = [PairResult(a, b, 40, 30.0) for at, a in enumerate(names) for b in names[at + 1 :]]
    shares = [BotShare(name, 160, 0.5) for name in names]
    return RunStatus(done, 1000, 12.0, 50.0, lambda: shares, results=lambda: pairs, forfeits=lambda: {names[0]: 3})


def drawn(columns: int, rows: int = 24, names: tuple[str, ...] = NAMES) -> list[str]:
    stream = io.StringIO()
    size = {"width": columns, "height": rows}
    console = Console(file=stream, force_terminal=True, color_system="truecolor", _environ={}, **size)  # type: ignore[arg-type]
    live = LiveTable(console=console)
    live.begin("run", 1, status(names))
    live._next = 0.0
    live.update(status(names, 500))
    live.note("a worker \x1b[2Jdied")
    live.end(status(names, 1000), True)
    assert "\x1b[2J" not in stream.getvalue()
    screen = pyte.Screen(columns, rows)
    pyte.Stream(screen).feed(stream.getvalue().replace("\n", "\r\n"))
    return [line.rstrip() for line in screen.display if line.strip()]


@pytest.mark.parametrize("columns", [80, 160])
def test_it_is_drawn_in_place_at_any_width(columns: int) -> None:
    lines = drawn(columns)
    assert lines[0] == "a worker ?[2Jdied"
    assert lines[1] == "run, seed 1"
    assert lines[2].split() == ["#", "bot", "Elo", "±95%", "games", "score%", "forfeits"]
    assert len(lines) == 3 + len(NAMES) + 2  # drawn four times, and seen once
    assert lines[3].split()[:2] == ["1", "ann"]
    assert lines[3].endswith("3")
    assert lines[-1].endswith("1,000 of 1,000 games (100 %), 12 games/s - interrupted")


def test_a_long_field_is_cut_to_the_height_of_the_terminal() -> None:
    lines = drawn(80, 15, tuple(f"bot{at}" for at in range(30)))
    assert "... and 21 more" in lines
    assert len(lines) <= 15


def test_drawing_waits_where_it_takes_long() -> None:
    live = LiveTable(console=Console(file=io.StringIO(), force_terminal=True, width=80))
    live.begin("run", 1, status())
    drawn_at, spent = live._next, live.spent
    live.update(status())
    assert live.spent == spent  # not due
    assert drawn_at > EVERY_S
    live._next = 0.0
    live._ratings.rate = lambda *args: [sum(range(10**6)) for _ in range(10)] and dict.fromkeys(NAMES, (0.0, 1.0))  # type: ignore[method-assign]
    import time

    before = time.monotonic()
    live.update(status())
    assert live._next - before >= (live.spent - spent) / SHARE
    live.end(status(), False)


def test_whoever_stops_watching_stops_nothing() -> None:
    master, slave = pty.openpty()
    with os.fdopen(slave, "w") as stream:
        live = LiveTable(console=Console(file=stream, force_terminal=True, width=80))
        live.begin("run", 1, status())
        os.close(master)
        live._next = 0.0
        live.update(status())
        live.note("x")
        live.end(status(), False)


def test_quick_ratings_come_near_to_those_of_the_field() -> None:
    import pandas as pd

    from arena.stats.ratings import rate

    games = [("a", "b", 1.0)] * 30 + [("b", "a", 1.0)] * 12 + [("b", "c", 1.0)] * 25 + [("c", "a", 1.0)] * 9
    games += [("a", "c", 0.5)] * 20
    games = [(b, a, 1 - score) if at % 2 else (a, b, score) for at, (a, b, score) in enumerate(games)]
    frame = pd.DataFrame(games, columns=["first", "second", "score"])
    exact = rate(frame)
    results = [PairResult("a", "b", 42, 30.0), PairResult("b", "c", 25, 25.0), PairResult("a", "c", 29, 10.0)]
    quick = QuickRatings().rate(("a", "b", "c"), results)
    for bot, elo, error in zip(exact.bots, exact.elo, exact.error95):
        assert quick[bot][0] == pytest.approx(elo, abs=25)
        assert quick[bot][1] == pytest.approx(error, rel=0.5)


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.parametrize("columns", [80, 160])
def test_a_run_on_a_terminal(tmp_path: Path, columns: int) -> None:
    with Terminal("tournament", "greedy", "first", "random", "--games", "200", cwd=tmp_path, columns=columns) as screen:
        screen.wait("±95%", "games/s", "left")
        assert screen.end() == 0
        assert "600 of 600 games (100 %)" in screen.raw
        assert ("first%" in screen.text) == (columns == 160)
        assert "columns are not shown; --wide" in screen.text if columns == 80 else "ms/move" in screen.text


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.parametrize(
    ("option", "env"), [("-q", {}), ("-v", {}), ("--wide", {"TERM": "dumb"}), ("--wide", {"NO_COLOR": "1"})]
)
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
