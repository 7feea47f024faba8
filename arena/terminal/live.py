"""The table of a run while it goes on: drawn in place on a terminal, on stderr; plain lines are the runner's own.

It is drawn once a second at most, and more rarely where drawing takes long: it may use one fiftieth of a core.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from arena.results.formats.fit import shortened
from arena.results.table import percent
from arena.terminal.quick_ratings import QuickRatings
from arena.text import one_line, printable_lines
from arena.tournament.runner.progress import RunStatus, status_text
from arena.tournament.runner.progress import Text as StatusText

EVERY_S = 1.0
SHARE = 0.02
"""The share of a core's time that drawing may take."""
_AROUND = 6  # lines around the rows of bots
_FIGURES = 46  # cells that the other columns take


class LiveTable:
    """Shows rank, Elo with its error, score and forfeits of each bot, a bar, games a second and the time left.

    `text` replaces the line of figures below the bar. Listens as `tournament.runner.progress.ProgressListener` says.
    """

    def __init__(self, text: StatusText | None = None, console: Console | None = None) -> None:
        self.most = "at most " if text else ""
        self._text = text or status_text
        self._console = console or Console(stderr=True, highlight=False, markup=False)
        self._live: Live | None = None
        self._title = ""
        self._ratings = QuickRatings()
        self._next = 0.0
        self.spent = 0.0
        """Seconds of CPU that drawing has taken."""

    def begin(self, name: str, seed: int, status: RunStatus) -> None:
        """Play begins."""
        self._title = f"{one_line(name)}, seed {seed}"
        self._live = Live(console=self._console, auto_refresh=False, redirect_stdout=False, redirect_stderr=False)
        self._live.start()
        self._console.show_cursor(True)  # whoever kills the run keeps it
        self._draw(status)

    def update(self, status: RunStatus) -> None:
        """Games were stored."""
        if time.monotonic() >= self._next:
            self._draw(status)

    def note(self, text: str) -> None:
        """Something to know, which stays above the table."""
        self._write(lambda: self._console.print(Text(printable_lines(text))))

    def end(self, status: RunStatus, interrupted: bool) -> None:
        """Play has ended."""
        self._draw(status, " - interrupted" if interrupted else "")
        live, self._live = self._live, None
        if live is not None:
            self._write(live.stop)

    def _write(self, write: Callable[[], object]) -> None:
        """Write, unless whoever was watching has gone; the run goes on."""
        try:
            write()
        except (OSError, ValueError):
            self._live = None

    def _draw(self, status: RunStatus, more: str = "") -> None:
        live = self._live
        if live is None:
            return
        start = time.thread_time()
        self._write(lambda: live.update(self.table(status, more), refresh=True))
        cost = time.thread_time() - start
        self.spent += cost
        self._next = time.monotonic() + max(EVERY_S, cost / SHARE)

    def table(self, status: RunStatus, more: str = "") -> RenderableType:
        """What is drawn now."""
        width, height = self._console.size
        shares = {one.bot: one for one in status.shares()}
        ratings = self._ratings.rate(tuple(shares), status.results())
        forfeits = status.forfeits()
        order = sorted(shares, key=lambda bot: (-ratings[bot][0], bot))
        shown = order[: max(height - _AROUND, 1)]
        table = Table(box=None, padding=(0, 1), pad_edge=False)
        for head in ("#", "bot", "Elo", "±95%", "games", "score%", "forfeits"):
            table.add_column(head, justify="left" if head == "bot" else "right", no_wrap=True)
        for rank, bot in enumerate(shown, start=1):
            elo, error = ratings[bot]
            one, lost = shares[bot], forfeits.get(bot, 0)
            table.add_row(
                str(rank),
                Text(shortened(one_line(bot), max(width - _FIGURES, 8))),
                f"{elo:+z.0f}" if one.games else "-",
                f"{error:.0f}" if one.games else "-",
                f"{one.games:,}",
                percent(one.share) if one.games else "-",
                Text(f"{lost:,}", "bold red" if lost else ""),
            )
        lines: list[RenderableType] = [Text(shortened(self._title, width - 1), "bold"), table]
        if len(shown) < len(order):
            lines.append(Text(f"... and {len(order) - len(shown)} more", "dim"))
        if status.total:
            bar = Table.grid()  # which ends the line
            bar.add_row(ProgressBar(total=status.total, completed=min(status.done, status.total), width=width - 1))
            lines.append(bar)
        lines.append(Text(shortened(one_line(self._text(status)), width - 1 - len(more)) + more))
        return Group(*lines)
