"""A Python bot that lives in a process of its own, as the runner sees it.

``IsolatedBot`` offers what a bot offers (``begin``, ``act``), so the referee plays it like any other. What goes wrong
in the child comes out as ``BotFault``: what its bot raised (``exception``), no answer in time (``timeout``), the end
of the process (``crash``), an answer that is none (``protocol``). After all but the first the process is ended with
everything it has started, and the next game gets a new one.
"""

from __future__ import annotations

import dataclasses
import json
import os
import sys
import sysconfig
import time
from collections import OrderedDict
from pathlib import Path

from arena.game.engine import View
from arena.game.moves import MOVES, Move
from arena.game.packing import events_of, pack_view
from arena.game.rules import Rules
from arena.isolation.frames import (
    ANSWER,
    ASK,
    ASK_FORCED,
    ASKING,
    AUTO_CLAIM,
    BEGIN,
    BEGINNING,
    DONE,
    DRAWS,
    END,
    ENDING,
    HAS_BEGIN,
    HAS_END,
    HAS_OBSERVE,
    HEAD,
    LOAD,
    MADE,
    MAKE,
    REPLY,
    SINGLE,
    SINGLE_ANSWER,
    Frame,
    Reading,
    clock_flags,
    fault_of,
    frame,
    read_answer,
)
from arena.isolation.limits import BotLimits
from arena.isolation.process import BotProcess, Ended, Launch, Overdue
from arena.players.bot import BotFault, GameEnd, RemoteBot, Setup, TimeLeft
from arena.players.faults import BotError
from arena.players.loading import BotSpec
from arena.players.output import BotOutput

GRACE_S = 1.0
"""With a clock the referee judges, exactly; the child is given this much longer before it is ended."""

_PACKAGE = Path(__file__).resolve().parents[1]
_BOOT = "import sys; sys.path.append(sys.argv[1]); from arena.isolation.child import main; main()"
_ONE_CORE = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")


