"""A bot in any language, as the runner sees it: a command that reads and writes one JSON object a line.

`WireBot` offers what a bot offers, so the referee plays it like any other. The rule of the conversation is that each
line with an `id` is answered by one line with the same `id`; `docs/wire.md` is the description for authors.

**Faults.** Whatever goes wrong comes out as `BotFault`: no whole answer in time (`timeout`), the end of the process
(`crash`), an answer that is none, or one that nobody has asked for (`protocol`), a move that is not legal
(`illegal move`). After the first three the process is ended with everything that it has started, and the next game
gets a new one.

**One game knows nothing of another.** A process that has ended between two games, or has written something there, or
does not take the beginning of its next game, is replaced without a word to the referee: whether it had a game before
depends on how games are spread over workers, and results must not.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from arena.game.engine import View
from arena.game.event_log import Event
from arena.game.moves import Move
from arena.isolation.limits import BotLimits, Starting, of_clock
from arena.isolation.process import BotProcess, CannotStart, Ended, Launch, Overdue
from arena.isolation.sandbox.files import SandboxRefused
from arena.isolation.wire import messages
from arena.isolation.wire.answers import Hello, read_answer, read_hello, read_move
from arena.isolation.wire.messages import LONGEST_LINE, Message, line_of
from arena.players.bot import BotFault, GameEnd, RemoteBot, Setup, TimeLeft
from arena.players.commands import check_unchanged
from arena.players.faults import BotError
from arena.players.output import BotOutput
from arena.players.spec import BotSpec
from arena.text import printable, quoted

log = logging.getLogger("arena.bots")

#: With a clock the referee judges, exactly; the process is given this much longer before it is ended.
GRACE_S = 1.0
#: How long a process may take to end by itself after `bye`, or after a game.
FAREWELL_S = 0.2
_LAST_WORDS = 6
_FLUSH = "; is each answer written out at once (flush), with a newline at its end?"


class Process(Protocol):
    """What is asked of a process (`BotProcess`)."""

    restless: bool

    def send(self, data: bytes, deadline: float) -> None: ...
    def receive(self, deadline: float) -> bytes: ...
    def pending(self, wait_s: float = 0.0) -> bool: ...
    def complaints(self) -> str: ...
    def cpu_seconds(self) -> float: ...
    def new_game(self) -> None: ...
    def wake(self) -> None: ...
    def rest(self) -> None: ...
    def halt(self) -> None: ...
    def close(self, grace_s: float = 0.0) -> str: ...


class Housekeeper(Protocol):
    """Keeps the number of processes in bounds: it is told who plays now, and may `close` others."""

    def use(self, bot: Any) -> None: ...


class WireBot(RemoteBot):
    """A bot that is a command, in a process at one of the levels of `arena.isolation.process`.

    Nothing is started before `load` or `prepare` (or `begin`, which calls that if need be). `BotError` if a
    file of the command has changed since it was found.
    """

    def __init__(
        self,
        spec: BotSpec,
        level: str,
        limits: BotLimits,
        household: Housekeeper | None = None,
        start: Callable[[Launch], Process] = BotProcess,
    ) -> None:
        check_unchanged(spec.target, spec.files, spec.source_hash)
        self.name = spec.name
        self.finish = self._finish
        self._target = spec.target
        self._launch = launch_of(spec, level, limits)
        self._limits = limits
        self._starting = Starting(limits.loading_s)
        self._household = household
        self._start_process = start
        self._process: Process | None = None
        self._hello: Hello | None = None
        self._rest = bytearray()  # what was written beyond the answer that was taken
        self._last_id = 0
        self._used = False  # has this process been told of a game before?
        self._restless = False  # did a process of this bot work beside its decisions?
        self._halted = False  # since its last game
        self._stays = False  # does a process of this bot live on after a game?
        self._seat: int | None = None  # in the game that is under way
        self._told = 0
        self._games = 0
        self._last_words = ""
        self._output = BotOutput(lambda: (spec.name, self._games))

    # ---- its life ------------------------------------------------------------------------------------------

    @property
    def process(self) -> Process | None:
        """The process, None if there is none now."""
        return self._process

    def load(self) -> None:
        """Start the process and let it say hello; `BotError` if that fails."""
        if self._process is not None:
            return
        try:
            self._start()
        except BotFault as fault:
            raise BotError(f"the bot {self._target} cannot be started: {fault.detail}") from None

    def prepare(self) -> None:
        """Have a process that has said hello and is free for a game. Raises `BotFault`."""
        if self._household is not None:
            self._household.use(self)
        self._games += 1
        self._starting.game()
        self._seat = None
        process = self._process
        if process is not None:
            self._hear()
            process.new_game()
            if self._halted and self._used and not self._stays:
                # stopped right after its game, it could not end itself, as it may
                process.wake()
                self._stays = not process.pending(FAREWELL_S)
            if self._rest or process.pending():
                self._starting.blame()
                self._anew("it has ended or has written something after its last game")
            elif process.cpu_seconds() > self._limits.cpu_s / 2:
                self._anew("it has used much of its processor time")
        self._halted = False
        if self._process is None:
            self._start()

    def stand_by(self) -> None:
        """A game under a clock is over: its threads must not take the time of those who play next on its core."""
        if self._process is not None:
            self._process.halt()
            self._halted = True

    def listen(self) -> None:
        """Put into the log what the bot has written, as far as it is there."""
        self._hear()
        self._output.end_lines()

    def close(self) -> str:
        """Say goodbye and end the process; how it ended."""
        process = self._process
        if process is None:
            return "it does not run"
        process.wake()
        try:
            process.send(line_of(messages.bye()), time.monotonic() + FAREWELL_S)
        except (Ended, Overdue):
            return self._kill()
        return self._kill(FAREWELL_S)

    def _start(self) -> None:
        self._starting.new()
        try:
            self._process = self._start_process(self._launch)
        except (CannotStart, SandboxRefused) as error:
            raise BotFault("crash", str(error)) from None
        self._process.restless = self._restless
        self._rest = bytearray()
        self._last_id = 0
        self._used = False
        with self._starting.part() as deadline:
            answer = self._ask("hello", messages.hello(1, self._limits), deadline)
        try:
            hello = read_hello(answer)
        except BotFault as fault:
            raise self._broken("hello", fault) from None
        if self._hello is None:
            self.auto_claim, self.ask_forced = hello.auto_claim, hello.ask_forced
        elif hello.flags != self._hello.flags:
            raise self._broken("hello", BotFault("protocol", "says hello otherwise than at its first start"))
        self._hello = hello
        self._starting.done()

    def _anew(self, why: str) -> None:
        log.info("%s: the process is replaced: %s", self.name, why, extra={"bot": self.name})
        self._kill()

    def _kill(self, grace_s: float = 0.0) -> str:
        process, self._process = self._process, None
        assert process is not None
        self._restless |= process.restless
        how = process.close(grace_s)
        self._hear(process)
        self._output.end_lines()
        return how

    # ---- what the referee calls ----------------------------------------------------------------------------

    def begin(self, setup: Setup) -> None:
        """A new game."""
        if self._process is None:
            self.prepare()
        try:
            self._begin(setup)
        except BotFault as fault:
            if not self._used or fault.kind == "timeout":
                raise
            log.info("%s: the process is replaced: %s", self.name, fault.detail, extra={"bot": self.name})
            self._stays = False
            self._start()
            self._begin(setup)
        self._used = True
        self._seat = setup.seat
        self._told = 0

    def _begin(self, setup: Setup) -> None:
        self._starting.decisions(self._patience(setup.clock))
        message = messages.begin(self._last_id + 1, setup)
        self._ask("begin", message, self._deadline(setup.clock))
        self._let_rest(setup.clock)

    def act(self, view: View, moves: list[Move]) -> Move:
        """The bot's move, one of `moves`."""
        message = messages.act(self._last_id + 1, view, moves, self._news(view))
        answer = self._ask("act", message, self._deadline(view.clock), view.clock)
        self._let_rest(view.clock)
        try:
            return read_move(answer, view, moves)
        except BotFault as fault:
            raise self._broken("act", fault) from None

    def _finish(self, view: View, result: GameEnd) -> None:
        """Tell the bot the result, and what it has not seen yet."""
        seat, self._seat = self._seat, None
        if seat is None:  # the other has failed before this one was told of the game
            return
        message = messages.end(self._last_id + 1, seat, result, self._news(view))
        self._ask("end", message, self._deadline(view.clock))
        self._let_rest(view.clock)
        self._hear()

    def _news(self, view: View) -> tuple[Event, ...] | None:
        """The events that the bot was not told yet, None if it wants none."""
        if self._hello is None or not self._hello.events:
            return None
        history = view.history
        told, self._told = self._told, len(history)
        return history[told:]

    def _let_rest(self, clock: TimeLeft | None) -> None:
        if clock is not None and self._process is not None:
            self._process.rest()

    def _patience(self, clock: TimeLeft | None) -> float:
        return self._limits.decision_s if clock is None else clock.total_ms / 1000 + GRACE_S

    def _deadline(self, clock: TimeLeft | None) -> float:
        return time.monotonic() + self._patience(clock)

    # ---- lines ---------------------------------------------------------------------------------------------

    def _ask(
        self, hook: str, message: Message, deadline: float, clock: TimeLeft | None = None
    ) -> dict[str, Any]:
        """Send a message and take the one line that answers it. The clock is for the words of a fault."""
        start = time.monotonic()
        process = self._process
        if process is None:
            raise BotFault("crash", f"in {hook}: the process does not run")
        self._last_id = message["id"]
        told = False
        process.wake()
        try:
            if self._rest or process.pending():
                unasked = bytes(self._rest) or process.receive(deadline)
                raise BotFault("protocol", f"has written something without being asked: {quoted(unasked)}")
            process.send(line_of(message), deadline)
            told = True
            return read_answer(self._line(process, deadline), message["id"])
        except BotFault as fault:
            raise self._broken(hook, fault) from None
        except Ended as ended:
            raise self._broken(hook, BotFault("crash", ended.how + self._fragment())) from None
        except Overdue:
            seconds = time.monotonic() - start
            what = f"no answer within {seconds:.3g} s{of_clock(clock)}{self._fragment() or _FLUSH}"
            if not told:
                what = f"it has not read what it is told for {seconds:.3g} s"
            raise self._broken(hook, BotFault("timeout", what)) from None

    def _line(self, process: Process, deadline: float) -> bytes:
        """The next line without its end. What comes after it is kept, for it is a fault at the next message."""
        rest = self._rest = bytearray()
        searched = 0
        while (at := rest.find(b"\n", searched)) < 0:
            if len(rest) >= LONGEST_LINE:
                return bytes(rest)  # too long already
            searched = len(rest)
            rest += process.receive(deadline)
        self._rest = rest[at + 1 :]
        return bytes(rest[:at])

    def _fragment(self) -> str:
        """The line that was begun and not ended, in words."""
        return f", in the middle of the line {quoted(bytes(self._rest))}" if self._rest else ""

    # ---- faults and complaints -----------------------------------------------------------------------------

    def _broken(self, hook: str, fault: BotFault) -> BotFault:
        """The fault with all that its author needs, after ending the process if nobody knows what it does now."""
        if fault.kind == "illegal move":
            return fault
        self._last_words = ""
        self._starting.blame()
        if self._process is not None:
            self._kill()
        self._rest = bytearray()
        return BotFault(fault.kind, f"in {hook}: {fault.detail}{self._last_words}")

    def _hear(self, process: Process | None = None) -> None:
        """Put into the log what the process has written to stderr, and keep its end."""
        process = process or self._process
        text = process.complaints() if process is not None else ""
        if text:
            self._output.write(text if text.endswith("\n") else text + "\n")
            lines = printable(text, keep="\n", instead=" ").strip().split("\n")[-_LAST_WORDS:]
            self._last_words = "".join(f"\n  {line[:300]}" for line in lines)


def launch_of(spec: BotSpec, level: str, limits: BotLimits) -> Launch:
    """How the command of a bot is started: in the folder of its first file, the sandbox showing its other files."""
    folder = Path(spec.path).parent
    others = tuple(path for path in map(Path, spec.files) if folder not in path.parents)
    path = "/usr/local/bin:/usr/bin:/bin"
    if level != "sandbox":
        path = os.environ.get("PATH", path)
    return Launch(
        argv=spec.command,
        folder=folder,
        level=level,
        limits=limits,
        read_only=others,
        system=True,
        environment={
            "PATH": path,
            "PYTHONUNBUFFERED": "1",
            "PYTHONHASHSEED": "0",
            "PYTHONDONTWRITEBYTECODE": "1",
        },
    )
