"""The table of a league while its games are played."""

from __future__ import annotations

import io

import pyte
import pytest
from rich.console import Console

from arena.league.rating import Standings, StandingsRow
from arena.league.versions import Version
from arena.terminal.live_league import LiveLeague


def row(rank: int, name: str) -> StandingsRow:
    version = Version(rank, rank, name, None, 2, "", "", 0.0, "active", None, "", 0, None, "")
    return StandingsRow(rank, version, 100.0 - rank, 12.0, 40, 30, 0, 10)


def seen(stream: io.StringIO, columns: int) -> list[str]:
    screen = pyte.Screen(columns, 12)
    pyte.Stream(screen).feed(stream.getvalue().replace("\n", "\r\n"))
    return [line.rstrip() for line in screen.display if line.strip()]


@pytest.mark.parametrize("columns", [80, 160])
def test_it_is_drawn_in_place_and_cleared(columns: int) -> None:
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=True, width=columns, height=12, _environ={})
    live = LiveLeague(100, console)
    live.show(Standings(tuple(row(at, f"bot{at}") for at in range(1, 11)), 200), 0)
    live.say("playing \x1b[2Jthe rest")
    for _ in range(3):
        live._next = 0.0
        live.add(10)
    lines = seen(stream, columns)
    assert lines[0].split() == ["#", "bot", "Elo", "±95%", "games", "score%"]
    assert lines[1].split() == ["1", "bot1", "v2", "+99", "12", "40", "75.0"]
    assert lines[8] == "... and 3 more"
    assert lines[-1].startswith("playing ?[2Jthe rest: 30 games, ")
    assert len(lines) == 11  # drawn four times, and seen once
    live.end()
    assert seen(stream, columns) == []
