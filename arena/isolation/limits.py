"""What a bot's process may use."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from arena.players.bot import BotFault, TimeLeft

MIB = 1 << 20


@dataclass(frozen=True)
class BotLimits:
    """Bounds of one bot's process, at the levels `process` and `sandbox`.

    `decision_s`: an answer that takes longer is a timeout, where no clock says otherwise. `loading_s`: the same
    for running the bot's file and making the bot. `memory_mb`: its data, beyond which allocations fail.
    `file_mb`: the largest file it may write, and in the sandbox the size of its temporary folder. `files`: open
    descriptors. `processes`: processes and threads together (not counted by the system for root). `cpu_s`:
    processor time of one process in all; it is replaced between two games long before that.
    """

    decision_s: float = 60.0
    loading_s: float = 60.0
    memory_mb: int = 1024
    file_mb: int = 16
    files: int = 256
    processes: int = 64
    cpu_s: int = 3600


class Starting:
    """How long a bot may take to be ready in a new process, again and again.

    That is `loading_s`, unless the last process has ended through what the bot did. Then the time is taken from an
    account, or a bot could be started before each game, off the clock: it holds `loading_s` at first and at most, and
    each game adds the longest time of a decision. As long as the account holds less than the first start has taken,
    the bot forfeits its games at once.
    """

    def __init__(self, loading_s: float) -> None:
        self._most_s = self._left_s = loading_s
        self._game_s = 0.0
        self._first_s: float | None = None
        self._spent_s = 0.0
        self._blamed = False

    def decisions(self, seconds: float) -> None:
        """So long may a decision take in the games that are played."""
        self._game_s = seconds

    def game(self) -> None:
        """Another game is to be played."""
        self._left_s = min(self._left_s + self._game_s, self._most_s)

    def blame(self) -> None:
        """The process ends through what the bot did."""
        self._blamed = True

    def new(self) -> None:
        """A process is to be started. Raises `BotFault` if there is no time left for that."""
        self._spent_s = 0.0
        if self._blamed and self._left_s < (self._first_s or 0.0):
            text = f"that takes {self._first_s:.3g} s, and {self._left_s:.3g} s are left for it"
            raise BotFault("timeout", f"its process had to be started again too often: {text}")

    @contextmanager
    def part(self) -> Iterator[float]:
        """A part of the start; gives its deadline, a time of `time.monotonic`."""
        start, blamed = time.monotonic(), self._blamed
        try:
            yield start + (self._left_s if blamed else self._most_s)
        finally:
            passed = time.monotonic() - start
            self._spent_s += passed
            if blamed:
                self._left_s = max(self._left_s - passed, 0.0)

    def done(self) -> None:
        """The bot is ready."""
        self._blamed = False
        if self._first_s is None:
            self._first_s = self._spent_s


def of_clock(clock: TimeLeft | None) -> str:
    """What a decision was allowed, behind the words of a timeout; a process is given a second more than that.

    >>> of_clock(TimeLeft(200, None)), of_clock(None)
    (', more than the 200 ms of its clock', '')
    """
    return "" if clock is None else f", more than the {clock.total_ms:,.0f} ms of its clock"
