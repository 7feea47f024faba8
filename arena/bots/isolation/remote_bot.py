"""A bot in a process of its own, as the referee sees it: one process, one conversation, one table of faults.

The messages are `hello`, `begin`, `act`, `end` and `bye`. Two encoders write and read them, with the same methods:
`ImageEncoder` for Python bots (the image of the view; 17 microseconds a decision), `LineEncoder` for commands (one JSON
object per line; `docs/wire.md` describes them for authors). Each message but `bye` is answered.

**Faults.** A failure becomes a `BotFault`, which forfeits the game:

================  ===================================================  ==========================================
`exception`       raised by the bot, or the `error` of an answer       the process plays on
`illegal move`    a move that is not legal                             the process plays on
`timeout`         no complete answer in time, or nothing is read       the process is ended, with all it has started
`crash`           the process cannot be started, or has ended          the same
`protocol`        an invalid or unsolicited answer                     the same
================  ===================================================  ==========================================

**Games are independent.** A process that ended between two games, wrote something there, or does not accept its next
game is replaced without telling the referee: whether it had a game before depends on how games are spread over workers,
and results must not.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from contextlib import suppress
from copy import copy
from functools import partial
from typing import Any, TypeVar

from arena.bots.bot import BotFault, GameEnd, Setup, TimeLeft
from arena.bots.faults import BotError
from arena.bots.isolation.image_encoder import ImageEncoder
from arena.bots.isolation.process import BotProcess, DeadlinePassed, ProcessEnded
from arena.bots.isolation.sandbox import SandboxRefused
from arena.bots.isolation.wire_messages import LineEncoder
from arena.bots.limits import BotLimits, CannotStart, HelloAnswer, Launch
from arena.bots.output import PER_GAME, BotOutput
from arena.bots.spec import BotSpec, check_unchanged
from arena.compiled import require_fresh_engine
from arena.endings import ForfeitKind
from arena.game.engine import View
from arena.game.moves import Move
from arena.game.rules import Rules
from arena.text import printable, quoted

_log = logging.getLogger("arena.bots")
_Answer = TypeVar("_Answer")

GRACE_S = 1.0
"""With a clock the referee judges, exactly; the process gets this much longer before it is ended."""
FAREWELL_S = 0.2
"""How long a process may take to end by itself after `bye`, or after a game."""
_GOES_ON = (ForfeitKind.EXCEPTION, ForfeitKind.ILLEGAL_MOVE)
_LAST_LINES = 6
_LINE_LENGTH = 300


class RemoteBot:
    """The stand-in for a bot in a process. Nothing starts before `load` or `prepare`.

    Raises `BotError` if a file of a command has changed since it was found; its other methods raise `BotFault`. With
    `wants_result`, `finish` is to be called after each game that the bot has not forfeited.
    """

    def __init__(
        self,
        spec: BotSpec,
        rules: Rules,
        level: str,
        limits: BotLimits,
        pool: ProcessPool | None = None,
        start: Callable[[Launch, Callable[[bytes], object]], BotProcess] = BotProcess,
    ) -> None:
        self.name = spec.name
        self.auto_claim, self.ask_forced = True, False
        self._target = spec.target
        self._limits = limits
        self._pool = pool
        self._start_process = start
        self._new_encoder: Callable[[], ImageEncoder | LineEncoder] = partial(ImageEncoder, spec, rules, level, limits)
        if spec.command:
            check_unchanged(spec.target, spec.files, spec.source_hash)
            self._new_encoder = partial(LineEncoder, spec, level, limits)
        self._first_options: list[HelloAnswer] = []  # those of the first start, shared with the twin
        self._set_up()

    def _set_up(self) -> None:
        self.process: BotProcess | None = None
        """None if no process runs."""
        self._encoder = self._new_encoder()
        self._unread = bytearray()  # output that was not taken as an answer
        self._is_made = False
        self._has_played = False  # whether this process has begun a game
        self._survives_games = not self._encoder.may_leave  # whether processes of this bot go on after a game
        self._game = ""  # that is played, for the log
        self._heard = 0  # bytes of output in this game
        self._open_line = b""
        self._last_words = ""
        self._output = BotOutput(lambda: (self.name, self._game))

    def twin(self) -> RemoteBot:
        """Return a stand-in for another process of the same bot, which does not run yet."""
        other = copy(self)
        other._set_up()
        return other

    # ---- its life ------------------------------------------------------------------------------------------

    @property
    def wants_result(self) -> bool:
        """Whether the bot wants to hear of the end of a game."""
        return self._encoder.wants_result

    def load(self) -> None:
        """Start the process and load the bot in it; `BotError` if that fails, as from `load_bot`."""
        if self.process is not None:
            return
        try:
            self._start()
        except BotFault as fault:
            is_told = fault.kind == ForfeitKind.EXCEPTION and self._encoder.is_direct
            raise BotError(
                fault.detail if is_told else f"the bot {self._target} cannot be loaded: {fault.detail}"
            ) from None

    def prepare(self) -> None:
        """Get the bot ready for a game, off the clock, in a new process if necessary."""
        if self._pool is not None:
            self._pool.use(self)
        process = self.process
        if process is not None:
            process.hear()
            process.new_game()
            if reason := self._reason_to_replace(process):
                self._replace(reason)
        self._heard, self._last_words = 0, ""
        self._make_ready()

    def suspend(self) -> None:
        """Stop the process until it is asked something: others play now."""
        if self.process is not None:
            self.process.suspend()

    def close(self) -> str:
        """Say `bye`, end the process, and return how it ended."""
        process, grace_s = self.process, 0.0
        if process is None:
            return "it does not run"
        process.wake()
        if bye := self._encoder.bye():
            with suppress(ProcessEnded, DeadlinePassed):
                process.send(bye, time.monotonic() + FAREWELL_S)
                grace_s = FAREWELL_S
        return self._end_process(process, grace_s)

    def _start(self) -> None:
        encoder = self._encoder
        if self._pool is not None:
            self._pool.use(self)
        try:
            self.process = process = self._start_process(encoder.launch, self._hear)
        except (CannotStart, SandboxRefused) as error:
            raise BotFault(ForfeitKind.CRASH, str(error)) from None
        encoder.open(*process.ends)
        self._unread.clear()
        self._is_made = self._has_played = False
        try:
            self._ask(encoder.loading, encoder.hello(), encoder.read_hello, self._loading_deadline())
        except BotFault:
            if self.process is not None:
                self._end_process(self.process)
            require_fresh_engine()  # a build under way ends the process, which is not a fault of the bot
            raise

    def _make_ready(self) -> None:
        """Start the process if there is none, and make the bot in it if that was not done."""
        encoder = self._encoder
        if self.process is None:
            self._start()
        if self._is_made:
            return
        if message := encoder.make():
            self._ask("__init__", message, encoder.read_made, self._loading_deadline())
        options = encoder.options
        if not self._first_options:
            self._first_options.append(options)
        if options != self._first_options[0]:
            raise self._judged("hello", BotFault(ForfeitKind.PROTOCOL, "answers hello differently than before"))
        self.auto_claim, self.ask_forced = options.auto_claim, options.ask_forced
        self._is_made = True

    def _reason_to_replace(self, process: BotProcess) -> str:
        """Say why a process cannot play the next game; "" if it can."""
        if self._has_played and not self._survives_games and process.suspended:
            # it may end itself after a game, but was stopped too early to do so
            process.wake()
            self._survives_games = not process.pending(FAREWELL_S)
        if self._unread or process.pending():
            return "it has ended or has written something after its last game"
        if process.cpu_seconds() > self._limits.cpu_s / 2:
            return "it has used much of its processor time"
        return ""

    def _replace(self, reason: str) -> None:
        _log.info("%s: the process is replaced: %s", self.name, reason, extra={"bot": self.name})
        if self.process is not None:
            self._end_process(self.process)

    def _end_process(self, process: BotProcess, grace_s: float = 0.0) -> str:
        how = process.close(grace_s)
        self.log_output()
        self.process = None
        self._unread.clear()
        return how

    # ---- what the referee calls ----------------------------------------------------------------------------

    def set_game(self, game: str) -> None:
        """Note which game is played from now on, for the log."""
        self._game = game

    def begin(self, setup: Setup) -> None:
        """Begin a new game."""
        try:
            self._begin(setup)
        except BotFault as fault:
            if not self._has_played or fault.kind not in (ForfeitKind.CRASH, ForfeitKind.PROTOCOL):
                raise
            self._replace(fault.detail)
            self._survives_games = not self._encoder.may_leave
            self._make_ready()
            self._begin(setup)
        self._has_played = True

    def _begin(self, setup: Setup) -> None:
        encoder = self._encoder
        self._ask("begin", encoder.begin(setup), encoder.read_done, self._deadline(setup.clock))
        self._rest(setup.clock)

    def act(self, view: View, moves: list[Move]) -> Move:
        """Return the bot's move. The referee refuses one that is not legal."""
        process, encoder, clock = self.process, self._encoder, view.clock
        if process is None:
            raise BotFault(ForfeitKind.CRASH, "in act: the process does not run")
        if clock is not None:
            process.wake()
        move = encoder.ask(view, moves, self._unread)
        if isinstance(move, bytes):  # what is to be sent, or is left of it
            read, deadline = partial(encoder.read_move, view, moves), self._deadline(clock)
            move = self._ask("act", move, read, deadline, clock, encoder.is_direct)
        if clock is not None:
            process.rest()
        return move

    def finish(self, view: View, result: GameEnd) -> None:
        """Tell the bot the rest of a game's events, and its result."""
        encoder = self._encoder
        self._ask("end", encoder.end(view, result), encoder.read_done, self._deadline(view.clock))
        self._rest(view.clock)

    def _rest(self, clock: TimeLeft | None) -> None:
        """Keep the bot from thinking on its opponent's time, if there is a clock; call after an answer."""
        if clock is not None and self.process is not None:
            self.process.rest()

    # ---- messages ------------------------------------------------------------------------------------------

    def _deadline(self, clock: TimeLeft | None) -> float:
        """Return the time of `time.monotonic` at which an answer is late."""
        return time.monotonic() + (self._limits.decision_s if clock is None else clock.total_ms / 1000 + GRACE_S)

    def _loading_deadline(self) -> float:
        """Return the time of `time.monotonic` at which a phase of the start is late."""
        return time.monotonic() + self._limits.loading_s

    def _ask(
        self,
        hook: str,
        message: bytes,
        read: Callable[[Any], _Answer],
        deadline: float,
        clock: TimeLeft | None = None,
        is_asked: bool = False,
    ) -> _Answer:
        """Send a message and read its answer; an answer that is never completed is late as well.

        `clock` is for the message of a timeout. With `is_asked`, `message` is the rest of a question, which may have
        been answered.
        """
        start = time.monotonic()
        process, encoder, is_sent = self.process, self._encoder, False
        if process is None:
            raise BotFault(ForfeitKind.CRASH, f"in {hook}: the process does not run")
        process.wake()
        try:
            if not is_asked and (self._unread or process.pending()):
                unasked = bytes(self._unread) or process.receive(deadline)
                raise BotFault(ForfeitKind.PROTOCOL, f"has written something without being asked: {quoted(unasked)}")
            if message:
                process.send(message, deadline)
            is_sent = True
            while (answer := encoder.take(self._unread)) is None:
                self._unread += process.receive(deadline)
            if self._unread and encoder.is_direct:  # of a command it is a fault only if it plays on
                raise BotFault(ForfeitKind.PROTOCOL, "sent more than was asked for")
            process.hear()
            return read(answer)
        except BotFault as fault:
            raise self._judged(hook, fault) from None
        except ProcessEnded as ended:
            raise self._judged(hook, BotFault(ForfeitKind.CRASH, f"{ended}{self._fragment()}")) from None
        except DeadlinePassed:
            seconds = time.monotonic() - start
            what = f"no answer within {seconds:.3g} s{_clock_text(clock)}{self._fragment() or encoder.advice}"
            if not is_sent:
                what = f"it has not read its input for {seconds:.3g} s"
            raise self._judged(hook, BotFault(ForfeitKind.TIMEOUT, what)) from None

    def _fragment(self) -> str:
        """Describe the unfinished answer, if there is one."""
        noun = self._encoder.noun
        return f", in the middle of the {noun} {quoted(bytes(self._unread))}" if self._unread else ""

    def _judged(self, hook: str, fault: BotFault) -> BotFault:
        """Return a fault with all that the author needs; end the process if its state is unknown."""
        if fault.kind in _GOES_ON:
            return fault
        if self.process is not None:
            self._end_process(self.process)
        return BotFault(fault.kind, f"in {hook}: {fault.detail}{last_lines(self._last_words)}")

    # ---- its output ----------------------------------------------------------------------------------------

    def log_output(self) -> None:
        """Log what the bot has written so far."""
        if self.process is not None:
            self.process.hear()
        if self._open_line:
            self._log_line(self._open_line)
            self._open_line = b""
        self._output.end_lines()

    def _hear(self, data: bytes) -> None:
        """Log what the process has written to standard error; of a flood, only what may be the output of a game."""
        room = max(2 * PER_GAME - self._heard, 0)
        self._heard += len(data)
        if len(data) > room:
            data = data[:room] + (b"\n[more is dropped]\n" if room else b"")
        *lines, self._open_line = (self._open_line + data).split(b"\n")
        for line in lines:
            self._log_line(line)

    def _log_line(self, line: bytes) -> None:
        text = line.decode("utf-8", "replace") + "\n"
        self._output.write(text)
        self._last_words = (self._last_words + text)[-2 * _LAST_LINES * _LINE_LENGTH :]


