# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, annotation_typing=False
"""What a seat knows as bytes, for bots in other processes of this machine.

`pack_view` writes all that a view holds, and of its history what is new; a `Desk` in the bot's process makes the
same view of it again. Nothing that the seat does not know is among the bytes. They are a memory image: both sides must
run the same build.
"""

from __future__ import annotations

import os
import select
import struct
from typing import Any, NamedTuple

try:
    import cython
except ImportError:
    from arena.compiled import nocython as cython  # type: ignore[no-redef]

from arena.game.engine import State, View
from arena.game.moves import MOVE_COUNT, Event, Move, SeatLog, moves_by_number
from arena.game.rng import Rng
from arena.game.rules import Rules

if not cython.compiled:
    import marshal

    from arena.game.board import FIELDS, copy_block
    from arena.game.engine import is_spare, st_list
    from arena.game.turns import CODES, legal_codes

    def packed(view: View, told: int) -> bytes:
        """The bytes of a view: their number, seat, place in the history, new events, all fields of the board."""
        codes = [] if view.log is None else view.log.codes[told : view.log_length]
        image = marshal.dumps((view.seat, told, codes, [getattr(view, name) for name in FIELDS]))
        return len(image).to_bytes(4, "little") + image

    def unpacked(view: View, log: SeatLog, data: bytes, at: int) -> int:
        """Fill a view and go on with its log; the place behind, or -1 if the log does not fit."""
        size = int.from_bytes(data[at : at + 4], "little")
        try:
            view.seat, told, codes, fields = marshal.loads(data[at + 4 : at + 4 + size])
        except (ValueError, EOFError, TypeError):
            return -1
        if told != len(log) or len(fields) != len(FIELDS):
            return -1
        for name, value in zip(FIELDS, fields):
            setattr(view, name, value)
        for code in codes:
            log.add(code)
        view.log_length = len(log)
        return at + 4 + size

    def exchange(line: Line, begun: bytes, image: bytes, flags: int, move_ms: float, bank_ms: float) -> int:
        """`Line.ask` for the image of a view."""
        message = begun + QUESTION.pack(len(image) + 21, ASK, line.question, flags, move_ms, bank_ms) + image
        line.data = b""
        try:
            sent = os.write(line.out, message)
        except OSError:
            sent = 0
        line.unsent = message[sent:]
        if not line.unsent and select.select([line.back], [], [], 0.02)[0]:
            line.data = os.read(line.back, 65536)
        if len(line.data) == REPLY.size:
            size, kind, number, move = REPLY.unpack(line.data)
            if (size, kind, number) == (6, ANSWER, line.question):
                return int(move)
        return -1

    def read_once(back: int) -> bytes | None:
        """What a pipe has, None at its end."""
        return os.read(back, 65536) or None

    def question_of(data: bytes) -> int:
        """The number of a question, 0 if the data are not exactly one."""
        if len(data) < QUESTION.size:
            return 0
        size, kind, number, *_ = QUESTION.unpack_from(data)
        return int(number) if (size, kind) == (len(data) - 5, ASK) else 0

    def reply(out: int, question: int, move: int) -> bool:
        """Answer; False if the pipe did not take it."""
        try:
            return os.write(out, REPLY.pack(6, ANSWER, question, move)) == REPLY.size
        except OSError:
            return False


#: Kinds of frames, as in `arena.bots.isolation.python_messages`; in C they are written out.
ASK, ANSWER = 4, 13
#: A frame that asks for a move, up to the view: size, kind, question, flags, clock.
QUESTION = struct.Struct("=IBIBdd")
#: A frame that answers with a move: size, kind, question, move.
REPLY = struct.Struct("=IBIH")


class Noted(NamedTuple):
    """A bot's answer with a note: the number of its move, and the text of the note."""

    move: int
    text: str


def pack_view(view: View, told: int) -> bytes:
    """A view as bytes; of its history only what came after the first `told` events.

    `rng` and `clock` are not among them.
    """
    if view is None:
        raise TypeError("None is no view")
    if told < 0 or told > view.log_length:
        raise ValueError(f"the view has {view.log_length} events, {told} cannot have been told")
    return packed(view, told)


def events_of(view: View) -> int:
    """How many events the history of a view has."""
    if view is None:
        raise TypeError("None is no view")
    return view.log_length


