"""Run in the process that plays one Python bot: read messages, call the bot, answer.

It is started by `arena.bots.isolation.remote_bot` with nothing but its pipes; the bot's standard output and standard
error both go to the runner's log. Whatever the bot does here it does to itself: the runner accepts nothing but moves.

A message is the length of its body (4 bytes), its kind (1 byte) and the body, without gaps. The runner asks, the child
answers each message. What the child sends is not trusted (`arena.bots.isolation.image_encoder` reads it): fields are
fixed, lengths are bounded, and nothing is unpickled or evaluated.

========== ======================================================================================================
LOAD       JSON: the bot's spec, the rules, where Python finds packages. Answer: DONE, or FAULT
MAKE       make the bot. Answer: MADE, or FAULT
BEGIN      a game begins: seat, starter, seed, clock. Answer: DONE, or FAULT
ASK        a number that the answer must repeat, clock, and a view (`arena.game.packing`). Answer: ANSWER with the
           number of a move, NOTED with a note as well, or FAULT
END        the rest of a game's events and its result. Answer: DONE, or FAULT
========== ======================================================================================================
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import random
import struct
import sys
from collections.abc import Callable
from typing import Any

from arena.bots.bot import GameEnd, Setup, TimeLeft, hook_of
from arena.bots.faults import author_traceback, show_value
from arena.bots.loading import LoadedBot, load_bot
from arena.bots.output import BotOutput, no_breakpoint
from arena.bots.spec import BotSpec
from arena.endings import ForfeitKind
from arena.game.explain import MADE_BY_HAND
from arena.game.moves import MOVES, Move
from arena.game.notes import LOST
from arena.game.packing import ANSWER, ASK, QUESTION, REPLY, Desk, Noted, answer_line
from arena.game.rng import derive_seed
from arena.game.rules import Rules

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

_PIECE = 1 << 16

HEAD = struct.Struct("=IB")
# ASK is 4 and ANSWER 13: the engine writes these messages
LOAD, MAKE, BEGIN, END = 1, 2, 3, 5
DONE, MADE, FAULT, NOTED = 11, 12, 14, 15

#: Seat, who starts, seed, flags, milliseconds for a move and in the bank.
BEGINNING = struct.Struct("=BBQBdd")
#: Length of the result's JSON.
ENDING = struct.Struct("=I")
#: Number of the question, number of the move.
ANSWERING = struct.Struct("=IH")
#: The longest note, as JSON in ASCII.
LONGEST_NOTE = 1 << 12
#: Number of the question (0: none), hook, kind.
FAULTY = struct.Struct("=IBB")

MOVE_MS, _BANK_MS = 1, 2
AUTO_CLAIM, ASK_FORCED, WANTS_RESULT = 1, 2, 4
HOOKS = ("loading", "__init__", "begin", "observe", "act", "end")
MESSAGE_KINDS = (ForfeitKind.EXCEPTION, ForfeitKind.ILLEGAL_MOVE)

#: The longest body that a child may send.
LONGEST_MESSAGE = 1 << 15
LONGEST_TEXT = 8000


def pack_message(kind: int, body: bytes = b"") -> bytes:
    """Return the bytes of a message.

    >>> pack_message(MAKE).hex(" ")
    '00 00 00 00 02'
    """
    return HEAD.pack(len(body), kind) + body


def clock_flags(clock: TimeLeft | None) -> tuple[int, float, float]:
    """Return a clock as the fields of a message: flags, and two numbers."""
    if clock is None:
        return 0, 0.0, 0.0
    move, bank = clock
    flags = (move is not None) * MOVE_MS | (bank is not None) * _BANK_MS
    return flags, move or 0.0, bank or 0.0


def read_clock(flags: int, move: float, bank: float) -> TimeLeft | None:
    """Read the clock from the fields of a message.

    >>> read_clock(*clock_flags(TimeLeft(100, None)))
    TimeLeft(move_ms=100, bank_ms=None)
    """
    if not flags & (MOVE_MS | _BANK_MS):
        return None
    return TimeLeft(move if flags & MOVE_MS else None, bank if flags & _BANK_MS else None)


def fault_message(question: int, hook: str, kind: str, text: str) -> bytes:
    """Return the message in which a child reports a failure of its bot."""
    body = FAULTY.pack(question, HOOKS.index(hook), MESSAGE_KINDS.index(kind))
    return pack_message(FAULT, body + text.encode("utf-8", "replace")[:LONGEST_TEXT])


# ---------------------------------------------------------------- the process


class Child:
    """The main loop. `write` takes whole messages."""

    def __init__(self, write: Callable[[bytes], object]) -> None:
        self.write = write
        self.rules: Rules
        self.moves: tuple[Move, ...] = ()
        self.loaded: LoadedBot
        self.act: Any = None
        self.desk: Desk
        self.begin: Callable[..., object] | None = None
        self.observe: Callable[..., object] | None = None
        self.end: Callable[..., object] | None = None
        self.seen = 0  # events that observe received
        self.quick_act: Any = None  # the bot's act, None if questions need more than that
        self.generators = False
        self.lost_note = False  # whether it was said that a note is lost
        self.games = 0

    def serve(self, orders: int, answers: int) -> None:
        """Answer the messages from a pipe until the runner closes its end."""
        while True:
            desk = None if self.quick_act is None else self.desk
            data, question, thing = answer_line(orders, answers, desk, self.quick_act, read_clock)
            if data is None:
                return
            if thing is not None or not data:
                self._say(question, thing)
                continue
            while data:
                if (whole := _first_message(data)) is not None:
                    data = data[len(whole) :]
                    self.answer(whole[4], whole)
                elif more := os.read(orders, _PIECE):  # a message that came in pieces
                    data += more
                else:
                    return

    def answer(self, kind: int, whole: bytes) -> None:
        """Carry out one message."""
        if kind == ASK:
            self._ask(whole)
        elif kind == BEGIN:
            self._begin(whole[HEAD.size :])
        elif kind == END:
            self._end(whole[HEAD.size :])
        elif kind == LOAD:
            self._load(json.loads(whole[HEAD.size :]))
        elif kind == MAKE:
            self._make()

    # ---- the bot -------------------------------------------------------------------------------------------

    def _load(self, order: dict[str, Any]) -> None:
        if order["threads"]:
            _limit_threads(order["threads"])
        sys.path += [path for path in order["paths"] if path not in sys.path]
        self.rules = Rules(**order["rules"])
        self.moves = MOVES[self.rules.spy_value]
        spec = order["spec"]
        spec["params"] = tuple((key, value) for key, value in spec["params"])
        try:
            self.loaded = load_bot(BotSpec(**spec))
        except BaseException as error:
            self.write(fault_message(0, "loading", ForfeitKind.EXCEPTION, str(error)))
            return
        self.generators = self.loaded.uses_random or self.loaded.uses_numpy
        if "numpy" in self.loaded.imports or "numpy" in sys.modules:
            with contextlib.suppress(ImportError):
                importlib.import_module("numpy.random")  # which numpy itself does at its first use
        gc.freeze()  # what was loaded is never garbage
        self.write(pack_message(DONE))

    def _make(self) -> None:
        try:
            self.desk = Desk(self.rules)
            bot = self.loaded.make()
            self.act = bot.act
            self.begin, self.observe, self.end = (hook_of(bot, name) for name in ("begin", "observe", "end"))
            auto_claim = bool(getattr(bot, "auto_claim", True))
            ask_forced = bool(getattr(bot, "ask_forced", False))
        except BaseException as error:
            self._say_fault(0, "__init__", error)
            return
        flags = (
            AUTO_CLAIM * auto_claim
            | ASK_FORCED * ask_forced
            | WANTS_RESULT * (self.observe is not None or self.end is not None)
        )
        self.write(pack_message(MADE, bytes((flags,))))

    # ---- games ---------------------------------------------------------------------------------------------

    def _begin(self, body: bytes) -> None:
        seat, starter, seed, flags, move, bank = BEGINNING.unpack(body)
        self.games += 1
        self.seen = 0
        self.quick_act = None
        self.desk.begin(seed)
        try:
            if self.generators:
                _seed_generators(derive_seed(seed, "global generators"), self.loaded.uses_numpy)
            if self.begin is not None:
                self.begin(Setup(seat, starter, self.rules, seed, read_clock(flags, move, bank)))
        except BaseException as error:
            self._say_fault(0, "begin", error)
            return
        if self.observe is None:
            self.quick_act = self.act
        self.write(pack_message(DONE))

    def _ask(self, data: bytes) -> None:
        _, _, question, flags, move, bank = QUESTION.unpack_from(data)
        hook = "observe"
        try:
            clock = read_clock(flags, move, bank) if flags else None
            view, moves, _ = self.desk.read(data, QUESTION.size, clock)
            self._tell()
            hook = "act"
            made = self.act(view, moves)
        except BaseException as error:
            self._say_fault(question, hook, error)
            return
        if type(made) is Move and 0 <= made.index < len(self.moves) and self.moves[made.index] is made:
            if view.noted is None:
                self.write(REPLY.pack(6, ANSWER, question, made.index))
            else:
                self._say_noted(question, Noted(made.index, view.noted))
        else:
            self._say_wrong(question, made)

    def _say(self, question: int, thing: Any) -> None:
        """Report what `act` has raised, or returned instead of a move, or its move with a note."""
        if type(thing) is Noted:
            self._say_noted(question, thing)
        elif issubclass(type(thing), BaseException):
            self._say_fault(question, "act", thing)
        else:
            self._say_wrong(question, thing)

    def _say_noted(self, question: int, made: Noted) -> None:
        """Answer with a move and a note. Report the first note that is lost in the bot's output."""
        answer = ANSWERING.pack(question, made.move)
        if not made.text.startswith(LOST):
            self.write(pack_message(NOTED, answer + made.text.encode()))
            return
        if not self.lost_note:
            self.lost_note = True
            print(made.text, file=sys.stderr)
        self.write(pack_message(ANSWER, answer))

    def _say_wrong(self, question: int, made: Any) -> None:
        text = f"act returned {show_value(made)}, not one of the moves"
        if type(made) is Move:
            text = f"{made} is not legal: {MADE_BY_HAND}"
        self.write(fault_message(question, "act", ForfeitKind.ILLEGAL_MOVE, text))

    def _tell(self) -> None:
        """Call `observe`, if the bot has it, with the events it has not received yet."""
        if self.observe is not None:
            events = self.desk.events(self.seen)
            self.seen += len(events)
            for event in events:
                self.observe(event)

    def _end(self, body: bytes) -> None:
        (size,) = ENDING.unpack_from(body)
        start = ENDING.size + size
        winner, stones, reason, forfeit = json.loads(body[ENDING.size : start])
        hook = "observe"
        try:
            self.desk.read(body, start)
            self._tell()
            hook = "end"
            if self.end is not None:
                self.end(GameEnd(winner, (stones[0], stones[1]), reason, forfeit))
        except BaseException as error:
            self._say_fault(0, hook, error)
            return
        self.write(pack_message(DONE))

    def _say_fault(self, question: int, hook: str, error: BaseException) -> None:
        self.write(fault_message(question, hook, ForfeitKind.EXCEPTION, author_traceback(error)))


