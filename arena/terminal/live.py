"""The progress of whatever plays games: a live table on a terminal, plain lines elsewhere.

All of it goes to stderr, so that stdout holds results only. rich is imported only where it draws: commands in a pipe
need not wait for it.
"""

from __future__ import annotations

import math
import os
import sys
import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, TextIO, TypeAlias

import numpy as np

from arena.results.table import percent, side_text
from arena.stats.frames import GameArrays
from arena.stats.ratings import Difference, rate
from arena.text import half_up, one_line, printable_lines
from arena.tournament.runner.progress import PairResult, ProgressListener, RunStatus

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

StatusText: TypeAlias = Callable[[RunStatus], str]

EVERY_S, LINE_EVERY_S = 1.0, 5.0
"""The least time between two drawings of the table, and between two lines."""
SHARE = 0.02
"""The share of a core's time that drawing may take."""
_QUIET_S = 2.0  # without a game: from then on the moves show that something happens
_AROUND = 6  # lines around the rows of bots


def progress_for(text: StatusText | None = None) -> ProgressListener:
    """Return the display for stderr: a live table if it is a terminal, else lines. `text` replaces the figures."""
    return LiveProgress(text) if is_drawable(sys.stderr) else LineProgress(text)


def is_drawable(*streams: TextIO) -> bool:
    """Return whether the streams are a terminal that can be drawn on."""
    is_terminal = os.environ.get("TERM", "") not in ("", "dumb", "unknown")
    return is_terminal and all(not stream.closed and stream.isatty() for stream in streams)


class LineProgress(ProgressListener):
    """Prints plain lines, one every few seconds: for files, pipes and CI."""

    def __init__(self, text: StatusText | None = None, stream: TextIO | None = None) -> None:
        self._text = text or _with_shares
        self._stream = sys.stderr if stream is None else stream
        self._next, self._said = 0.0, -1  # games of the last line

    def begin(self, name: str, seed: int, status: RunStatus) -> None:
        """Print what will be played."""
        most = "at most " if status.at_most else ""
        before = f", {status.done:,} of them played before" if status.done else ""
        self.note(f"{one_line(name)}: {most}{status.total:,} games{before}, seed {seed}")
        self._next = time.monotonic() + LINE_EVERY_S

    def update(self, status: RunStatus) -> None:
        """Print the figures if the last line is old enough."""
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + LINE_EVERY_S
            self._said = status.done
            self.note(self._text(status))

    def note(self, text: str) -> None:
        """Print a message; nothing if nobody can read it any more."""
        try:
            print(printable_lines(text), file=self._stream, flush=True)
        except (OSError, ValueError):
            self._next = math.inf

    def end(self, status: RunStatus, interrupted: bool) -> None:
        """Print the last figures, unless the last line has them."""
        if interrupted or status.done != self._said:
            self.note(self._text(status) + " - interrupted" * interrupted)


class LiveProgress(ProgressListener):
    """Draws the rows of the bots, a bar, the rate and the time left: once a second, or less often if that is slow."""

    def __init__(self, text: StatusText | None = None, console: Console | None = None) -> None:
        from rich.console import Console
        from rich.live import Live

        self._text = text or figures
        self._console = console or Console(stderr=True, highlight=False, markup=False)
        self._live = Live(console=self._console, auto_refresh=False, redirect_stdout=False, redirect_stderr=False)
        self._title = ""
        self._is_gone = False
        self._next = 0.0

    def begin(self, name: str, seed: int, status: RunStatus) -> None:
        """Draw the table for the first time."""
        self._title = f"{one_line(name)}, seed {seed}"
        self._draw(status)

    def update(self, status: RunStatus) -> None:
        """Draw the table if it is time to."""
        if time.monotonic() >= self._next:
            self._draw(status)

    def note(self, text: str) -> None:
        """Print a message that stays above the table."""
        from rich.text import Text

        self._write(lambda: self._console.print(Text(printable_lines(text))))

    def end(self, status: RunStatus, interrupted: bool) -> None:
        """Draw the table for the last time and leave the terminal to others."""
        self._draw(status, " - interrupted" * interrupted)
        self._write(self._live.stop)

    def _write(self, write: Callable[[], object]) -> None:
        """Write to the terminal unless it has been closed; play continues without it."""
        if self._is_gone:
            return
        try:
            write()
        except (OSError, ValueError):
            self._is_gone = True

    def _draw(self, status: RunStatus, more: str = "") -> None:
        start = time.thread_time()
        self._write(lambda: self._show(self._content(status, more)))
        self._next = time.monotonic() + max(EVERY_S, (time.thread_time() - start) / SHARE)

    def _show(self, content: RenderableType) -> None:
        if not self._live.is_started:
            self._live.start()
            self._console.show_cursor(True)  # so that it is there after a kill
        self._live.update(content, refresh=True)

    def _content(self, status: RunStatus, more: str) -> RenderableType:
        """Return a title, the rows that fit, a bar, and a line of figures that ends in `more`."""
        from rich.console import Group
        from rich.padding import Padding
        from rich.progress_bar import ProgressBar
        from rich.text import Text

        lines: list[RenderableType] = []
        if self._title:
            lines.append(Text(self._title, "bold", no_wrap=True, overflow="ellipsis"))
        if status.bots:
            lines += _table(status, max(self._console.height - _AROUND, 1))
        if status.total:
            lines.append(Padding(ProgressBar(status.total, status.done), 0))  # which ends the line
        lines.append(Text(one_line(self._text(status)) + more, no_wrap=True, overflow="ellipsis"))
        return Group(*lines)


# ---------------------------------------------------------------- in words


