# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, annotation_typing=False
"""What a seat knows as bytes, for bots in other processes of this machine, and games that wait for them in step.

`pack_view` writes all that a view holds, and of its history what is new; a `Desk` in the bot's process makes the
same view of it again. Nothing that the seat does not know is among the bytes. They are a memory image: both sides must
run the same build. `Tables` holds many games at once, so that one message can ask a bot for a move in each of them.
"""

from __future__ import annotations

import os
import select
import struct
from typing import Any

try:
    import cython
except ImportError:
    from arena.game import nocython as cython  # type: ignore[no-redef]

from arena.game.engine import State, View
from arena.game.event_log import Event, SeatLog
from arena.game.moves import MOVE_COUNT, Move, moves_by_number
from arena.game.rng import Rng
from arena.game.rules import Rules

if not cython.compiled:
    import marshal

    from arena.game.board import Board
    from arena.game.choices import CODES
    from arena.game.engine import st_list

    _FIELDS = [name for name in Board.__annotations__ if name not in ("rules", "table")]

    def is_spare(view: View) -> bool:
        """As in the engine."""
        return False

    def packed(view: View, told: int) -> bytes:
        """The bytes of a view: their number, seat, place in the history, new events, all fields of the board."""
        if view.log_length < told:
            raise ValueError("the view is older than what was told")
        log = view.log
        codes = [] if log is None else log.codes[told : view.log_length]
        image = marshal.dumps((view.seat, told, codes, [getattr(view, name) for name in _FIELDS]))
        return len(image).to_bytes(4, "little") + image

    def unpacked(view: View, log: SeatLog, data: bytes, at: int) -> int:
        """Fill a view and go on with its log; the place behind, or -1 if the log does not fit."""
        size = int.from_bytes(data[at : at + 4], "little")
        try:
            view.seat, told, codes, fields = marshal.loads(data[at + 4 : at + 4 + size])
        except (ValueError, EOFError, TypeError):
            return -1
        if told != len(log) or len(fields) != len(_FIELDS):
            return -1
        for name, value in zip(_FIELDS, fields):
            setattr(view, name, value)
        for code in codes:
            log.add(code)
        view.log_length = len(log)
        return at + 4 + size

    def exchange(
        line: Line, begun: bytes, image: bytes, question: int, flags: int, move_ms: float, bank_ms: float
    ) -> int:
        """`Line.ask` for the image of a view."""
        message = begun + QUESTION.pack(len(image) + 25, ASK, question, 1, flags, move_ms, bank_ms, 0) + image
        line.data = b""
        try:
            sent = os.write(line.out, message)
        except OSError:
            sent = 0
        line.unsent = message[sent:]
        if not line.unsent and select.select([line.back], [], [], WAIT_MS / 1000)[0]:
            line.data = os.read(line.back, 65536)
        if len(line.data) == REPLY.size:
            size, kind, number, count, move = REPLY.unpack(line.data)
            if (size, kind, number, count) == (8, ANSWER, question, 1):
                return int(move)
        return -1

    def read_once(back: int) -> bytes | None:
        """What a pipe has, None at its end."""
        return os.read(back, 65536) or None

    def is_question(data: bytes) -> bool:
        """Is this one whole question for one move?"""
        if len(data) < QUESTION.size:
            return False
        size, kind, _, count, _, _, _, _ = QUESTION.unpack_from(data)
        return bool(kind == ASK and count == 1 and size == len(data) - 5)

    def question_of(data: bytes) -> int:
        """The number of a question."""
        return int.from_bytes(data[5:9], "little")

    def table_of(data: bytes) -> int:
        """The table that a question is about."""
        return int.from_bytes(data[28:30], "little")

    def has_clock(data: bytes) -> bool:
        """Does a question tell the clock?"""
        return data[11] != 0

    def reply(out: int, question: int, move: int) -> bool:
        """Answer; False if the pipe did not take it."""
        try:
            return os.write(out, REPLY.pack(8, ANSWER, question, 1, move)) == REPLY.size
        except OSError:
            return False


