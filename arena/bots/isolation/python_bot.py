"""A Python bot that lives in a process of its own, as the runner sees it.

`PythonBot` has the methods of a bot (`begin`, `act`), so the referee treats it like any other. Failures in the child
become a `BotFault`: an exception of the bot (`exception`), no answer in time (`timeout`), the end of the process
(`crash`), an invalid answer (`protocol`). After all but the first, the process is ended with everything it has
started, and the next game gets a new one.
"""

from __future__ import annotations

import dataclasses
import json
import os
import sys
import sysconfig
import time
from collections.abc import Callable
from pathlib import Path

import arena.bots.isolation.python_child  # noqa: F401  children write no bytecode; so theirs is there when they start
from arena.bots.bot import BotFault, GameEnd, Setup, TimeLeft
from arena.bots.faults import BotError
from arena.bots.isolation import python_messages as messages
from arena.bots.isolation.levels import Isolation, Launch
from arena.bots.isolation.process import BotProcess, DeadlinePassed, ProcessEnded
from arena.bots.isolation.process_bot import ProcessBot, ProcessPool, clock_text, last_lines
from arena.bots.isolation.python_messages import (
    Message,
    MessageReader,
    clock_flags,
    pack_message,
    read_answer,
    read_fault,
    read_note,
)
from arena.bots.isolation.sandbox import counts_inside
from arena.bots.limits import BotLimits
from arena.bots.spec import BotSpec
from arena.compiled import require_fresh_engine
from arena.endings import ForfeitKind
from arena.game.engine import View
from arena.game.moves import MOVES, Move
from arena.game.packing import Line
from arena.game.rules import Rules
from arena.paths import PACKAGE
from arena.text import printable

#: Nothing that is imported here ever becomes garbage, so the collector is off meanwhile.
_BOOT = (
    "import gc, sys; gc.disable(); sys.path.append(sys.argv[1]); "
    "from arena.bots.isolation.python_child import child_main; gc.enable(); child_main()"
)
_ONE_CORE = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")