def _first_message(data: bytes) -> bytes | None:
    """Return the first message, None if it is not complete."""
    if len(data) < HEAD.size:
        return None
    size = HEAD.size + HEAD.unpack_from(data)[0]
    return data[:size] if len(data) >= size else None


def _limit_threads(most: int) -> None:
    """Bound this process's threads and waiting signals, where the system counts them for the sandbox alone.

    See `_counted` in `arena.bots.isolation.sandbox`.
    """
    for kind in (resource.RLIMIT_NPROC, resource.RLIMIT_SIGPENDING):
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(kind, (most, most))


def _seed_generators(seed: int, numpy: bool) -> None:
    random.seed(seed)
    generator = sys.modules.get("numpy.random") if numpy else None
    if generator is not None:
        generator.seed(seed & 0xFFFFFFFF)


class _Output(BotOutput):
    """Sends what a bot prints to the runner, within bounds, line by line."""

    @staticmethod
    def _log(bot: str, game: str, line: str) -> None:
        with contextlib.suppress(OSError):
            os.write(2, line.encode("utf-8", "replace") + b"\n")


def child_main() -> None:
    """Serve on the pipes passed as standard input and output."""
    orders, answers = os.dup(0), os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(2, 1)
    os.close(nowhere)
    write = os.write

    def write_all(data: bytes) -> None:
        written = write(answers, data)
        while written < len(data):
            written += write(answers, data[written:])

    child = Child(write_all)
    output = _Output(lambda: ("", str(child.games)))
    sys.stdout = sys.stderr = output
    sys.breakpointhook = no_breakpoint
    code = 0
    try:
        with open(0, closefd=False) as sys.stdin:
            child.serve(orders, answers)
    except BaseException as error:  # what a bot has done to modules, or a fault of ours
        code = 1
        with contextlib.suppress(BaseException):
            os.write(2, f"the process of the bot cannot go on: {type(error).__name__}: {error}\n".encode())
    finally:
        os._exit(code)  # no waiting for threads and no exit handlers: both may be a bot's