TABLES = 128
"""Games that `Tables` can hold."""

#: Kinds of frames, as in `arena.bots.isolation.python.messages`; in C they are written out.
ASK, ANSWER = 4, 13
#: A frame that asks for one move, up to the view: size, kind, question, count, flags, clock, table.
QUESTION = struct.Struct("<IBIHBddH")
#: A frame that answers with one move: size, kind, question, count, move.
REPLY = struct.Struct("<IBIHH")
WAIT_MS = 20  # then the slow way


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
            raise TypeError("nobody sits at this desk" if self.state is None else "None is no data")
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
        self.asked += 1
        state = self.state
        copy_block(state, seen)
        n = state.legal_codes(CODES)
        return seen, st_list(CODES, n, self.table), stop

    def events(self, start: int) -> tuple[Event, ...]:
        """What was told, from event `start` on."""
        return self.log.events(self.rules.spy_value, start, len(self.log))


def answer_all(desks: list[Desk], acts: list[Any], data: bytes, at: int, count: int) -> tuple[bytearray, int, Any]:
    """Ask a bot for `count` moves, in games whose desk number (2 bytes) and view stand in `data` from `at`.

    `acts[desk](view, moves)` decides. The numbers of its moves, 2 bytes each; and if it fails, the desk and the
    exception that it raised or what it returned instead of a move, else -1 and None.
    """
    out = bytearray(2 * count)
    to = out
    size = len(data)
    for i in range(count):
        if at < 0 or at > size - 2:
            raise ValueError("the question is cut short")
        number = data[at] | data[at + 1] << 8
        if number >= len(desks) or number >= len(acts) or desks[number] is None:
            raise ValueError(f"there is no table {number}")
        desk = desks[number]
        seen, moves, at = desk.read(data, at + 2)
        try:
            got = acts[number](seen, moves)
        except BaseException as error:
            return out, number, error
        if type(got) is not Move:
            return out, number, got
        move = got
        if not 0 <= move.index < MOVE_COUNT or desk.table[move.index] is not move:
            return out, number, got
        del seen  # nobody keeps it: its memory is used again
        to[2 * i] = move.index & 255
        to[2 * i + 1] = move.index >> 8 & 255
    return out, -1, None


