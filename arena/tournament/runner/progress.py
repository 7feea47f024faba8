"""The progress of a run: one line that is rewritten on a terminal, plain lines elsewhere.

All of it goes to stderr, so that stdout holds results only.
"""

from __future__ import annotations

import shutil
import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TextIO, TypeAlias

from arena.text import half_up, one_line, printable_lines
from arena.tournament.formats.schedule import Schedule
from arena.tournament.games import ScheduleProgress
from arena.tournament.runner.job import Played

_RATE_S = 10.0
_QUIET_S = 2.0  # without a game: then people are told that there is life


@dataclass(frozen=True)
class BotShare:
    """A bot so far: games played and its share of the points in them (a draw is half a point)."""

    bot: str
    games: int
    share: float


class PairResult(NamedTuple):
    """The games of two bots so far, and the points of the first of them (a draw is half a point)."""

    a: str
    b: str
    games: int
    points: float


@dataclass(frozen=True)
class RunStatus:
    """Where a run stands. `total` is what is planned by now; formats played in rounds may add to it.

    `rate` is in games per second over the last seconds, 0 while it is unknown; then `seconds_left` is None.
    `shares` computes how the bots do so far, best first; call it only if that is shown. `quiet_s` are the seconds since
    the last game came back, or since play began; `moves` counts those made by now in the games in hand. `results` are
    those of all pairings, `forfeits` counts the games that each bot forfeited.
    """

    done: int
    total: int
    rate: float
    seconds_left: float | None
    shares: Callable[[], Sequence[BotShare]]
    quiet_s: float = 0.0
    moves: Callable[[], int] = int
    results: Callable[[], Sequence[PairResult]] = tuple
    forfeits: Callable[[], Mapping[str, int]] = dict


class ProgressListener(Protocol):
    """What a run reports to. All calls come from the thread that called `run_tournament`."""

    def begin(self, name: str, seed: int, status: RunStatus) -> None:
        """Play begins; `status.done` games were stored before."""

    def update(self, status: RunStatus) -> None:
        """Games were stored. Called often: the listener chooses how much of it to show."""

    def note(self, text: str) -> None:
        """Something a person should know, such as a worker that died."""

    def end(self, status: RunStatus, interrupted: bool) -> None:
        """Play has ended."""


class NoProgress:
    """Listens and shows nothing."""

    def begin(self, name: str, seed: int, status: RunStatus) -> None: ...
    def update(self, status: RunStatus) -> None: ...
    def note(self, text: str) -> None: ...
    def end(self, status: RunStatus, interrupted: bool) -> None: ...


