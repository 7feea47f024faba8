"""The table of a run or a league while it is played: drawn in place on a terminal, on stderr.

It is drawn once a second at most, and less often if drawing is slow: it may use one fiftieth of a core.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from arena.results.formats.text import shortened
from arena.results.table import percent
from arena.stats.games import GameArrays
from arena.stats.ratings import rate
from arena.text import one_line, printable_lines
from arena.tournament.runner.progress import PairResult, RunStatus, rate_text, status_text
from arena.tournament.runner.progress import Text as StatusText

if TYPE_CHECKING:
    from arena.league.rating import Standings

EVERY_S = 1.0
SHARE = 0.02
"""The share of a core's time that drawing may take."""
_AROUND = 6  # lines around the rows of bots
_NUMBERS = 46  # columns of the terminal that everything but the names takes


class LiveRow(NamedTuple):
    """A bot in the table; None for what is not known, or not shown."""

    bot: str
    elo: float | None
    error: float | None
    games: int
    score: float | None
    forfeits: int | None = None


class _Drawing:
    """A part of the terminal that is drawn again and again, at its pace."""

    def __init__(self, console: Console | None, transient: bool) -> None:
        self.console = console or Console(stderr=True, highlight=False, markup=False)
        self._transient = transient
        self._live: Live | None = None
        self._is_gone = False
        self._next = 0.0
        self.spent = 0.0
        """Seconds of CPU that drawing has taken."""

    @property
    def is_due(self) -> bool:
        """Whether enough time has passed since it was drawn."""
        return time.monotonic() >= self._next

    def write(self, write: Callable[[], object]) -> None:
        """Write to the terminal unless it has been closed; play goes on without it."""
        try:
            write()
        except (OSError, ValueError):
            self._is_gone, self._live = True, None

    def draw(self, make: Callable[[], RenderableType]) -> None:
        """Draw what `make` returns in place of what is there."""
        if self._is_gone:
            return
        start = time.thread_time()
        self.write(lambda: self._started().update(make(), refresh=True))
        cost = time.thread_time() - start
        self.spent += cost
        self._next = time.monotonic() + max(EVERY_S, cost / SHARE)

    def _started(self) -> Live:
        if self._live is None:
            self._live = Live(
                console=self.console,
                auto_refresh=False,
                transient=self._transient,
                redirect_stdout=False,
                redirect_stderr=False,
            )
            self._live.start()
            self.console.show_cursor(True)  # so that it is there after a kill
        return self._live

    def stop(self) -> None:
        """Leave the terminal to others: with the table, or without it if it is transient."""
        live, self._live = self._live, None
        if live is not None:
            self.write(live.stop)

    def content(
        self, title: str, rows: Sequence[LiveRow], done: int, total: int, figures: str, more: str = ""
    ) -> RenderableType:
        """A title (if not empty), the rows that fit, a bar if there is a `total`, and a line that ends in `more`."""
        width, height = self.console.size
        lines: list[RenderableType] = [Text(shortened(title, width - 1), "bold")] if title else []
        if rows:
            lines += _table(rows, width, max(height - _AROUND, 1))
        if total:
            bar = Table.grid()  # ends the line
            bar.add_row(ProgressBar(total=total, completed=min(max(done, 0), total), width=width - 1))
            lines.append(bar)
        lines.append(Text(shortened(one_line(figures), width - 1 - len(more)) + more))
        return Group(*lines)


def _table(rows: Sequence[LiveRow], width: int, most: int) -> list[RenderableType]:
    with_forfeits = rows[0].forfeits is not None
    table = Table(box=None, padding=(0, 1), pad_edge=False)
    for head in ("#", "bot", "Elo", "±95%", "games", "score%", *(["forfeits"] if with_forfeits else [])):
        table.add_column(head, justify="left" if head == "bot" else "right", no_wrap=True)
    for rank, row in enumerate(rows[:most], start=1):
        cells: list[str | Text] = [
            str(rank),
            Text(shortened(one_line(row.bot), max(width - _NUMBERS, 8))),
            "-" if row.elo is None else f"{row.elo:+z.0f}",
            "-" if row.error is None else f"{row.error:.0f}",
            f"{row.games:,}",
            "-" if row.score is None else percent(row.score),
        ]
        if with_forfeits:
            cells.append(Text(f"{row.forfeits:,}", "bold red" if row.forfeits else ""))
        table.add_row(*cells)
    left = len(rows) - most
    return [table, Text(f"... and {left} more", "dim")] if left > 0 else [table]


class LiveTable:
    """Shows rank, Elo with its error, score and forfeits of each bot of a run, a bar, games a second and the time left.

    `text` replaces the line of figures below the bar. Listens as `tournament.runner.progress.ProgressListener` says.
    """

    def __init__(self, text: StatusText | None = None, console: Console | None = None) -> None:
        self.most = "at most " if text else ""
        self.drawing = _Drawing(console, transient=False)
        self._text = text or status_text
        self._title = ""

    def begin(self, name: str, seed: int, status: RunStatus) -> None:
        """Play begins."""
        self._title = f"{one_line(name)}, seed {seed}"
        self._draw(status)

    def update(self, status: RunStatus) -> None:
        """Games were stored."""
        if self.drawing.is_due:
            self._draw(status)

    def note(self, text: str) -> None:
        """Print a message that stays above the table."""
        self.drawing.write(lambda: self.drawing.console.print(Text(printable_lines(text))))

    def end(self, status: RunStatus, interrupted: bool) -> None:
        """Play has ended."""
        self._draw(status, " - interrupted" if interrupted else "")
        self.drawing.stop()

    def _draw(self, status: RunStatus, more: str = "") -> None:
        self.drawing.draw(
            lambda: self.drawing.content(
                self._title, run_rows(status), status.done, status.total, self._text(status), more
            )
        )


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
    number = {bot: at for at, bot in enumerate(bots)}
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


class LiveLeague:
    """Shows the standings of a league as they were last rated, what is being done, games and games a second.

    `most` games are asked for; None: there is no end, and no bar. The table goes when play ends.
    """

    def __init__(self, most: int | None = None, console: Console | None = None) -> None:
        self.drawing = _Drawing(console, transient=True)
        self._most = most or 0
        self._rows: list[LiveRow] = []
        self._doing = ""
        self._games = 0  # since that began
        self._before = 0  # of those asked for, when it began
        self._begun = time.monotonic()

    def say(self, text: str) -> None:
        """Begin something else."""
        self._before += self._games
        self._doing, self._games, self._begun = text, 0, time.monotonic()
        self._draw()

    def add(self, games: int) -> None:
        """Count games that were stored."""
        self._games += games
        if self.drawing.is_due:
            self._draw()

    def show(self, table: Standings, played: int) -> None:
        """The table was rated again, after so many games."""
        self._rows = [LiveRow(row.version.label, row.elo, row.error, row.games, row.score) for row in table.rows]
        self._before = played - self._games

    def end(self) -> None:
        """Clear the table, so that others can write; it comes back when there is something to show."""
        self.drawing.stop()

    def _draw(self) -> None:
        speed = self._games / max(time.monotonic() - self._begun, 1e-3)
        figures = f": {self._games:,} games, {rate_text(speed)}" if self._games else ""
        text = one_line(self._doing) + figures
        self.drawing.draw(lambda: self.drawing.content("", self._rows, self._before + self._games, self._most, text))