def last_lines(text: str) -> str:
    """Return the end of what a bot has written, to be shown below a message for its author.

    >>> last_lines("one\\ntwo\\x07\\n")
    '\\n  one\\n  two?'
    """
    lines = printable(text).strip().splitlines()[-_LAST_LINES:]
    return "".join(f"\n  {line[:_LINE_LENGTH]}" for line in lines)


def _clock_text(clock: TimeLeft | None) -> str:
    """Say what time a decision had, for the message of a timeout; a process gets a second more than that.

    >>> _clock_text(TimeLeft(200, None)), _clock_text(None)
    (', more than the 200 ms of its clock', '')
    """
    return "" if clock is None else f", more than the {clock.total_ms:,.0f} ms of its clock"


class ProcessPool:
    """Bounds the number of running processes: those that have not played for longest are ended."""

    def __init__(self, most: int = 64) -> None:
        self.most = most
        self._bots: dict[RemoteBot, None] = {}  # in the order of their last games

    def use(self, bot: RemoteBot) -> None:
        """Note that a bot plays now; end the process of the bot that has not played for longest."""
        self._bots.pop(bot, None)
        self._bots[bot] = None
        if len(self._bots) > self.most:
            oldest = next(iter(self._bots))
            del self._bots[oldest]
            oldest.close()

    def log_output(self) -> None:
        """Log what the bots have written: they may be ended at any time now."""
        for bot in self._bots:
            bot.log_output()

    def close(self) -> None:
        """End all processes."""
        for bot in self._bots:
            bot.close()
