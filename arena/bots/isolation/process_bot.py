"""What Python bots and wire bots in processes have in common: deadlines, output, a pool of processes."""

from __future__ import annotations

import re
import time
from collections import OrderedDict
from collections.abc import Callable

from arena.bots.bot import RemoteBot, TimeLeft
from arena.bots.isolation.levels import Launch
from arena.bots.isolation.process import BotProcess
from arena.bots.output import MARK, BotOutput, place_text
from arena.bots.spec import BotSpec

GRACE_S = 1.0
"""With a clock the referee judges, exactly; the process gets this much longer before it is ended."""
_LAST_LINES = 6
_LINE_LENGTH = 300


class ProcessBot(RemoteBot):
    """The stand-in for a bot in a process at one of the levels of `arena.bots.isolation.levels`. Starts nothing yet."""

    def __init__(
        self, spec: BotSpec, launch: Launch, pool: ProcessPool | None, start: Callable[[Launch], BotProcess]
    ) -> None:
        self.name = spec.name
        self._launch = launch
        self._limits = launch.limits
        self._pool = pool
        self._start_process = start
        self.process: BotProcess | None = None
        """None if no process runs."""
        self._games = 0
        self._game: object = None  # that is played, for the log
        self._place = ""
        self._output = BotOutput(lambda: (spec.name, self._games), where=lambda: self._place)

    def suspend(self) -> None:
        """Stop its threads while others play on the same core."""
        if self.process is not None:
            self.process.suspend()

    def log_output(self) -> None:
        """Log what the bot has written so far."""
        self._read_stderr()
        self._output.end_lines()

    # ---- for the two kinds of bots -------------------------------------------------------------------------

    def _next_game(self) -> BotProcess | None:
        """Count a game; return the process of the last one, if it is still there."""
        if self._pool is not None:
            self._pool.use(self)
        self._games += 1
        process = self.process
        if process is not None:
            self._read_stderr()
            process.new_game()
        return process

    def _is_worn_out(self, process: BotProcess) -> bool:
        """Return whether it has used so much of its processor time that it should be replaced between two games."""
        return process.cpu_seconds() > self._limits.cpu_s / 2

    def _deadline(self, clock: TimeLeft | None) -> float:
        """Return the time of `time.monotonic` at which an answer is late."""
        return time.monotonic() + (self._limits.decision_s if clock is None else clock.total_ms / 1000 + GRACE_S)

    def _loading_deadline(self) -> float:
        """Return the time of `time.monotonic` at which a phase of the start is late."""
        return time.monotonic() + self._limits.loading_s

    def _rest(self, clock: TimeLeft | None) -> None:
        """Keep the bot from thinking on its opponent's time, if there is a clock; call after an answer."""
        if clock is not None and self.process is not None:
            self.process.rest()

    def _read_stderr(self) -> str:
        """Log what the process has written to stderr; return that text."""
        text = self.process.read_stderr() if self.process is not None else ""
        for line in text.removesuffix("\n").split("\n") if text else ():
            self._place = self._place_of(MARK.match(line))
            self._output.write(MARK.sub("", line) + "\n")
        return MARK.sub("", text)

    def plays(self, game: object) -> None:
        """Note which game is played from now on, for the log."""
        self._game = game

    def _place_of(self, mark: re.Match[str] | None) -> str:
        """Say where a line was written; a bot's process is believed, because it concerns its own log only."""
        if self._game is None:
            return ""
        return f"game {self._game}" if mark is None else place_text(str(self._game), *map(int, mark.groups()))


def last_lines(text: str) -> str:
    """Return the end of what a bot has written, to be shown below a message for its author.

    >>> last_lines("one\\ntwo\\n")
    '\\n  one\\n  two'
    """
    return "".join(f"\n  {line[:_LINE_LENGTH]}" for line in text.strip().splitlines()[-_LAST_LINES:])


def clock_text(clock: TimeLeft | None) -> str:
    """Say what time a decision had, for the message of a timeout; a process gets a second more than that.

    >>> clock_text(TimeLeft(200, None)), clock_text(None)
    (', more than the 200 ms of its clock', '')
    """
    return "" if clock is None else f", more than the {clock.total_ms:,.0f} ms of its clock"


class ProcessPool:
    """Bounds the number of running processes: the bots that have not played for longest lose theirs."""

    def __init__(self, most: int = 32) -> None:
        self.most = most
        self._bots: OrderedDict[int, RemoteBot] = OrderedDict()

    def use(self, bot: RemoteBot) -> None:
        """Note that a bot plays now; end the process of the bot that has not played for longest."""
        self._bots[id(bot)] = bot
        self._bots.move_to_end(id(bot))
        while len(self._bots) > self.most:
            _, oldest = self._bots.popitem(last=False)
            oldest.close()

    def log_output(self) -> None:
        """Log what the bots have written: they may be ended at any time now."""
        for bot in self._bots.values():
            bot.log_output()
