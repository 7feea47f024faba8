"""A bot in any language, as the runner sees it: a command that reads and writes one JSON object per line.

`WireBot` has the methods of a bot, so the referee treats it like any other. Each line with an `id` is answered by one
line with the same `id`; `docs/wire.md` describes the protocol for authors.

**Faults.** A failure becomes a `BotFault`: no complete answer in time (`timeout`), the end of the process (`crash`), an
invalid or unsolicited answer (`protocol`), a move that is not legal (`illegal move`). After the first three the process
is killed with everything that it has started, and the next game gets a new one.

**Games are independent.** A process that ended between two games, wrote something there, or does not accept its next
game is replaced without telling the referee: whether it had a game before depends on how games are spread over workers,
and results must not.
"""

from __future__ import annotations

import logging
import os
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from arena.bots.bot import BotFault, GameEnd, Setup, TimeLeft
from arena.bots.faults import BotError
from arena.bots.isolation import wire_messages as messages
from arena.bots.isolation.levels import CannotStart, Isolation, Launch
from arena.bots.isolation.process import BotProcess, DeadlinePassed, ProcessEnded
from arena.bots.isolation.process_bot import ProcessBot, ProcessPool, clock_text, last_lines
from arena.bots.isolation.sandbox import SandboxRefused
from arena.bots.isolation.wire_messages import (
    LONGEST_LINE,
    HelloAnswer,
    WireMessage,
    line_of,
    read_hello,
    read_move,
    read_wire_answer,
    read_wire_note,
)
from arena.bots.limits import BotLimits
from arena.bots.output import place_text
from arena.bots.spec import BotSpec, check_unchanged
from arena.endings import ForfeitKind
from arena.game.engine import View
from arena.game.moves import Event, Move
from arena.text import printable, quoted

_log = logging.getLogger("arena.bots")

#: How long a process may take to end by itself after `bye`, or after a game.
FAREWELL_S = 0.2
_FLUSH = "; each answer must end with a newline and be flushed at once"


