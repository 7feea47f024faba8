"""The runner's side of the messages to a Python bot in a process; `python_child` has their table."""

from __future__ import annotations

import dataclasses
import json
import os
import sys
import sysconfig
from pathlib import Path
from typing import NamedTuple

from arena.bots.bot import BotFault, GameEnd, Setup
from arena.bots.isolation import python_child as child  # children write no bytecode; so theirs is there when they start
from arena.bots.isolation.python_child import clock_flags, pack_message
from arena.bots.isolation.sandbox import counts_inside
from arena.bots.limits import BotLimits, HelloAnswer, Isolation, Launch
from arena.bots.spec import BotSpec
from arena.endings import ForfeitKind
from arena.game.engine import View
from arena.game.moves import MOVES, Move
from arena.game.packing import ANSWER, REPLY, Line
from arena.game.rules import Rules
from arena.paths import PACKAGE
from arena.text import printable

#: Nothing that is imported here ever becomes garbage, so the collector is off meanwhile.
_BOOT = (
    "import gc, sys; gc.disable(); sys.path.append(sys.argv[1]); "
    "from arena.bots.isolation.python_child import child_main; gc.enable(); child_main()"
)
_ONE_CORE = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")


class Message(NamedTuple):
    """A kind, such as `ANSWER`, and a body."""

    kind: int
    body: bytes


