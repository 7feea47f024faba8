"""Where the output of bots goes: to the log, never to the terminal."""

from __future__ import annotations

import io
import logging
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from arena.text import printable

_log = logging.getLogger("arena.bots")

#: Characters of output that are kept: of one bot in one game, and of one bot in one process.
PER_GAME = 10_000
PER_PROCESS = 2_000_000
_LINE = 2_000
PRINTED = " (game "  # stands in each line that a bot printed in a game


class BotOutput(io.TextIOWrapper):
    """A text stream that logs each line with the name of the bot that wrote it (logger `arena.bots`) and its game.

    `who` returns the bot that writes now and the game as the log names it ("" outside of games). The first
    `PER_GAME` characters that a bot writes in each game are kept, and `PER_PROCESS` in all; a note says where output
    was dropped.
    """

    mode = "w"

    def __init__(self, who: Callable[[], tuple[str, str]]) -> None:
        super().__init__(_Bytes(self), "utf-8", "replace", write_through=True)
        self.who = who
        self._game: dict[str, tuple[str, int]] = {}  # bot: its last game, characters in it
        self._total: dict[str, int] = {}
        self._open: dict[str, str] = {}  # bot: the line it has not ended yet

    def close(self) -> None:
        """Do nothing: a bot that closes its output must not close the others'."""

    def detach(self) -> Any:
        """Return the stream of bytes, and stay attached for the other bots."""
        return self.buffer

    def write(self, text: str) -> int:
        """Log the lines that are complete with `text`."""
        if not isinstance(text, str):
            raise TypeError(f"write() takes a text, not {type(text).__name__}")
        bot, game = self.who()
        kept = self._kept(bot, game, text)
        if kept:
            *lines, rest = (self._open.pop(bot, "") + kept).split("\n")
            while len(rest) > _LINE:
                lines.append(rest[:_LINE])
                rest = rest[_LINE:]
            for line in lines:
                self._log(bot, game, line)
            if rest:
                self._open[bot] = rest
        return len(text)

    def _kept(self, bot: str, game: str, text: str) -> str:
        last, used = self._game.get(bot, (game, 0))
        if last != game:
            used = 0
            self.end_line(bot)
        total = self._total.get(bot, 0)
        room = min(PER_GAME - used, PER_PROCESS - total)
        self._game[bot] = (game, used + len(text))
        if len(text) <= room:
            self._total[bot] = total + len(text)
            return text
        self._total[bot] = total + max(room, 0)
        if room <= 0:
            return ""
        left = "in this game" if total + room < PER_PROCESS else "in this process"
        return f"{text[:room]}\n[more output {left} is dropped]\n"

    def end_line(self, bot: str) -> None:
        """Log the unfinished line of a bot."""
        if begun := self._open.pop(bot, None):
            self._log(bot, self._game[bot][0], begun)

    def end_lines(self) -> None:
        """Log all unfinished lines."""
        for bot in list(self._open):
            self.end_line(bot)

    @staticmethod
    def _log(bot: str, game: str, line: str) -> None:
        writer = f"{bot}{PRINTED}{game})" if game else bot
        _log.info("%s: %s", writer, printable(line.rstrip("\r"), keep="\t"), extra={"bot": bot})


class _Bytes(io.RawIOBase):
    """`sys.stdout.buffer` for bots that write bytes."""

    name = "<output>"

    def __init__(self, text: BotOutput) -> None:
        self._text = text

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        """Return a descriptor that leads where the output of C code and of other processes goes."""
        return 2

    def write(self, data: Any) -> int:
        self._text.write(bytes(data).decode("utf-8", "replace"))
        return len(data)

    def close(self) -> None:
        """Do nothing: a bot that closes its output must not close the others'."""


def no_breakpoint(*args: object, **values: object) -> None:
    """Replace `breakpoint()` in a run, where no debugger has a terminal: say so, and play on."""
    print("breakpoint() does not stop in a run: 'arena debug BOT RUN GAME --move N' does")


@contextmanager
def redirected(output: BotOutput, descriptors: bool = False) -> Iterator[BotOutput]:
    """Send `sys.stdout` and `sys.stderr` to `output`, and leave nothing to read from `sys.stdin`.

    `descriptors`: also connect descriptors 0, 1 and 2 to the null device, for C code and processes that bots start.
    Only for worker processes, whose own messages go through `logging`.
    """
    before = sys.stdin, sys.stdout, sys.stderr
    copies: list[int] = []
    if descriptors:
        for stream in before[1:]:
            if stream is not None:
                stream.flush()
        nowhere = os.open(os.devnull, os.O_RDWR)
        for number in range(3):
            copies.append(os.dup(number))
            os.dup2(nowhere, number)
        os.close(nowhere)
    with open(os.devnull) as sys.stdin:  # nothing to read
        sys.stdout = sys.stderr = output
        hook, sys.breakpointhook = sys.breakpointhook, no_breakpoint
        try:
            yield output
        finally:
            output.end_lines()
            sys.stdin, sys.stdout, sys.stderr = before
            sys.breakpointhook = hook
            for number, copy in enumerate(copies):
                os.dup2(copy, number)
                os.close(copy)


@contextmanager
def bot_output(name: str) -> Iterator[None]:
    """Log what is printed as output of one bot, while it is loaded."""
    current = sys.stdout
    if isinstance(current, BotOutput):
        who, current.who = current.who, lambda: (name, "")
        try:
            yield
        finally:
            current.end_lines()
            current.who = who
    else:
        with redirected(BotOutput(lambda: (name, ""))):
            yield