class Desk:
    """One game as its bot sees it, in the bot's process."""

    if not cython.compiled:
        rules: Rules
        table: tuple[Move, ...]
        log: SeatLog
        rng: Rng
        spare: View | None
        state: State
        asked: int

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.table = moves_by_number(rules.spy_value)
        self.begin(0)
        self.state = State.__new__(State)

    def begin(self, seed: int) -> None:
        """A new game: nothing was told yet; `seed` is that of the seat's generator. `asked` counts the views read."""
        self.asked = 0
        self.log = SeatLog()
        self.rng = Rng(seed)
        self.spare = None

    def read(self, data: bytes, at: int, clock: Any = None) -> tuple[View, list[Move], int]:
        """The view that stands at place `at`, the legal moves, and the place behind it.

        ValueError if there is none, or its events do not follow on those that were told before.
        """
        if self.state is None or data is None:
            raise TypeError("this desk was never initialised" if self.state is None else "None is no data")
        seen = self.spare if cython.compiled else None
        if seen is None or not is_spare(seen):
            seen = View.__new__(View)
            self.spare = seen
        stop = unpacked(seen, self.log, data, at)
        if stop < 0:
            raise ValueError("this is no view, or its events do not follow on those told before")
        seen.rules = self.rules
        seen.table = self.table
        seen.log = self.log
        seen.rng = self.rng
        seen.clock = clock
        seen.noted = None
        self.asked += 1
        state = self.state
        copy_block(state, seen)
        n = legal_codes(state, CODES)
        return seen, st_list(CODES, n, self.table), stop

    def events(self, start: int) -> tuple[Event, ...]:
        """What was told, from event `start` on."""
        return self.log.events(self.rules.spy_value, start, len(self.log))


class Line:
    """The runner's ends of two pipes to a bot's process: questions, and their answers.

    The common case is all in one step, see `ask`; frames are those of `arena.bots.isolation.python_messages`.
    """

    if not cython.compiled:
        out: int
        back: int
        begun: bytes
        told: int
        question: int
        data: bytes
        unsent: bytes

    def __init__(self, out: int, back: int) -> None:
        self.out = out
        self.back = back
        self.question = 0
        self.begin(b"")

    def begin(self, message: bytes) -> None:
        """A new game: `message` goes before the first question."""
        if message is None:
            raise TypeError("None is no message")
        self.begun = message
        self.told = 0
        self.data = b""
        self.unsent = b""

    def count(self) -> int:
        """The number of a new question."""
        self.question = self.question % 0xFFFFFFFF + 1
        return self.question

    def tell(self, view: View) -> tuple[bytes, bytes]:
        """What begins the game if that was not sent yet, and the view with all events that were not told yet."""
        if view is None or self.begun is None:
            raise TypeError("None is no view" if view is None else "no game has begun on this line")
        if view.log_length < self.told:
            raise ValueError("the view is older than what was told")
        begun = self.begun
        told = self.told
        self.begun = b""
        self.told = view.log_length
        return begun, packed(view, told)

    def ask(self, view: View, flags: int, move_ms: float, bank_ms: float) -> int:
        """Send a question with a view, and wait a moment: the number of the move that was answered.

        -1 if it is not that simple: `unsent` is what the pipe did not take, `data` what has come back so far.
        """
        begun, image = self.tell(view)
        self.count()
        return exchange(self, begun, image, flags, move_ms, bank_ms)


def answer_line(back: int, out: int, desk: Desk | None, act: Any, clock_of: Any) -> tuple[bytes | None, int, Any]:
    """Answer questions with the moves of `act` as they come, until something else comes.

    `act` is None if it is not that simple. Returns what was read and not answered (None at the end of the pipe); or the
    number of a question, and what the bot raised or returned instead of a move, or `Noted`.
    """
    while True:
        data = read_once(back)
        if data is None or act is None or desk is None or not (question := question_of(data)):
            return data, 0, None
        try:
            clock = clock_of(*QUESTION.unpack_from(data)[3:6]) if data[9] else None
            seen, moves, _ = desk.read(data, 26, clock)
            made = act(seen, moves)
        except BaseException as error:
            return b"", question, error
        if type(made) is not Move:
            return b"", question, made
        move = made
        if not 0 <= move.index < MOVE_COUNT or desk.table[move.index] is not move:
            return b"", question, made
        if seen.noted is not None:
            return b"", question, Noted(move.index, seen.noted)
        del seen  # nobody keeps it: its memory is used again
        if not reply(out, question, move.index):
            return None, 0, None