def figures(status: RunStatus) -> str:
    """Return games, percentage, rate and time left, in a line without the bots.

    >>> figures(RunStatus(250, 1000, 250.0, 3.0))
    '250 of 1,000 games (25%), 250 games/s, 0:00:03 left'
    >>> figures(RunStatus(0, 2, quiet_s=75, waits=lambda: [("slow", "greedy", 71.0)]))
    '0 of 2 games (0%), waiting for slow against greedy for 0:01:11'
    """
    share = f" ({status.done * 100 // status.total}%)" if status.total else ""
    text = f"{status.done:,} of {status.total:,} games{share}"
    if status.rate > 0:
        text += f", {rate_text(status.rate)}"
    if status.seconds_left is not None and status.done < status.total:
        text += f", {timedelta(seconds=round(status.seconds_left))} left"
    if status.done < status.total:
        text += _waits(status)
    return text


def _waits(status: RunStatus) -> str:
    """Return whose answer is being waited for, or how long games have been in play."""
    for bot, other, seconds in status.waits():  # the longest first
        if seconds >= _QUIET_S:
            return f", waiting for {one_line(bot)} against {one_line(other)} for {timedelta(seconds=round(seconds))}"
    if status.quiet_s >= _QUIET_S:
        return f", games in play for {timedelta(seconds=round(status.quiet_s))}"
    return ""


def rate_text(rate: float) -> str:
    """Format a rate.

    >>> rate_text(1234.5), rate_text(0.25)
    ('1,234 games/s', '0.25 games/s')
    """
    return f"{rate:,.0f} games/s" if rate >= 10 else f"{rate:.2g} games/s"


def _with_shares(status: RunStatus) -> str:
    """Return the figures and the first three bots with their shares of the points.

    >>> _with_shares(RunStatus(10, 10, results=lambda: [PairResult("random", "greedy", 10, 1.0)]))
    '10 of 10 games (100%)  |  greedy 90.0%, random 10.0%'
    """
    ranked = sorted(_scores(status).items(), key=lambda item: -item[1][1] / item[1][0])
    shown = [f"{one_line(bot)} {100 * half_up(points / games, 3):.1f}%" for bot, (games, points) in ranked[:3]]
    shares = ("  |  " if shown else "") + ", ".join(shown + ["..."] * (len(ranked) > 3))
    return figures(status) + shares + forfeits_so_far(status)


def forfeits_so_far(status: RunStatus) -> str:
    """Return the end of a line of figures: the games that the first three bots forfeited; "" for none.

    >>> forfeits_so_far(RunStatus(10, 10, forfeits=lambda: {"bad": 2, "worse": 5, "good": 0}))
    '  |  forfeits: worse 5, bad 2'
    """
    lost = sorted(((games, bot) for bot, games in status.forfeits().items() if games), reverse=True)
    shown = [f"{one_line(bot)} {games:,}" for games, bot in lost[:3]]
    return f"  |  forfeits: {', '.join(shown + ['...'] * (len(lost) > 3))}" if lost else ""


# ---------------------------------------------------------------- the table


def _table(status: RunStatus, most: int) -> list[RenderableType]:
    """Return the bots, best first as their games so far rate them, in at most `most` rows."""
    from rich.table import Table
    from rich.text import Text

    played, ratings, forfeits = _scores(status), ratings_of(status.results()), status.forfeits()
    table = Table(box=None, padding=(0, 1), pad_edge=False)
    table.add_column("#", justify="right", no_wrap=True)
    table.add_column("bot", min_width=8)
    for head in ("Elo", "+", "-", "games", "score%", *(["forfeits"] if forfeits else [])):
        table.add_column(head, justify="right", no_wrap=True)
    unrated = Difference(-math.inf, math.nan, math.nan)
    ranked = sorted(status.bots, key=lambda bot: (-ratings.get(bot, unrated)[0], bot))
    for rank, bot in enumerate(ranked[:most], start=1):
        elo, minus, plus = ratings.get(bot, unrated)
        games, points = played.get(bot, (0, 0.0))
        lost = forfeits.get(bot, 0)
        table.add_row(
            str(rank),
            Text(one_line(bot), no_wrap=True, overflow="ellipsis"),
            f"{elo:+z.0f}" if bot in ratings else "-",
            side_text(plus),
            side_text(minus),
            f"{games:,}",
            percent(points / games) if games else "-",
            *([Text(f"{lost:,}", "bold red" if lost else "")] if forfeits else []),
        )
    left = len(ranked) - most
    return [table, Text(f"... and {left} more", "dim")] if left > 0 else [table]


def _scores(status: RunStatus) -> dict[str, tuple[int, float]]:
    """Return games and points of each bot that has played."""
    sums: dict[str, tuple[int, float]] = {}
    for pair in status.results():
        for bot, points in ((pair.a, pair.points), (pair.b, pair.games - pair.points)):
            games, before = sums.get(bot, (0, 0.0))
            sums[bot] = (games + pair.games, before + points)
    return sums


def ratings_of(results: Sequence[PairResult]) -> dict[str, Difference]:
    """Return the rating of each bot, relative to the field's average, with its 95% interval, from sums of points.

    The sums do not say who moved first or which games shared a deal, so there is no first-player advantage and games
    count as independent. Otherwise this is the rating that `arena standings` computes.

    >>> ratings = ratings_of([PairResult("a", "b", 100, 75.0)])
    >>> [f"{bot} {elo:+.0f} (+{plus:.0f} -{minus:.0f})" for bot, (elo, minus, plus) in ratings.items()]
    ['a +94 (+42 -38)', 'b -94 (+38 -42)']
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
    rated = rate(field, first_advantage=0.0)
    figures = zip(rated.elo.tolist(), rated.minus.tolist(), rated.plus.tolist())
    return {bot: Difference(*its) for bot, its in zip(rated.bots, figures)}
