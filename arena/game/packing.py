# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, annotation_typing=False
"""Views as bytes, for bots in other processes of this machine.

A `Line` sends everything that a view holds, and the new part of its history; a `Desk` in the bot's process turns the
bytes into the same view. The bytes contain nothing that the seat does not know. They are a memory image, so both
sides must run the same build.
"""

from __future__ import annotations

import os
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
        """Return the bytes of a view: size, seat, place in the history, new events, all fields of the board."""
        codes = [] if view.log is None else view.log.codes[told : view.log_length]
        image = marshal.dumps((view.seat, told, codes, [getattr(view, name) for name in FIELDS]))
        return len(image).to_bytes(4, "little") + image

    def unpacked(view: View, log: SeatLog, data: bytes, at: int) -> int:
        """Fill a view and extend its log; return the place behind it, or -1 if the events do not fit the log."""
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
        """Leave it to the caller to send the question and to wait for its answer."""
        line.data = b""
        line.unsent = begun + QUESTION.pack(len(image) + 21, ASK, line.question, flags, move_ms, bank_ms) + image
        return -1

    def read_once(back: int) -> bytes | None:
        """Return what can be read from a pipe now, None at its end."""
        return os.read(back, 65536) or None

    def question_of(data: bytes) -> int:
        """Return 0: `answer_line` leaves all questions to its caller."""
        return 0

    def reply(out: int, question: int, move: int) -> bool:
        """Return False: no answer is sent here."""
        return False


#: Kinds of frames, as in `arena.bots.isolation.python_child`; in C the numbers are written out.
ASK, ANSWER = 4, 13
#: A frame that asks for a move, up to the view: size, kind, question, flags, clock.
QUESTION = struct.Struct("=IBIBdd")
#: A frame that answers with a move: size, kind, question, move.
REPLY = struct.Struct("=IBIH")


class Noted(NamedTuple):
    """A bot's answer with a note: the number of the move, and the text of the note."""

    move: int
    text: str


class Desk:
    """One game as its bot sees it, in the bot's process."""

    if not cython.compiled:
        rules: Rules
        table: tuple[Move, ...]
        log: SeatLog
        rng: Rng
        spare: View | None
        state: State

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.table = moves_by_number(rules.spy_value)
        self.begin(0)
        self.state = State.__new__(State)

    def begin(self, seed: int) -> None:
        """Begin a new game, of which nothing has been received yet.

        `seed` is the seed of the seat's generator.
        """
        self.log = SeatLog()
        self.rng = Rng(seed)
        self.spare = None

    def read(self, data: bytes, at: int, clock: Any = None) -> tuple[View, list[Move], int]:
        """Return the view at place `at` of the data, the legal moves, and the place behind the view.

        Raises ValueError if there is no view, or if its events do not follow those received before.
        """
        if self.state is None or data is None:
            raise TypeError("make desks with Desk(rules)" if self.state is None else "None is not data")
        seen = self.spare if cython.compiled else None
        if seen is None or not is_spare(seen):
            seen = View.__new__(View)
            self.spare = seen
        stop = unpacked(seen, self.log, data, at)
        if stop < 0:
            raise ValueError("this is not a view, or its events do not follow those received before")
        seen.rules = self.rules
        seen.table = self.table
        seen.log = self.log
        seen.rng = self.rng
        seen.clock = clock
        seen.noted = None
        state = self.state
        copy_block(state, seen)
        n = legal_codes(state, CODES)
        return seen, st_list(CODES, n, self.table), stop

    def events(self, start: int) -> tuple[Event, ...]:
        """Return the events received so far, from number `start` on."""
        return self.log.events(self.rules.spy_value, start, len(self.log))


class Line:
    """The runner's ends of two pipes to a bot's process, one for questions and one for answers.

    `ask` handles the common case in one step. Frames are as in `arena.bots.isolation.python_child`.
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
        """Begin a new game, in which `message` goes before the first question."""
        if message is None:
            raise TypeError("None is not a message")
        self.begun = message
        self.told = 0
        self.data = b""
        self.unsent = b""

    def count(self) -> int:
        """Return the number of a new question."""
        self.question = self.question % 0xFFFFFFFF + 1
        return self.question

    def tell(self, view: View) -> tuple[bytes, bytes]:
        """Return the message that begins the game, if not sent yet, and the view with all events not sent yet."""
        if view is None or self.begun is None:
            raise TypeError("None is not a view" if view is None else "no game has begun on this line")
        if view.log_length < self.told:
            raise ValueError("the view is older than the events already sent")
        begun = self.begun
        told = self.told
        self.begun = b""
        self.told = view.log_length
        return begun, packed(view, told)

    def ask(self, view: View, flags: int, move_ms: float, bank_ms: float) -> int:
        """Send a question with a view, wait a moment, and return the number of the move answered.

        Returns -1 if the whole question could not be sent or no plain answer came: `unsent` is then what the pipe did
        not take, and `data` what has come back so far.
        """
        begun, image = self.tell(view)
        self.count()
        return exchange(self, begun, image, flags, move_ms, bank_ms)


def answer_line(back: int, out: int, desk: Desk | None, act: Any, clock_of: Any) -> tuple[bytes | None, int, Any]:
    """Answer questions with the moves of `act` as they come, until something else comes.

    `act` is None while questions need more than a call of it. Returns the data read and not answered (None at the end
    of the pipe), 0 and None; or no data, the number of a question, and what the bot raised or returned instead of a
    move, or `Noted`.
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
        del seen  # if nobody keeps the view, its memory is used again
        if not reply(out, question, move.index):
            return None, 0, None
