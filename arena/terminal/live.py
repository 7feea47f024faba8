"""The table of a run while it is played: drawn in place on a terminal, on stderr.

It is drawn once a second at most, and less often if drawing is slow: it may use one fiftieth of a core.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from arena.results.formats import shortened
from arena.results.table import error_text, percent
from arena.stats.frames import GameArrays
from arena.stats.ratings import rate
from arena.text import one_line, printable_lines
from arena.tournament.runner.progress import PairResult, RunStatus, status_text
from arena.tournament.runner.progress import Text as StatusText

EVERY_S = 1.0
SHARE = 0.02
"""The share of a core's time that drawing may take."""
_AROUND = 6  # lines around the rows of bots
_NUMBERS = 46  # columns of the terminal that everything but the names takes


class LiveRow(NamedTuple):
    """A bot in the table; None for what is not known."""

    bot: str
    elo: float | None
    error: float | None
    games: int
    score: float | None
    forfeits: int


class LiveTable:
    """Shows rank, Elo with its error, score and forfeits of each bot of a run, a bar, games a second and the time left.

    `text` replaces the line of figures below the bar. Listens as `tournament.runner.progress.ProgressListener` says.
    `spent` are the seconds of CPU that drawing has taken.
    """

    def __init__(self, text: StatusText | None = None, console: Console | None = None) -> None:
        self.most = "at most " if text else ""
        self.console = console or Console(stderr=True, highlight=False, markup=False)
        self.spent = 0.0
        self._text = text or status_text
        self._title = ""
        self._live: Live | None = None
        self._is_gone = False
        self._next = 0.0

    def begin(self, name: str, seed: int, status: RunStatus) -> None:
        """Play begins."""
        self._title = f"{one_line(name)}, seed {seed}"
        self._draw(status)

    def update(self, status: RunStatus) -> None:
        """Games were stored."""
        if time.monotonic() >= self._next:
            self._draw(status)

    def note(self, text: str) -> None:
        """Print a message that stays above the table."""
        self._write(lambda: self.console.print(Text(printable_lines(text))))

    def end(self, status: RunStatus, interrupted: bool) -> None:
        """Play has ended: leave the terminal to others, with the table."""
        self._draw(status, " - interrupted" if interrupted else "")
        live, self._live = self._live, None
        if live is not None:
            self._write(live.stop)

    def _write(self, write: Callable[[], object]) -> None:
        """Write to the terminal unless it has been closed; play goes on without it."""
        try:
            write()
        except (OSError, ValueError):
            self._is_gone, self._live = True, None

    def _draw(self, status: RunStatus, more: str = "") -> None:
        """Draw the table in place of what is there."""
        if self._is_gone:
            return
        start = time.thread_time()
        self._write(lambda: self._started().update(self._content(status, more), refresh=True))
        cost = time.thread_time() - start
        self.spent += cost
        self._next = time.monotonic() + max(EVERY_S, cost / SHARE)

    def _started(self) -> Live:
        if self._live is None:
            self._live = Live(console=self.console, auto_refresh=False, redirect_stdout=False, redirect_stderr=False)
            self._live.start()
            self.console.show_cursor(True)  # so that it is there after a kill
        return self._live

    def _content(self, status: RunStatus, more: str) -> RenderableType:
        """A title, the rows that fit, a bar, and a line of figures that ends in `more`."""
        width, height = self.console.size
        lines: list[RenderableType] = [Text(shortened(self._title, width - 1), "bold")]
        lines += _table(run_rows(status), width, max(height - _AROUND, 1))
        if status.total:
            bar = Table.grid()  # ends the line
            completed = min(max(status.done, 0), status.total)
            bar.add_row(ProgressBar(total=status.total, completed=completed, width=width - 1))
            lines.append(bar)
        lines.append(Text(shortened(one_line(self._text(status)), width - 1 - len(more)) + more))
        return Group(*lines)


def _table(rows: Sequence[LiveRow], width: int, most: int) -> list[RenderableType]:
    table = Table(box=None, padding=(0, 1), pad_edge=False)
    faults = any(row.forfeits for row in rows)
    for head in ("#", "bot", "Elo", "±95%", "games", "score%", *(["forfeits"] if faults else [])):
        table.add_column(head, justify="left" if head == "bot" else "right", no_wrap=True)
    for rank, row in enumerate(rows[:most], start=1):
        table.add_row(
            str(rank),
            Text(shortened(one_line(row.bot), max(width - _NUMBERS, 8))),
            "-" if row.elo is None else f"{row.elo:+z.0f}",
            "-" if row.error is None else error_text(row.error),
            f"{row.games:,}",
            "-" if row.score is None else percent(row.score),
            *([Text(f"{row.forfeits:,}", "bold red" if row.forfeits else "")] if faults else []),
        )
    left = len(rows) - most
    return [table, Text(f"... and {left} more", "dim")] if left > 0 else [table]


def run_rows(status: RunStatus) -> list[LiveRow]:
    """The bots of a run, best first, as their games so far rate them."""
    ratings = ratings_of(status.results())
    forfeits = status.forfeits()
    rows = []
    for share in status.shares():
        elo, error = ratings.get(share.bot, (None, None))
        score = share.share if share.games else None
        rows.append(LiveRow(share.bot, elo, error, share.games, score, forfeits.get(share.bot, 0)))
    return sorted(rows, key=lambda row: (row.elo is None, -(row.elo or 0.0), row.bot))


def ratings_of(results: Sequence[PairResult]) -> dict[str, tuple[float, float]]:
    """Elo of each bot (the mean of the field is 0) and half of its 95% interval, from sums of points.

    The sums do not say who moved first or which games shared a deal, so there is no first-player advantage and games
    count as independent. Otherwise this is the rating that `arena standings` computes.

    >>> ratings = ratings_of([PairResult("a", "b", 100, 75.0)])
    >>> [f"{bot} {elo:+.0f} ± {error:.0f}" for bot, (elo, error) in ratings.items()]
    ['a +93 ± 39', 'b -93 ± 39']
    """
    played = [result for result in results if result.games]
    if not played:
        return {}
    bots = sorted({bot for result in played for bot in (result.a, result.b)})
    number = {bot: index for index, bot in enumerate(bots)}
    games = np.array([result.games for result in played])
    pairing = np.repeat(np.arange(len(played)), games)
    before = np.arange(len(pairing)) - np.repeat(np.cumsum(games) - games, games)  # games of the same two
    score = np.clip(np.array([result.points for result in played])[pairing] - before, 0.0, 1.0)
    own = np.arange(len(pairing))
    field = GameArrays(
        bots=tuple(bots),
        first=np.array([number[result.a] for result in played])[pairing],
        second=np.array([number[result.b] for result in played])[pairing],
        score=score,
        cluster=own,
        clusters=len(own),
        pair=np.full(len(own), -1),
    )
    rated = rate(field, first_advantage=0.0, disconnected="separate")
    return {
        bot: (elo, error)
        for bot, elo, error in zip(rated.bots, rated.elo.tolist(), rated.error95.tolist())
        if math.isfinite(elo)
    }