class IsolatedBot(RemoteBot):
    """A Python bot in a child process, at one of the levels of ``arena.isolation.process``."""

    def __init__(
        self,
        spec: BotSpec,
        rules: Rules,
        level: str,
        limits: BotLimits,
        household: Household | None = None,
    ) -> None:
        """Starts nothing yet: ``load`` or ``prepare`` does."""
        self.name = spec.name
        self._spec = spec
        self._rules = rules
        self._launch = Launch(
            argv=(sys.executable, "-P", "-s", "-S", "-c", _BOOT, str(_PACKAGE.parent)),
            folder=Path(spec.path).parent,
            level=level,
            limits=limits,
            read_only=tuple(Path(path) for path in package_folders()),
            environment=_environment(),
        )
        self._limits = limits
        self._household = household
        self._process: BotProcess | None = None
        self._reading = Reading()
        self._flags: int | None = None
        self._question = 0
        self._table = MOVES[rules.spy_value]
        self._told = 0
        self._begun = b""
        self._games = 0
        self._output = BotOutput(lambda: (spec.name, self._games))

    # ---- its life ------------------------------------------------------------------------------------------

    @property
    def process(self) -> BotProcess | None:
        """The process, None if there is none now."""
        return self._process

    def load(self) -> None:
        """Start the process and run the bot's file in it; ``BotError`` if that fails, as ``load_bot``."""
        if self._process is not None:
            return
        self._process = BotProcess(self._launch)
        self._reading = Reading()
        spec = dataclasses.asdict(self._spec)
        rules = dataclasses.asdict(self._rules)
        order = json.dumps({"spec": spec, "rules": rules, "paths": package_folders()})
        deadline = time.monotonic() + self._limits.loading_s
        try:
            self._done(self._exchange(frame(LOAD, order.encode()), deadline, "loading"))
        except BotFault as fault:
            self.close()
            if fault.kind == "exception":
                raise BotError(fault.detail.removeprefix("in loading: ")) from None
            raise BotError(f"the bot {self._spec.target} cannot be loaded: {fault.detail}") from None

    def prepare(self) -> None:
        """Have the bot made and ready for a game, in a new process if need be. Raises ``BotFault``."""
        if self._household is not None:
            self._household.use(self)
        self._games += 1
        process = self._process
        if process is not None:
            self._hear()
            if process.cpu_seconds() > self._limits.cpu_s / 2:
                self.close()
        if self._process is not None and self._flags is not None:
            return
        try:
            self.load()
        except BotError as error:
            raise BotFault("exception", str(error)) from None
        started = time.monotonic()
        made = self._exchange(frame(MAKE), started + self._limits.loading_s, "__init__")
        if made.kind != MADE or len(made.body) != 1:
            raise self._failed(fault_of(made, 0))
        flags = made.body[0]
        if self._flags is None:  # read once
            self.auto_claim = bool(flags & AUTO_CLAIM)
            self.ask_forced = bool(flags & ASK_FORCED)
            if flags & (HAS_OBSERVE | HAS_END):
                self.finish = self._finish
        quick = time.monotonic() - started < 0.02
        self.steps = quick and not flags & (HAS_OBSERVE | HAS_END | DRAWS)
        self._flags = flags

    def close(self) -> str:
        """End the process; how it ended."""
        process, self._process = self._process, None
        if process is None:
            return "it does not run"
        how = process.close()
        self._say(process.complaints())
        self._output.end_lines()
        return how

    # ---- what the referee calls ----------------------------------------------------------------------------

    def begin(self, setup: Setup) -> None:
        """A new game. Asks the child only if its bot has a ``begin``."""
        self._told = 0
        self._begun = b""
        wants = bool((self._flags or 0) & HAS_BEGIN)
        message = self.beginning(0, setup, wants)
        if wants:
            self._done(self._exchange(message, self._deadline(setup.clock), "begin"))
        else:
            self._begun = message  # goes with the first question: that saves waking the child

    def beginning(self, table: int, setup: Setup, reply: bool = False) -> bytes:
        """The message that begins a game at a table."""
        flags, move, bank = clock_flags(setup.clock)
        flags |= REPLY * reply
        return frame(BEGIN, BEGINNING.pack(table, setup.seat, setup.starter, setup.seed, flags, move, bank))

    def act(self, view: View, moves: list[Move]) -> Move:
        """The bot's move. A move that is not legal is the referee's to refuse."""
        clock: TimeLeft | None = view.clock
        image = pack_view(view, self._told)
        self._told = events_of(view)
        if clock is None:
            flags, move, bank, seconds = 0, 0.0, 0.0, self._limits.decision_s
        else:
            flags, move, bank = clock_flags(clock)
            seconds = clock.total_ms / 1000 + GRACE_S
        self._question = question = self._question + 1 & 0xFFFFFFFF
        head = SINGLE.pack(len(image) + SINGLE.size - HEAD.size, ASK, question, 1, flags, move, bank, 0)
        message = head + image
        if self._begun:
            message, self._begun = self._begun + message, b""
        number = self._single(message, question, seconds)
        table = self._table
        if number >= len(table):
            raise self._failed(
                BotFault("protocol", f"answered with move number {number}, which does not exist")
            )
        return table[number]

    def _single(self, message: bytes, question: int, seconds: float) -> int:
        """The number of the one move that was asked for: the common case first, all others as any exchange."""
        process = self._process
        if process is None or self._reading.rest:
            self._send(b"", 0.0)  # says what is wrong
        assert process is not None
        try:
            data = process.exchange(message, seconds)
        except (Ended, Overdue) as error:
            raise self._broken(error, "act", seconds) from None
        if len(data) == SINGLE_ANSWER.size:
            size, kind, number, count, move = SINGLE_ANSWER.unpack(data)
            if size == 8 and kind == ANSWER and number == question and count == 1:
                return int(move)
        try:
            self._reading.add(data)
            moves = read_answer(self._rest(time.monotonic() + seconds), question, 1)
            return int.from_bytes(moves, "little")
        except (Ended, Overdue) as error:
            raise self._broken(error, "act", seconds) from None
        except BotFault as fault:
            raise self._failed(fault) from None

    def ask_many(self, beginnings: list[bytes], questions: list[bytes], deadline: float) -> bytes:
        """The moves in many games (2 bytes each), after beginning some of them. ``BotFault`` if one fails."""
        return self._ask(b"".join(questions), len(questions), None, deadline, b"".join(beginnings))

    def _finish(self, view: View, result: GameEnd) -> None:
        """Tell the bot what it has not seen yet, and the result."""
        text = json.dumps([result.winner, result.stones, result.reason, result.forfeit]).encode()
        image = pack_view(view, self._told)
        self._told = events_of(view)
        message = self._begun + frame(END, ENDING.pack(0, len(text)) + text + image)
        self._begun = b""
        self._done(self._exchange(message, self._deadline(None), "end"))

    # ---- messages ------------------------------------------------------------------------------------------

    def _deadline(self, clock: TimeLeft | None) -> float:
        seconds = self._limits.decision_s if clock is None else clock.total_ms / 1000 + GRACE_S
        return time.monotonic() + seconds

    def _ask(
        self, views: bytes, count: int, clock: TimeLeft | None, deadline: float, first: bytes = b""
    ) -> bytes:
        self._question = question = self._question + 1 & 0xFFFFFFFF
        body = ASKING.pack(question, count, *clock_flags(clock)) + views
        found = self._exchange(first + frame(ASK, body), deadline, "act")
        try:
            return read_answer(found, question, count)
        except BotFault as fault:
            raise self._failed(fault) from None

    def _send(self, message: bytes, deadline: float) -> None:
        process = self._process
        if process is None:
            raise BotFault("crash", "the process of the bot does not run")
        if self._reading.rest:
            raise self._failed(BotFault("protocol", "sent something that was not asked for"))
        try:
            process.send(message, deadline)
        except Ended as ended:
            raise self._failed(BotFault("crash", ended.how)) from None
        except Overdue:
            raise self._failed(BotFault("timeout", "it does not read what it is told")) from None

    def _exchange(self, message: bytes, deadline: float, hook: str) -> Frame:
        """Send a message and take the one frame that answers it."""
        start = time.monotonic()
        self._send(message, deadline)
        try:
            return self._rest(deadline)
        except (Ended, Overdue) as error:
            raise self._broken(error, hook, time.monotonic() - start) from None
        except BotFault as fault:
            raise self._failed(fault) from None

    def _rest(self, deadline: float) -> Frame:
        """The frame that is on its way, and must be the only one."""
        assert self._process is not None
        reading = self._reading
        while (found := reading.take()) is None:
            reading.add(self._process.receive(deadline))
        if reading.rest:
            raise BotFault("protocol", "sent more than was asked for")
        return found

    def _broken(self, error: Ended | Overdue, hook: str, waited: float) -> BotFault:
        """The fault of a process that has ended or does not answer."""
        if isinstance(error, Ended):
            return self._failed(BotFault("crash", f"in {hook}: {error.how}{self._last_words()}"))
        return self._failed(BotFault("timeout", f"in {hook}: no answer within {waited:.3g} s"))

    def _done(self, found: Frame) -> None:
        if found.kind != DONE or found.body:
            raise self._failed(fault_of(found, 0))

    def _failed(self, fault: BotFault) -> BotFault:
        """The fault, after ending the process unless it is an honest one whose process can go on."""
        if fault.kind in ("exception", "illegal move"):
            self._hear()
        else:
            self.close()
        return fault

    def _hear(self) -> None:
        if self._process is not None:
            self._say(self._process.complaints())

    def _last_words(self) -> str:
        """The end of what the process has said, for its author."""
        if self._process is None:
            return ""
        text = self._process.complaints()
        self._say(text)
        lines = text.strip().splitlines()[-6:]
        return "".join(f"\n  {line[:300]}" for line in lines)

    def _say(self, text: str) -> None:
        if text:
            self._output.write(text if text.endswith("\n") else text + "\n")


