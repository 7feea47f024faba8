"""How fast a bot is and how much memory it takes, from its games and its process."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from arena.bots.processes.procfs import children, process_name, status_mb, threads
from arena.league.check.report import Memory, Speed
from arena.league.check.sessions import AGAINST, ITSELF, CheckSession
from arena.tournament.match.results import GameResult, merge_times, time_quantile


def speed(games: Iterable[GameResult]) -> Speed | None:
    """Times of all decisions of the bot (in games against itself: of both); None if none was timed."""
    times: list[bytes] = []
    decisions = played = 0
    ms = longest_ms = all_ms = 0.0
    for game in games:
        for seat in (0, 1) if game.id.pairing == ITSELF else (game.id.game,):
            times.append(game.times[seat])
            decisions += game.decisions[seat]
            ms += game.ms[seat]
            longest_ms = max(longest_ms, game.max_ms[seat])
        if game.id.pairing == AGAINST:
            played += 1
            all_ms += game.duration_ms
    counts = merge_times(times)
    if not decisions or not sum(counts):
        return None
    p50, p90, p99 = (time_quantile(counts, share) for share in (0.5, 0.9, 0.99))
    return Speed(
        decisions=decisions,
        decisions_s=decisions * 1e3 / ms if ms else 0.0,
        p50_ms=min(p50, longest_ms),
        p90_ms=min(p90, longest_ms),
        p99_ms=min(p99, longest_ms),
        max_ms=longest_ms,
        games_s=played * 1e3 / all_ms if all_ms else 0.0,
    )


class MemoryMeter:
    """Measures the process of a bot after each unit of games."""

    def __init__(self, session: CheckSession) -> None:
        self._session = session
        self._pid: int | None = None
        self._sizes: list[float] = []
        self._peak = 0.0
        self._games = 0
        self.threads = 0

    def measure(self, games: int) -> None:
        """After `games` more games."""
        pid = self._session.pid
        if pid is None:
            return
        if self._pid is None or not self._sizes:
            self._pid = innermost(pid)
        now, peak = status_mb(self._pid, "VmRSS"), status_mb(self._pid, "VmHWM")
        if now is None or peak is None:
            return
        self._games += games
        self._sizes.append(now)
        self._peak = max(self._peak, peak)
        self.threads = threads(self._pid)

    def memory(self) -> Memory | None:
        """The most, and the growth in each game after the first third of them."""
        if not self._sizes:
            return None
        per_unit = self._games / len(self._sizes)
        return Memory(round(self._peak, 1), round(growth(self._sizes) / per_unit, 4), self._games)


def innermost(pid: int) -> int:
    """The bot's own process, if `pid` is the sandbox around it: the last of a line of only children."""
    while process_name(pid) == "bwrap" and len(below := children(pid)) == 1:
        pid = below[0]
    return pid


def growth(sizes: Sequence[float]) -> float:
    """By how much a process grows from one measurement to the next, once it has warmed up: the least of two slopes.

    >>> growth([30, 31, 31, 31, 31, 31, 31, 31, 31]), growth([30, 31, 32, 33, 34, 35, 36, 37, 38])
    (0.0, 1.0)
    """
    late = sizes[len(sizes) // 3 :]
    if len(late) < 4:
        return 0.0
    middle = len(late) // 2
    slopes = ((late[middle] - late[0]) / middle, (late[-1] - late[middle]) / (len(late) - 1 - middle))
    return max(min(slopes), 0.0)