class Line:
    """The runner's ends of two pipes to a bot's process: questions for one move, and their answers.

    The common case is all in one step, see `ask`; frames are those of `arena.bots.isolation.python.messages`.
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
        begun = self.begun
        told = self.told
        self.begun = b""
        self.told = view.log_length
        return begun, packed(view, told)

    def ask(self, view: View, flags: int, move_ms: float, bank_ms: float) -> int:
        """Send a question with a view, and wait a moment: the number of the move that was answered.

        -1 if it is not that simple: `unsent` is what the pipe did not take, `data` what has come back so far.
        """
        if view is None or self.begun is None:
            raise TypeError("None is no view" if view is None else "no game has begun on this line")
        begun = self.begun
        told = self.told
        self.begun = b""
        self.told = view.log_length
        return exchange(self, begun, packed(view, told), self.count(), flags, move_ms, bank_ms)


def answer_line(
    back: int, out: int, desks: list[Any], acts: list[Any], clock_of: Any
) -> tuple[bytes | None, int, int, Any]:
    """Answer questions for one move as they come, until something else comes.

    `acts[desk]` decides, None where it is not that simple. Returns what was read and not answered (None at the end
    of the pipe); or the number of a question, the desk, and what the bot raised or returned instead of a move.
    """
    while True:
        data = read_once(back)
        if data is None or not is_question(data):
            return data, 0, 0, None
        number = table_of(data)
        act = acts[number] if number < len(acts) and number < len(desks) else None
        if act is None:
            return data, 0, 0, None
        desk = desks[number]
        if desk is None:
            return data, 0, 0, None
        question = question_of(data)
        try:
            clock = clock_of(*QUESTION.unpack_from(data)[4:7]) if has_clock(data) else None
            seen, moves, _ = desk.read(data, 30, clock)
            made = act(seen, moves)
        except BaseException as error:
            return b"", question, number, error
        if type(made) is not Move:
            return b"", question, number, made
        move = made
        if not 0 <= move.index < MOVE_COUNT or desk.table[move.index] is not move:
            return b"", question, number, made
        del seen  # nobody keeps it: its memory is used again
        if not reply(out, question, move.index):
            return None, 0, 0, None


class Tables:
    """Up to `TABLES` games, each of which is brought to its next decision and then waits for a move."""

    def __init__(self) -> None:
        self.states: list[Any] = [None] * TABLES
        if not cython.compiled:
            self.forced = [[0, 0] for _ in range(TABLES)]
            self.told = [[0, 0] for _ in range(TABLES)]
            self.asked = [[0, 0] for _ in range(TABLES)]
            self.made = [0] * TABLES
            self.codes = [[0] * 2048 for _ in range(TABLES)]

    def sit(self, k: int, state: State, forced: tuple[bool, bool]) -> None:
        """Begin a game at table `k`. `forced` says by seat whether decisions with one legal move are asked."""
        if not 0 <= k < TABLES:
            raise ValueError(f"a table is 0..{TABLES - 1}, not {k}")
        if state is None or self.states is None or len(forced) != 2:
            raise TypeError("a game at a table has a state, and `forced` by seat")
        self.states[k] = state
        for seat in range(2):
            self.forced[k][seat] = bool(forced[seat])
            self.told[k][seat] = 0
            self.asked[k][seat] = 0
        self.made[k] = 0

    def advance(self, k: int) -> int:
        """Make the moves nobody is asked for; the seat to decide then, -1 at the end of the game."""
        state: State = self.at_table(k)
        while True:
            n = state.legal_codes(CODES)
            if n == 0:
                return -1
            seat = state.mover
            if n > 1 or self.forced[k][seat]:
                return seat
            self.note(k, CODES[0])
            state.perform(CODES[0])

    def note(self, k: int, code: int) -> None:
        """Note a move in the list of the game's moves."""
        if self.made[k] >= 2048:
            raise OverflowError("a game has more than 2048 decisions")
        self.codes[k][self.made[k]] = code
        self.made[k] += 1

    def ask(self, k: int) -> bytes:
        """The question to the seat that decides at table `k`: the table's number (2 bytes) and the view."""
        state: State = self.at_table(k)
        seat = state.mover
        seen = state.view(seat)
        told = self.told[k][seat]
        self.told[k][seat] = seen.log_length
        self.asked[k][seat] += 1
        return bytes((k & 255, k >> 8)) + packed(seen, told)

    def answer(self, k: int, data: bytes, at: int) -> bool:
        """Carry out the move whose number (2 bytes) stands in `data` at `at`; False if it is not legal."""
        state: State = self.at_table(k)
        if not 0 <= at < len(data) - 1:
            return False
        code = data[at] | data[at + 1] << 8
        if code >= MOVE_COUNT or not state.is_legal(code):
            return False
        self.note(k, code)
        state.perform(code)
        return True

    def moves_of(self, k: int) -> list[int]:
        """The numbers of the moves made at table `k`."""
        self.at_table(k)
        return [self.codes[k][i] for i in range(self.made[k])]

    def asked_of(self, k: int) -> tuple[int, int]:
        """How many decisions were asked of seat 0 and seat 1 at table `k`."""
        self.at_table(k)
        return self.asked[k][0], self.asked[k][1]

    def state_of(self, k: int) -> State:
        """The game at table `k`."""
        return self.at_table(k)

    def at_table(self, k: int) -> State:
        """The game at table `k`, if there is one."""
        if not 0 <= k < TABLES or self.states is None or self.states[k] is None:
            raise ValueError(f"nobody plays at table {k}")
        state: State = self.states[k]
        return state


if not cython.compiled:
    from arena.game.board import copy_block