class PythonBot(ProcessBot):
    """A Python bot in a child process."""

    def __init__(
        self,
        spec: BotSpec,
        rules: Rules,
        level: str,
        limits: BotLimits,
        pool: ProcessPool | None = None,
        start: Callable[[Launch], BotProcess] = BotProcess,
    ) -> None:
        """Start nothing yet: `load` and `prepare` do, with `start`."""
        launch = Launch(
            argv=(sys.executable, "-P", "-s", "-S", "-c", _BOOT, str(PACKAGE.parent)),
            folder=spec.folder,
            level=level,
            limits=limits,
            read_only=tuple(Path(path) for path in package_folders()),
            environment=_environment(),
        )
        super().__init__(spec, launch, pool, start)
        self._spec = spec
        self._rules = rules
        self._line: Line | None = None
        self._reader = MessageReader()
        self._flags: int | None = None
        self._table = MOVES[rules.spy_value]

    # ---- its life ------------------------------------------------------------------------------------------

    def load(self) -> None:
        """Start the process and run the bot's file in it; `BotError` if that fails, as from `load_bot`."""
        try:
            self._load()
        except BotFault as fault:
            raise BotError(fault.detail) from None

    def _load(self) -> None:
        """Start the process and run the bot's file in it; `BotFault` if that fails."""
        if self.process is not None:
            return
        self.process = self._start_process(self._launch)
        self._line = Line(*self.process.ends)
        self._reader = MessageReader()
        spec = dataclasses.asdict(dataclasses.replace(self._spec, bundle=None))
        rules = dataclasses.asdict(self._rules)
        counted = self._launch.level == Isolation.SANDBOX and counts_inside()
        threads = self._limits.processes if counted else 0
        order = json.dumps({"spec": spec, "rules": rules, "paths": package_folders(), "threads": threads})
        try:
            self._done(self._exchange(pack_message(messages.LOAD, order.encode()), self._loading_deadline(), "loading"))
        except BotFault as fault:
            self.close()
            require_fresh_engine()  # a build under way ends the process, which is not a fault of the bot
            detail = fault.detail.removeprefix("in loading: ")
            if fault.kind != ForfeitKind.EXCEPTION:
                detail = f"the bot {self._spec.target} cannot be loaded: {fault.detail}"
            raise BotFault(fault.kind, detail) from None

    def prepare(self) -> None:
        """Get the bot ready for a game, in a new process if necessary; `BotFault` if that fails."""
        process = self._next_game()
        if process is not None and self._is_worn_out(process):
            self.close()
        if self.process is not None and self._flags is not None:
            return
        try:
            self._load()
        except BotError as error:  # its process cannot be started
            raise BotFault(ForfeitKind.EXCEPTION, str(error)) from None
        assert self.process is not None
        made = self._exchange(pack_message(messages.MAKE), self._loading_deadline(), "__init__")
        if made.kind != messages.MADE or len(made.body) != 1:
            raise self._failed(read_fault(made, 0))
        flags = made.body[0]
        if self._flags is None:  # read once
            self.auto_claim = bool(flags & messages.AUTO_CLAIM)
            self.ask_forced = bool(flags & messages.ASK_FORCED)
            if flags & (messages.HAS_OBSERVE | messages.HAS_END):
                self.looks_back = True
        self._flags = flags

    def close(self) -> str:
        """End the process; return how it ended."""
        if self.process is None:
            return "it does not run"
        how = self.process.close()
        self.log_output()
        self.process = self._line = None
        return how

    # ---- what the referee calls ----------------------------------------------------------------------------

    def begin(self, setup: Setup) -> None:
        """Begin a new game. Ask the child only if its bot has a `begin`."""
        wants = bool((self._flags or 0) & messages.HAS_BEGIN)
        flags, move_ms, bank_ms = clock_flags(setup.clock)
        flags |= messages.WANTS_ANSWER * wants
        body = messages.BEGINNING.pack(setup.seat, setup.starter, setup.seed, flags, move_ms, bank_ms)
        message = pack_message(messages.BEGIN, body)
        if self._line is not None:  # with the first question: that saves waking the child
            self._line.begin(b"" if wants else message)
        if wants:
            self._done(self._exchange(message, self._deadline(setup.clock), "begin"))
        if self.process is not None:
            if setup.clock is None:
                self.process.wake()
            else:
                self.process.rest()

    def act(self, view: View, moves: list[Move]) -> Move:
        """Return the bot's move. The referee refuses one that is not legal."""
        clock: TimeLeft | None = view.clock
        flags, move_ms, bank_ms = (0, 0.0, 0.0) if clock is None else clock_flags(clock)
        line = self._line
        if line is None:
            raise BotFault(ForfeitKind.CRASH, "the process of the bot does not run")
        if clock is not None and self.process is not None:
            self.process.wake()
        number = line.ask(view, flags, move_ms, bank_ms)
        if number < 0:
            number = self._slow_answer(line, view)
        self._rest(clock)
        table = self._table
        if number >= len(table):
            text = f"answered with move number {number}, which does not exist"
            raise self._failed(BotFault(ForfeitKind.PROTOCOL, text))
        return table[number]

    def _slow_answer(self, line: Line, view: View) -> int:
        """Return the number of the move if the answer did not come at once or is not a mere move."""
        clock: TimeLeft | None = view.clock
        start = time.monotonic()
        deadline = self._deadline(clock)
        try:
            if line.unsent:
                assert self.process is not None
                self.process.send(line.unsent, deadline)
            self._reader.add(line.data)
            message = self._answer(deadline)
            if message.kind != messages.NOTED:
                return read_answer(message, line.question)
            number, note = read_note(message, line.question)
            view.note(**note)
            return number
        except (ProcessEnded, DeadlinePassed) as error:
            raise self._broken(error, "act", time.monotonic() - start, clock) from None
        except BotFault as fault:
            raise self._failed(fault) from None

    def finish(self, view: View, result: GameEnd) -> None:
        """Send the bot the events it has not seen yet, and the result."""
        text = json.dumps([result.winner, result.stones, result.reason, result.forfeit]).encode()
        line = self._line
        if line is None:
            raise BotFault(ForfeitKind.CRASH, "the process of the bot does not run")
        begun, image = line.tell(view)
        message = begun + pack_message(messages.END, messages.ENDING.pack(len(text)) + text + image)
        self._done(self._exchange(message, self._deadline(view.clock), "end"))
        self._rest(view.clock)

    # ---- messages ------------------------------------------------------------------------------------------

    def _send(self, message: bytes, deadline: float) -> None:
        process = self.process
        if process is None:
            raise BotFault(ForfeitKind.CRASH, "the process of the bot does not run")
        try:
            if process.pending():
                self._reader.add(process.receive(deadline))
            if self._reader.rest:
                raise self._failed(BotFault(ForfeitKind.PROTOCOL, "sent something that was not asked for"))
            process.wake()
            process.send(message, deadline)
        except ProcessEnded as ended:
            raise self._failed(BotFault(ForfeitKind.CRASH, ended.how)) from None
        except DeadlinePassed:
            raise self._failed(BotFault(ForfeitKind.TIMEOUT, "it does not read what it is told")) from None

    def _exchange(self, message: bytes, deadline: float, hook: str) -> Message:
        """Send a message and return its answer."""
        start = time.monotonic()
        self._send(message, deadline)
        try:
            return self._answer(deadline)
        except (ProcessEnded, DeadlinePassed) as error:
            raise self._broken(error, hook, time.monotonic() - start) from None
        except BotFault as fault:
            raise self._failed(fault) from None

    def _answer(self, deadline: float) -> Message:
        """Return the next message, which must be the only one."""
        assert self.process is not None
        reader = self._reader
        while (message := reader.take()) is None:
            reader.add(self.process.receive(deadline))
        if reader.rest:
            raise BotFault(ForfeitKind.PROTOCOL, "sent more than was asked for")
        return message

    def _broken(
        self, error: ProcessEnded | DeadlinePassed, hook: str, waited: float, clock: TimeLeft | None = None
    ) -> BotFault:
        """Return the fault of a process that has ended or does not answer."""
        if isinstance(error, ProcessEnded):
            said = last_lines(printable(self._read_stderr()))
            return self._failed(BotFault(ForfeitKind.CRASH, f"in {hook}: {error.how}{said}"))
        return self._failed(
            BotFault(ForfeitKind.TIMEOUT, f"in {hook}: no answer within {waited:.3g} s{clock_text(clock)}")
        )

    def _done(self, message: Message) -> None:
        if message.kind != messages.DONE or message.body:
            raise self._failed(read_fault(message, 0))

    def _failed(self, fault: BotFault) -> BotFault:
        """Return the fault; end the process unless it can play on after a mere exception."""
        if fault.kind in (ForfeitKind.EXCEPTION, ForfeitKind.ILLEGAL_MOVE):
            self._read_stderr()
        else:
            self.close()
        return fault


def package_folders() -> list[str]:
    """Return the folders of installed packages, which a bot may import besides the standard library."""
    wanted = [sysconfig.get_paths()[name] for name in ("purelib", "platlib")]
    wanted += [path for path in sys.path if Path(path).name in ("site-packages", "dist-packages")]
    return [path for path in dict.fromkeys(wanted) if Path(path).is_dir()]


def _environment() -> dict[str, str]:
    """Return the environment of a child: results must not depend on the user's."""
    variables = {"PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1", **dict.fromkeys(_ONE_CORE, "1")}
    if os.environ.get("ARENA_PURE"):
        variables["ARENA_PURE"] = "1"
    return variables