def duration(seconds: float) -> str:
    """A time for people.

    >>> duration(0.4), duration(75), duration(3 * 3600 + 60)
    ('0 s', '1:15', '3:01:00')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def rate_text(rate: float) -> str:
    """
    >>> rate_text(1234.5), rate_text(0.25)
    ('1,234 games/s', '0.25 games/s')
    """
    return f"{rate:,.0f} games/s" if rate >= 10 else f"{rate:.2g} games/s"


def status_text(status: RunStatus) -> str:
    """Games, percentage, speed and time left, without the bots.

    >>> status_text(RunStatus(250, 1000, 250.0, 3.0, lambda: []))
    '250 of 1,000 games (25%), 250 games/s, 3 s left'
    >>> status_text(RunStatus(0, 2, 0.0, None, lambda: [], quiet_s=75, moves=lambda: 31))
    '0 of 2 games (0%), games in play for 1:15, 31 moves made'
    """
    share = f" ({status.done * 100 // status.total}%)" if status.total else ""
    text = f"{status.done:,} of {status.total:,} games{share}"
    if status.rate > 0:
        text += f", {rate_text(status.rate)}"
    if status.seconds_left is not None and status.done < status.total:
        text += f", {duration(status.seconds_left)} left"
    if status.quiet_s >= _QUIET_S and status.done < status.total:
        moves = status.moves()
        text += f", games in play for {duration(status.quiet_s)}" + (f", {moves:,} moves made" if moves else "")
    return text


def shares_text(shares: Sequence[BotShare], most: int = 3) -> str:
    """The first few bots with their share of the points.

    >>> shares_text([BotShare("greedy", 10, 0.9), BotShare("random", 10, 0.1)], most=1)
    'greedy 90.0%, ...'
    """
    played = [share for share in shares if share.games]
    shown = [f"{one_line(share.bot)} {100 * half_up(share.share, 3):.1f}%" for share in played[:most]]
    return ", ".join(shown + ["..."] * (len(played) > most))


Text: TypeAlias = Callable[[RunStatus], str]


class _Paced:
    """What both kinds share: a stream, and how often to write to it."""

    every = 5.0

    def __init__(self, stream: TextIO | None = None, every: float | None = None, text: Text | None = None) -> None:
        self.stream = sys.stderr if stream is None else stream
        self.every = self.every if every is None else every
        self.text = text or _with_shares
        self.most = "at most " if text else ""  # a run with figures of its own ends when they are clear
        self._next = 0.0

    def _due(self) -> bool:
        now = time.monotonic()
        if now < self._next:
            return False
        self._next = now + self.every
        return True

    def _write(self, text: str) -> None:
        try:
            self.stream.write(text)
            self.stream.flush()
        except (OSError, ValueError):  # nobody is watching any more; the run goes on
            self._write = lambda text: None  # type: ignore[method-assign]


class LineProgress(_Paced):
    """Plain lines, one every few seconds: for files, pipes and CI."""

    def begin(self, name: str, seed: int, status: RunStatus) -> None:
        before = f", {status.done:,} of them played before" if status.done else ""
        self._write(f"{one_line(name)}: {self.most}{status.total:,} games{before}, seed {seed}\n")
        self._next = time.monotonic() + self.every

    def update(self, status: RunStatus) -> None:
        if self._due():
            self._write(f"{self.text(status)}\n")

    def note(self, text: str) -> None:
        self._write(f"{printable_lines(text)}\n")

    def end(self, status: RunStatus, interrupted: bool) -> None:
        self._write(f"{self.text(status)}{' - interrupted' if interrupted else ''}\n")


class TerminalProgress(_Paced):
    """One line of a terminal, rewritten several times a second."""

    every = 0.1

    def begin(self, name: str, seed: int, status: RunStatus) -> None:
        self._write(f"{one_line(name)}, seed {seed}\n")
        self._show(status)

    def update(self, status: RunStatus) -> None:
        if self._due():
            self._show(status)

    def note(self, text: str) -> None:
        self._write(f"\r\x1b[K{printable_lines(text)}\n")

    def end(self, status: RunStatus, interrupted: bool) -> None:
        self._show(status)
        self._write(f"{' - interrupted' if interrupted else ''}\n")

    def _show(self, status: RunStatus) -> None:
        width = shutil.get_terminal_size().columns - 1
        text = one_line(self.text(status))
        # a line that wraps could not be rewritten
        self._write(f"\r\x1b[K{text if len(text) <= width else text[: max(width - 1, 0)] + '…'}")


def _with_shares(status: RunStatus) -> str:
    shares = shares_text(status.shares())
    return status_text(status) + (f"  |  {shares}" if shares else "")


def progress_for(stream: TextIO | None = None, text: Text | None = None) -> LineProgress | TerminalProgress:
    """The display that suits the stream (default stderr). `text` replaces the usual text of a line."""
    stream = sys.stderr if stream is None else stream
    return TerminalProgress(stream, text=text) if stream.isatty() else LineProgress(stream, text=text)


# ---------------------------------------------------------------- what is shown


class GameRate:
    """Games per second over the last seconds."""

    def __init__(self) -> None:
        self._recent: deque[tuple[float, int]] = deque([(time.monotonic(), 0)])

    def add(self, games: int) -> None:
        """Note that so many have been played in all by now."""
        now = time.monotonic()
        self._recent.append((now, games))
        while len(self._recent) > 2 and now - self._recent[0][0] > _RATE_S:
            self._recent.popleft()

    def per_second(self, games: int) -> float:
        """The rate if that many have been played in all; 0 while nothing is known."""
        since, before = self._recent[0]
        seconds = time.monotonic() - since
        return (games - before) / seconds if games > before and seconds > 0 else 0.0


class RunningScores:
    """How the bots do so far, for display; kept up without reading the store, but for forfeits of earlier games."""

    def __init__(self, schedule: Schedule, done: ScheduleProgress, stored: Callable[[], Counter[str]]) -> None:
        self._pairs: dict[tuple[str, str], list[float]] = {}
        self._bots = tuple(schedule.bots)
        self._stored = stored
        self._forfeits: Counter[str] | None = None if done.games else Counter()
        for pairing in schedule.pairings(done):
            score = done.score(pairing.number)
            self._enter(pairing.a, pairing.b, score.games, score.wins + score.draws / 2)

    def _enter(self, a: str, b: str, games: int, points: float) -> None:
        sums = self._pairs.setdefault((a, b), [0, 0.0])
        sums[0] += games
        sums[1] += points

    def add(self, played: Played) -> None:
        """Count what was delivered, and is stored."""
        for pairing, (games, wins, draws, _, by_a, by_b) in played.scores.items():
            a, b = next((task.a, task.b) for task in played.chunk.tasks if task.pairing == pairing)
            self._enter(a, b, games, wins + draws / 2)
            if self._forfeits is not None:
                self._forfeits += Counter({a: by_a, b: by_b})

    def results(self) -> list[PairResult]:
        """Of all pairings that were played."""
        return [PairResult(a, b, int(games), points) for (a, b), (games, points) in self._pairs.items() if games]

    def forfeits(self) -> Counter[str]:
        """Forfeited games of each bot."""
        if self._forfeits is None:
            self._forfeits = self._stored()
        return self._forfeits

    def shares(self) -> list[BotShare]:
        """Best share of the points first."""
        sums = {bot: [0.0, 0.0] for bot in self._bots}
        for pair in self.results():
            for bot, points in ((pair.a, pair.points), (pair.b, pair.games - pair.points)):
                sums[bot][0] += pair.games
                sums[bot][1] += points
        shares = [BotShare(bot, int(games), points / games if games else 0.0) for bot, (games, points) in sums.items()]
        return sorted(shares, key=lambda pair: -pair.share)
