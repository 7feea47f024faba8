"""How long a bot may take to start, counted over all of its processes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from arena.bots.bot import BotFault


class StartBudget:
    """How long a bot may take to be ready in a new process, again and again.

    That is `loading_s`, unless the last process ended because of what the bot did. Otherwise a bot could be
    restarted before each game, off the clock; so a restart draws on an account, which holds `loading_s` at first and
    at most, and to which each game adds the longest time of a decision. As long as the account holds less than the
    first start took, the bot forfeits its games at once.
    """

    def __init__(self, loading_s: float) -> None:
        self._most_s = self._left_s = loading_s
        self._game_s = 0.0
        self._first_s: float | None = None
        self._spent_s = 0.0
        self._blamed = False

    def decision_time(self, seconds: float) -> None:
        """The longest time of a decision in the games that follow."""
        self._game_s = seconds

    def new_game(self) -> None:
        """Another game is to be played."""
        self._left_s = min(self._left_s + self._game_s, self._most_s)

    def blame(self) -> None:
        """The process ends because of what the bot did."""
        self._blamed = True

    def begin(self) -> None:
        """A process is to be started. Raises `BotFault` if there is no time left for that."""
        self._spent_s = 0.0
        if self._blamed and self._left_s < (self._first_s or 0.0):
            text = f"that takes {self._first_s:.3g} s, and {self._left_s:.3g} s are left for it"
            raise BotFault("timeout", f"its process had to be started again too often: {text}")

    @contextmanager
    def phase(self) -> Iterator[float]:
        """A phase of the start; gives its deadline, a time of `time.monotonic`."""
        start, blamed = time.monotonic(), self._blamed
        try:
            yield start + (self._left_s if blamed else self._most_s)
        finally:
            passed = time.monotonic() - start
            self._spent_s += passed
            if blamed:
                self._left_s = max(self._left_s - passed, 0.0)

    def ready(self) -> None:
        """The bot is ready."""
        self._blamed = False
        if self._first_s is None:
            self._first_s = self._spent_s
