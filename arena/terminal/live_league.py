"""The table of a league while its games are played: drawn in place on a terminal, gone when play ends."""

from __future__ import annotations

import time

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from arena.league.rating import Standings
from arena.results.formats.fit import shortened
from arena.results.table import percent
from arena.terminal.live import EVERY_S, SHARE
from arena.text import one_line
from arena.tournament.runner.progress import rate_text

_AROUND = 5  # lines around the rows of bots
_FIGURES = 40  # cells that the other columns take


class LiveLeague:
    """Shows the standings as they were rated last, what is being done, games and games a second.

    `most` games are asked for; None: there is no end, and no bar.
    """

    def __init__(self, most: int | None = None, console: Console | None = None) -> None:
        self._most = most
        self._console = console or Console(stderr=True, highlight=False, markup=False)
        self._live: Live | None = None
        self._standings: Standings | None = None
        self._doing = ""
        self._games = 0  # since that began
        self._before = 0  # of those asked for, when it began
        self._begun = self._next = time.monotonic()

    def say(self, text: str) -> None:
        """Begin something else."""
        self._before += self._games
        self._doing, self._games, self._begun = text, 0, time.monotonic()
        self._draw()

    def add(self, games: int) -> None:
        """Count games that were stored."""
        self._games += games
        if time.monotonic() >= self._next:
            self._draw()

    def show(self, table: Standings, played: int) -> None:
        """The table was rated again, after so many games."""
        self._standings, self._before = table, played - self._games

    def end(self) -> None:
        """Clear the table, so that others can write; it comes again when there is something to show."""
        live, self._live = self._live, None
        if live is not None:
            live.stop()

    def _draw(self) -> None:
        start = time.thread_time()
        try:
            if self._live is None:
                self._live = Live(
                    console=self._console,
                    auto_refresh=False,
                    transient=True,
                    redirect_stdout=False,
                    redirect_stderr=False,
                )
                self._live.start()
                self._console.show_cursor(True)  # whoever kills the command keeps it
            self._live.update(self._drawn(), refresh=True)
        except (OSError, ValueError):  # whoever was watching has gone; play goes on
            self._live = None
        self._next = time.monotonic() + max(EVERY_S, (time.thread_time() - start) / SHARE)

    def _drawn(self) -> RenderableType:
        width, height = self._console.size
        lines: list[RenderableType] = []
        if self._standings is not None:
            lines += _rows(self._standings, width, max(height - _AROUND, 1))
        if self._most:
            bar = Table.grid()  # which ends the line
            done = min(max(self._before + self._games, 0), self._most)
            bar.add_row(ProgressBar(total=self._most, completed=done, width=width - 1))
            lines.append(bar)
        rate = self._games / max(time.monotonic() - self._begun, 1e-3)
        figures = f": {self._games:,} games, {rate_text(rate)}" if self._games else ""
        lines.append(Text(shortened(one_line(self._doing) + figures, width - 1)))
        return Group(*lines)


def _rows(table: Standings, width: int, most: int) -> list[RenderableType]:
    made = Table(box=None, padding=(0, 1), pad_edge=False)
    for head in ("#", "bot", "Elo", "±95%", "games", "score%"):
        made.add_column(head, justify="left" if head == "bot" else "right", no_wrap=True)
    for row in table.rows[:most]:
        made.add_row(
            str(row.rank),
            Text(shortened(row.version.label, max(width - _FIGURES, 8))),
            "-" if row.elo is None else f"{row.elo:+z.0f}",
            "-" if row.error is None else f"{row.error:.0f}",
            f"{row.games:,}",
            "-" if row.score is None else percent(row.score),
        )
    left = len(table.rows) - most
    return [made, Text(f"... and {left} more", "dim")] if left > 0 else [made]