class Household:
    """Keeps the number of running children in bounds: those that have not played for longest are ended."""

    def __init__(self, most: int = 16) -> None:
        self.most = max(most, 2)
        self._bots: OrderedDict[int, IsolatedBot] = OrderedDict()

    def use(self, bot: IsolatedBot) -> None:
        """The bot is to play now."""
        self._bots[id(bot)] = bot
        self._bots.move_to_end(id(bot))
        while len(self._bots) > self.most:
            _, oldest = self._bots.popitem(last=False)
            oldest.close()

    def close(self) -> None:
        """End all."""
        while self._bots:
            self._bots.popitem()[1].close()


def package_folders() -> list[str]:
    """Where installed packages are: what a bot may import beside the standard library."""
    wanted = [sysconfig.get_paths()[name] for name in ("purelib", "platlib")]
    wanted += [path for path in sys.path if Path(path).name in ("site-packages", "dist-packages")]
    return [path for path in dict.fromkeys(wanted) if Path(path).is_dir()]


def _environment() -> dict[str, str]:
    """The whole environment of a child: results must not hang on the user's."""
    found = {"PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1", **dict.fromkeys(_ONE_CORE, "1")}
    if os.environ.get("ARENA_PURE"):
        found["ARENA_PURE"] = "1"
    return found