class ImageEncoder:
    """Writes and reads the messages to a Python bot. `hello` runs its file, `make` makes the bot."""

    noun, advice, loading = "message", "", "loading"
    may_leave = False
    is_direct = True
    """Sends questions itself: `ask` is one call of the engine, which returns the answer if that comes at once."""

    def __init__(self, spec: BotSpec, rules: Rules, level: str, limits: BotLimits) -> None:
        self.launch = Launch(
            argv=(sys.executable, "-P", "-s", "-S", "-c", _BOOT, str(PACKAGE.parent)),
            folder=spec.folder,
            level=level,
            limits=limits,
            read_only=tuple(Path(path) for path in _package_folders()),
            environment=_environment(),
        )
        self.options = HelloAnswer()
        self._spec = spec
        self._rules = rules
        self._table = MOVES[rules.spy_value]
        self._line: Line

    @property
    def wants_result(self) -> bool:
        """Whether the bot wants to hear of the end of a game."""
        return self.options.events

    def open(self, out: int, back: int) -> None:
        """Begin a conversation with a new process."""
        self._line = Line(out, back)

    # ---- to the bot ----------------------------------------------------------------------------------------

    def hello(self) -> bytes:
        """Return the message that loads the bot's file."""
        launch = self.launch
        counted = launch.level == Isolation.SANDBOX and counts_inside()
        order = {
            "spec": dataclasses.asdict(dataclasses.replace(self._spec, bundle=None)),
            "rules": dataclasses.asdict(self._rules),
            "paths": _package_folders(),
            "threads": launch.limits.processes if counted else 0,
        }
        return pack_message(child.LOAD, json.dumps(order).encode())

    def make(self) -> bytes:
        """Return the message that makes the bot."""
        return pack_message(child.MAKE)

    def begin(self, setup: Setup) -> bytes:
        """Return the message that begins a game."""
        self._line.begin(b"")
        flags, move_ms, bank_ms = clock_flags(setup.clock)
        body = child.BEGINNING.pack(setup.seat, setup.starter, setup.seed, flags, move_ms, bank_ms)
        return pack_message(child.BEGIN, body)

    def ask(self, view: View, moves: list[Move], unread: bytearray) -> Move | bytes:
        """Ask for a move and wait a moment. Without one, return what was not sent, and add the answer to `unread`."""
        line, table, clock = self._line, self._table, view.clock
        number = line.ask(view, 0, 0.0, 0.0) if clock is None else line.ask(view, *clock_flags(clock))
        if 0 <= number < len(table):
            return table[number]
        unread += line.data if number < 0 else REPLY.pack(6, ANSWER, line.question, number)
        return line.unsent if number < 0 else b""

    def end(self, view: View, result: GameEnd) -> bytes:
        """Return the message with the events that the bot has not seen yet, and the result."""
        text = json.dumps([result.winner, result.stones, result.reason, result.forfeit]).encode()
        _, image = self._line.tell(view)
        return pack_message(child.END, child.ENDING.pack(len(text)) + text + image)

    def bye(self) -> bytes:
        """Return nothing: the process ends when its input does."""
        return b""

    # ---- from the bot --------------------------------------------------------------------------------------

    def take(self, unread: bytearray) -> Message | None:
        """Take the next message from what was received; None if it is not complete. `BotFault` for nonsense."""
        if len(unread) < child.HEAD.size:
            return None
        size, kind = child.HEAD.unpack_from(unread)
        if not child.DONE <= kind <= child.NOTED or size > child.LONGEST_MESSAGE:
            raise _fault(f"sent something that is no answer: {bytes(unread[:40])!r}")
        end = child.HEAD.size + size
        if len(unread) < end:
            return None
        body = bytes(unread[child.HEAD.size : end])
        del unread[:end]
        return Message(kind, body)

    def read_hello(self, message: Message) -> None:
        """Read whether the bot's file was loaded."""
        self.read_done(message)

    def read_made(self, message: Message) -> None:
        """Read the options of the bot, which was made."""
        if message.kind != child.MADE or len(message.body) != 1:
            raise _reported(message, 0)
        flags = message.body[0]
        self.options = HelloAnswer(
            bool(flags & child.AUTO_CLAIM), bool(flags & child.ASK_FORCED), bool(flags & child.WANTS_RESULT)
        )

    def read_done(self, message: Message) -> None:
        """Read that a message was carried out."""
        if message.kind != child.DONE or message.body:
            raise _reported(message, 0)

    def read_move(self, view: View, moves: list[Move], message: Message) -> Move:
        """Read the answer to the last question, with its note; `View.note` checks the content of that."""
        if message.kind == child.FAULT:
            raise _reported(message, self._line.question)
        body, text = message.body[: child.ANSWERING.size], message.body[child.ANSWERING.size :]
        if (
            message.kind not in (ANSWER, child.NOTED)
            or len(body) < child.ANSWERING.size
            or (text and message.kind == ANSWER)
        ):
            raise _fault("sent something that is no answer to the question")
        number: int
        question, number = child.ANSWERING.unpack(body)
        if question != self._line.question:
            raise _fault("answered a question that was not asked, or answered twice")
        if message.kind == child.NOTED:
            try:
                note = json.loads(text) if len(text) <= child.LONGEST_NOTE else None
            except (ValueError, RecursionError):
                note = None
            if not isinstance(note, dict):
                raise _fault(f"sent something that is no note: {text[:40]!r}")
            view.note(**note)
        if number >= len(self._table):
            raise _fault(f"answered with move number {number}, which does not exist")
        return self._table[number]


def _reported(message: Message, question: int) -> BotFault:
    """Return the failure that a child reports, or the fault of a report that makes no sense."""
    if message.kind != child.FAULT or len(message.body) < child.FAULTY.size:
        return _fault("sent something that is no answer to the question")
    number, hook, kind = child.FAULTY.unpack_from(message.body)
    if number != question or hook >= len(child.HOOKS) or kind >= len(child.MESSAGE_KINDS):
        return _fault("told of a failure that nobody asked for")
    clean = printable(message.body[child.FAULTY.size :][: child.LONGEST_TEXT].decode("utf-8", "replace"))
    is_whole = child.MESSAGE_KINDS[kind] == ForfeitKind.ILLEGAL_MOVE or child.HOOKS[hook] == "loading"
    return BotFault(child.MESSAGE_KINDS[kind], clean if is_whole else f"in {child.HOOKS[hook]}: {clean}")


def _fault(what: str) -> BotFault:
    return BotFault(ForfeitKind.PROTOCOL, what)


def _package_folders() -> list[str]:
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