class WireBot(ProcessBot):
    """A bot that is a command, in a process.

    Nothing starts before `load` or `prepare`. Raises `BotError` if a file of the command has changed since it was
    found.
    """

    def __init__(
        self,
        spec: BotSpec,
        level: str,
        limits: BotLimits,
        pool: ProcessPool | None = None,
        start: Callable[[Launch], BotProcess] = BotProcess,
    ) -> None:
        check_unchanged(spec.target, spec.files, spec.source_hash)
        super().__init__(spec, launch_of(spec, level, limits), pool, start)
        self.looks_back = True
        self._target = spec.target
        self._hello: HelloAnswer | None = None
        self._unread = bytearray()  # output after the end of the last answer
        self._last_id = 0
        self._has_played = False  # whether this process has begun a game
        self._survives_games = False  # whether processes of this bot keep running after a game
        self._seat: int | None = None  # in the current game
        self._events_sent = 0
        self._decisions = 0
        self._last_words = ""

    # ---- its life ------------------------------------------------------------------------------------------

    def load(self) -> None:
        """Start the process and exchange `hello`. Raises `BotError` if that fails."""
        if self.process is not None:
            return
        try:
            self._start()
        except BotFault as fault:
            raise BotError(f"the bot {self._target} cannot be started: {fault.detail}") from None

    def prepare(self) -> None:
        """Make sure that there is a process that has answered `hello` and is ready for a game. Raises `BotFault`."""
        self._seat = None
        process = self._next_game()
        if process is not None:
            if process.suspended and self._has_played and not self._survives_games:
                # it may end itself after a game, but was stopped too early to do so
                process.wake()
                self._survives_games = not process.pending(FAREWELL_S)
            if self._unread or process.pending():
                self._replace("it has ended or has written something after its last game")
            elif self._is_worn_out(process):
                self._replace("it has used much of its processor time")
        if self.process is None:
            self._start()

    def close(self) -> str:
        """Send `bye`, end the process and return how it ended."""
        process = self.process
        if process is None:
            return "it is not running"
        process.wake()
        try:
            process.send(line_of(messages.bye()), time.monotonic() + FAREWELL_S)
        except (ProcessEnded, DeadlinePassed):
            return self._kill()
        return self._kill(FAREWELL_S)

    def _start(self) -> None:
        try:
            self.process = self._start_process(self._launch)
        except (CannotStart, SandboxRefused) as error:
            raise BotFault(ForfeitKind.CRASH, str(error)) from None
        self._unread = bytearray()
        self._last_id = 0
        self._has_played = False
        answer = self._ask("hello", messages.hello(1, self._limits), self._loading_deadline())
        try:
            hello = read_hello(answer)
        except BotFault as fault:
            raise self._broken("hello", fault) from None
        if self._hello is None:
            self.auto_claim, self.ask_forced = hello.auto_claim, hello.ask_forced
        elif hello != self._hello:
            raise self._broken("hello", BotFault(ForfeitKind.PROTOCOL, "answers hello differently than before"))
        self._hello = hello

    def _replace(self, why: str) -> None:
        _log.info("%s: the process is replaced: %s", self.name, why, extra={"bot": self.name})
        if self.process is not None:
            self._kill()

    def _kill(self, grace_s: float = 0.0) -> str:
        process = self.process
        assert process is not None
        how = process.close(grace_s)
        self.log_output()
        self.process = None
        return how

    # ---- what the referee calls ----------------------------------------------------------------------------

    def begin(self, setup: Setup) -> None:
        """Begin a new game."""
        try:
            self._begin(setup)
        except BotFault as fault:
            if not self._has_played or fault.kind == ForfeitKind.TIMEOUT:
                raise
            self._replace(fault.detail)
            self._survives_games = False
            self._start()
            self._begin(setup)
        self._has_played = True
        self._seat = setup.seat
        self._events_sent = 0
        self._decisions = 0

    def _begin(self, setup: Setup) -> None:
        message = messages.begin(self._last_id + 1, setup)
        self._ask("begin", message, self._deadline(setup.clock))
        self._rest(setup.clock)

    def act(self, view: View, moves: list[Move]) -> Move:
        """Return the bot's move, one of `moves`."""
        message = messages.act(self._last_id + 1, view, moves, self._news(view))
        self._decisions += 1
        answer = self._ask("act", message, self._deadline(view.clock), view.clock)
        self._rest(view.clock)
        self._read_stderr()
        try:
            move = read_move(answer, view, moves)
            read_wire_note(answer, view)
            return move
        except BotFault as fault:
            raise self._broken("act", fault) from None

    def finish(self, view: View, result: GameEnd) -> None:
        """Send the bot the result and the events that it has not seen yet."""
        seat, self._seat = self._seat, None
        if seat is None:  # the opponent failed before this bot was sent `begin`
            return
        message = messages.end(self._last_id + 1, seat, result, self._news(view))
        self._ask("end", message, self._deadline(view.clock))
        self._rest(view.clock)
        self._read_stderr()

    def _news(self, view: View) -> tuple[Event, ...] | None:
        """Return the events that were not sent yet, None if the bot does not want them."""
        if self._hello is None or not self._hello.events:
            return None
        history = view.history
        start, self._events_sent = self._events_sent, len(history)
        return history[start:]

    # ---- lines ---------------------------------------------------------------------------------------------

    def _ask(self, hook: str, message: WireMessage, deadline: float, clock: TimeLeft | None = None) -> dict[str, Any]:
        """Send a message and return its answer. `clock` is for the message of a timeout."""
        start = time.monotonic()
        process = self.process
        if process is None:
            raise BotFault(ForfeitKind.CRASH, f"in {hook}: the process is not running")
        self._last_id = message["id"]
        sent = False
        process.wake()
        try:
            if self._unread or process.pending():
                unasked = bytes(self._unread) or process.receive(deadline)
                raise BotFault(ForfeitKind.PROTOCOL, f"has written something without being asked: {quoted(unasked)}")
            process.send(line_of(message), deadline)
            sent = True
            return read_wire_answer(self._line(process, deadline), message["id"])
        except BotFault as fault:
            raise self._broken(hook, fault) from None
        except ProcessEnded as ended:
            raise self._broken(hook, BotFault(ForfeitKind.CRASH, ended.how + self._fragment())) from None
        except DeadlinePassed:
            seconds = time.monotonic() - start
            what = f"no answer within {seconds:.3g} s{clock_text(clock)}{self._fragment() or _FLUSH}"
            if not sent:
                what = f"it has not read its input for {seconds:.3g} s"
            raise self._broken(hook, BotFault(ForfeitKind.TIMEOUT, what)) from None

    def _line(self, process: BotProcess, deadline: float) -> bytes:
        """Return the next line without its end. Output after it is kept: it is a fault at the next message."""
        rest = self._unread = bytearray()
        searched = 0
        while (end := rest.find(b"\n", searched)) < 0:
            if len(rest) >= LONGEST_LINE:
                return bytes(rest)  # too long already
            searched = len(rest)
            rest += process.receive(deadline)
        self._unread = rest[end + 1 :]
        return bytes(rest[:end])

    def _fragment(self) -> str:
        """Describe the unfinished line, if there is one."""
        return f", in the middle of the line {quoted(bytes(self._unread))}" if self._unread else ""

    # ---- faults and stderr ---------------------------------------------------------------------------------

    def _broken(self, hook: str, fault: BotFault) -> BotFault:
        """End the process if its state is unknown, and return the fault with all that the author needs."""
        if fault.kind == ForfeitKind.ILLEGAL_MOVE:
            return fault
        self._last_words = ""
        if self.process is not None:
            self._kill()
        self._unread = bytearray()
        return BotFault(fault.kind, f"in {hook}: {fault.detail}{self._last_words}")

    def _place_of(self, mark: re.Match[str] | None) -> str:
        if self._seat is None or self._game is None:
            return super()._place_of(None)
        return place_text(str(self._game), self._seat, self._decisions)

    def _read_stderr(self) -> str:
        text = super()._read_stderr()
        if text:
            self._last_words = last_lines(printable(text, keep="\n", instead=" "))
        return text


def launch_of(spec: BotSpec, level: str, limits: BotLimits) -> Launch:
    """Return how to start a bot's command: in the folder of its first file; the sandbox also shows its other files."""
    first = Path(spec.path)
    folder = first if first.is_dir() else first.parent
    others = tuple(path for path in map(Path, spec.files) if folder not in (path, *path.parents))
    path = "/usr/local/bin:/usr/bin:/bin"
    settings: dict[str, str] = {}
    if not Isolation(level).confined:
        path = os.environ.get("PATH", path)
        settings = {name: value for name, value in os.environ.items() if name.startswith("BOT_")}
    return Launch(
        argv=spec.command,
        folder=folder,
        level=level,
        limits=limits,
        read_only=others,
        system=True,
        environment=settings
        | {"PATH": path, "PYTHONUNBUFFERED": "1", "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"},
    )
