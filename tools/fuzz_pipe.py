"""Feed the runner's end of a Python bot's pipes with broken frames: `python -m tools.fuzz_pipe --count 100000`.

Correct answers are cut, spliced, repeated, inflated and broken bit by bit, and sent to a whole `RemoteBot` over real
pipes with a fake process at the other end. The only permitted results are a legal move or a `BotFault` with a printable
reason, without delay, and a process that has broken the protocol may not be kept.

The child's end is not fuzzed: it reads only what the runner, which is trusted, writes.
"""

from __future__ import annotations

import contextlib
import os
import random
import select
import time
from collections import Counter
from collections.abc import Iterator

from arena.bots.bot import BotFault, GameEnd, Setup, TimeLeft
from arena.bots.faults import BotError
from arena.bots.isolation.image_encoder import ImageEncoder
from arena.bots.isolation.process import DeadlinePassed, ProcessEnded
from arena.bots.isolation.python_messages import (
    ANSWER,
    ANSWERING,
    ASK,
    DONE,
    HEAD,
    LONGEST_MESSAGE,
    MADE,
    MESSAGE_KINDS,
    fault_message,
    pack_message,
    read_answer,
    take_message,
)
from arena.bots.isolation.remote_bot import RemoteBot
from arena.bots.limits import BotLimits
from arena.bots.spec import BotSpec
from arena.game.moves import MOVES, Move
from tools.fuzzing import Position, Wrong, alarm, check_fault, cut, main, positions

FAULTS = {*MESSAGE_KINDS, "timeout", "crash", "protocol"}
HANG_S = 5
SPEC = BotSpec("fake", "fake.py", "fake.py", "/nowhere/fake.py", "")
SIZES = (
    0,
    1,
    2,
    5,
    6,
    7,
    8,
    9,
    255,
    256,
    0x7FFF,
    LONGEST_MESSAGE,
    LONGEST_MESSAGE + 1,
    0xFFFF,
    0x10000,
    1 << 31,
    (1 << 32) - 1,
)
TEXTS = ("on purpose", "\x1b[2J\0\x07", "\u202etxt.exe", "\ud800", "x" * 9000, "", "line\nline\r\n\tline\x0b")


# ---------------------------------------------------------------- correct and broken answers


def right(rng: random.Random, question: int, moves: list[Move]) -> bytes:
    """Return a correct answer to a question, or an honest failure."""
    if rng.random() < 0.05:
        hook = rng.choice(("act", "observe"))
        return fault_message(question, hook, rng.choice(MESSAGE_KINDS), rng.choice(TEXTS))
    return pack_message(ANSWER, ANSWERING.pack(question, rng.choice(moves).index))


def mutated(rng: random.Random, said: bytes, other: bytes) -> bytes:
    """Return the bytes after a few random errors."""
    for _ in range(rng.choice((1, 1, 1, 2, 3, 6))):
        at = rng.randrange(len(said) + 1)
        what = rng.randrange(14)
        if what == 0:
            said = said[:at]
        elif what == 1:
            said = said[at:]
        elif what == 2:
            said = said[:at] + other[rng.randrange(len(other) + 1) :]
        elif what == 3:
            said = said * rng.choice((2, 2, 2, 3, 40)) if len(said) < 20_000 else said
        elif what == 4:
            said = rng.choice((said + other, other + said, other))
        elif what == 5:
            said = rng.choice(SIZES).to_bytes(4, "little") + said[4:]
        elif what == 6:
            said = said[:4] + bytes([rng.choice((0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15, 255))]) + said[5:]
        elif what == 7:
            number = int.from_bytes(said[5:9], "little") + rng.choice((-2, -1, 1, 2, 1 << 31))
            said = said[:5] + (number & 0xFFFFFFFF).to_bytes(4, "little") + said[9:]
        elif what == 8:
            said = said[:9] + rng.choice((589, 1994, 1995, 1996, 0xFFFF, rng.randrange(2100))).to_bytes(2, "little")
        elif what == 9:
            said = said[:at] + rng.randbytes(rng.choice((1, 2, 5, 13))) + said[at:]
        elif what == 10:
            said = rng.randbytes(rng.randrange(64))
        elif what == 11 and rng.random() < 0.01:
            said = said[:at] + rng.choice((b"\0", b"\xff", b"\x08", said)) * rng.randrange(100_000) + said[at:]
        elif what == 12:
            said = said[:at] + bytes([rng.randrange(256)]) + said[at + 1 :]
        elif said:
            bit = rng.randrange(len(said))
            said = said[:bit] + bytes([said[bit] ^ 1 << rng.randrange(8)]) + said[bit + 1 :]
    return said


def feed_reader(rng: random.Random, said: bytes, question: int) -> str:
    """Feed bytes to the reader of frames and answers; return the result."""
    unread = bytearray()
    try:
        for piece in cut(rng, said):
            unread += piece
            found = take_message(unread)
            if found is not None:
                _, note = read_answer(found, question)
                if note is None and (found.kind != ANSWER or len(found.body) != ANSWERING.size):
                    raise Wrong(f"taken for an answer: {found}")
                return "taken"
    except BotFault as fault:
        return check_fault(fault, FAULTS)
    return "more wanted"


# ---------------------------------------------------------------- the fake process


class FakeProcess:
    """The other end of real pipes. `answers` gives the bytes for each frame that needs an answer.

    It reads late, only when something is sent the slow way, so the pipe is sometimes full; in the end it checks that
    all frames were whole.
    """

    suspended = False

    def __init__(self, forger: Forger) -> None:
        self.forger = forger
        self._orders, out = os.pipe()
        back, self._answers = os.pipe()
        self.ends = (out, back)
        for end in (self._orders, out, back, self._answers):
            os.set_blocking(end, False)
        self.said = b""
        self._heard = b""
        self._late: list[bytes] = []
        self._gone = False
        self.closed = False

    def say(self, said: bytes, rng: random.Random) -> None:
        """Put bytes into the pipe; queue those that do not fit."""
        if self._gone:
            return
        self.said += said
        pieces = cut(rng, said)
        if not self._late and (len(pieces) > 1 or rng.random() > 0.002):
            for _ in range(rng.randrange(1, len(pieces) + 1)):
                sent = 0
                with contextlib.suppress(BlockingIOError):
                    sent = os.write(self._answers, pieces[0])
                pieces[0] = pieces[0][sent:]
                if pieces[0]:
                    break
                pieces.pop(0)
        self._late += pieces

    def hang_up(self) -> None:
        """Close the pipe of answers."""
        if not self._gone:
            os.close(self._answers)
            self._gone = True

    def _drain(self) -> None:
        while True:
            try:
                data = os.read(self._orders, 1 << 16)
            except BlockingIOError:
                return
            if not data:
                return
            self._heard += data

    def _frames(self) -> Iterator[bytes]:
        while len(self._heard) >= HEAD.size:
            size = HEAD.size + HEAD.unpack_from(self._heard)[0]
            if len(self._heard) < size:
                return
            whole, self._heard = self._heard[:size], self._heard[size:]
            yield whole

    def listen(self, wait: bool) -> None:
        """Read the runner's frames; answer one if the runner waits for that."""
        for whole in self._frames():
            kind = whole[4]
            if not 1 <= kind <= 5:
                raise Wrong(f"the runner has sent a frame of kind {kind}")
            if not wait or kind == ASK:
                continue  # the answer to a question was sent in advance
            self.forger.answer(self, kind)

    def send(self, data: bytes, deadline: float) -> None:
        if self.closed:
            raise Wrong("sent to a closed process")
        if self._gone and self.forger.rng.random() < 0.5:
            raise ProcessEnded("it has ended")
        self._drain()
        self._heard += data
        self.listen(True)

    def receive(self, deadline: float) -> bytes:
        if self.closed:
            raise Wrong("read from a closed process")
        try:
            data = os.read(self.ends[1], 1 << 16)
        except BlockingIOError:
            data = b""
        if data:
            return data
        if self._late and not self._gone:
            return self._late.pop(0) or self.receive(deadline)
        raise ProcessEnded("it has ended") if self._gone or self.forger.rng.random() < 0.5 else DeadlinePassed

    def pending(self) -> bool:
        return bool(select.select([self.ends[1]], [], [], 0)[0])

    def hear(self) -> None:
        """Do nothing."""

    def cpu_seconds(self) -> float:
        return 0.0

    def new_game(self) -> None:
        """Count nothing."""

    wake = rest = new_game

    def close(self, grace_s: float = 0.0) -> str:
        if not self.closed:
            self.closed = True
            self._drain()
            os.close(self.ends[0])
            self._drain()
            self.listen(False)
            if self._heard:
                raise Wrong(f"the runner has sent half a frame: {self._heard[:100]!r}")
            for end in (self._orders, self.ends[1]):
                os.close(end)
            self.hang_up()
        return "it was stopped"


class Forger:
    """Produces the answers of one bot's fake processes."""

    def __init__(self, rng: random.Random, rate: float) -> None:
        self.rng = rng
        self.rate = rate
        self.flags = 0
        self.broken = 0
        self.moves: list[Move] = []
        self.last = b""
        self.process: FakeProcess | None = None

    def start(self, launch: object, hear: object) -> FakeProcess:
        self.process = FakeProcess(self)
        return self.process

    def answer(self, process: FakeProcess, kind: int) -> None:
        """Answer a frame, correctly or not."""
        said = pack_message(MADE, bytes([self.flags])) if kind == 2 else pack_message(DONE)
        if self.rng.random() < 0.03:
            said = fault_message(0, "begin", self.rng.choice(MESSAGE_KINDS), self.rng.choice(TEXTS))
        self.say(process, said, 0)

    def say(self, process: FakeProcess, said: bytes, question: int) -> None:
        """Send an answer, perhaps broken."""
        rng = self.rng
        if rng.random() < self.rate:
            self.broken += 1
            other = rng.choice((right(rng, question + 1, self.moves), pack_message(DONE), pack_message(MADE, b"\x03")))
            said = mutated(rng, said, other)
        self.last = said
        process.say(said, rng)
        if rng.random() < 0.01:
            process.hang_up()


# ---------------------------------------------------------------- the runner's end


def play_games(rng: random.Random, known: list[Position], inputs: int) -> tuple[Counter[str], int]:
    """Play games of one bot until `inputs` answers were broken; return the results and the number of broken answers."""
    forger = Forger(rng, 0.3)
    forger.flags = rng.choice((0, 0, 1, 3, 4, 8, 12, 16, 31, 255))
    came: Counter[str] = Counter()
    rules = rng.choice(known)[1].rules
    mine = [one for one in known if one[1].rules == rules]
    forger.moves = mine[0][2]
    bot = RemoteBot(SPEC, rules, "process", BotLimits(), start=forger.start)
    while forger.broken < inputs:
        try:
            bot.prepare()
            came.update(play_game(rng, bot, forger, mine))
        except BotFault as fault:
            kind = check_fault(fault, FAULTS)
            came[kind] += 1
            if kind not in MESSAGE_KINDS and bot.process is not None:
                raise Wrong(f"the process stays after {kind}: {fault.detail}") from None
        except BotError as error:
            raise Wrong(f"BotError: {error}") from error
        except Exception as error:
            raise Wrong(f"{type(error).__name__}: {error}, after {forger.last[:500]!r}") from error
    bot.close()
    return came, forger.broken


def play_game(rng: random.Random, bot: RemoteBot, forger: Forger, known: list[Position]) -> Counter[str]:
    """Play a game as far as possible."""
    came: Counter[str] = Counter()
    clock = rng.choice((None, TimeLeft(10, None), TimeLeft(None, 20)))
    state = rng.choice(known)[0].copy()
    seat, table = state.to_move, MOVES[known[0][1].rules.spy_value]
    forger.moves = state.legal_moves()
    bot.begin(Setup(seat, rng.randrange(2), known[0][1].rules, rng.getrandbits(64), clock))
    for _ in range(rng.choice((1, 3, 10, 80))):
        while (moves := state.legal_moves()) and state.to_move != seat:
            state.apply(rng.choice(moves))
        if not moves:
            break
        assert isinstance(bot._encoder, ImageEncoder)
        line = bot._encoder._line
        assert forger.process is not None
        number = line.question + 1
        forger.moves = moves
        forger.say(forger.process, right(rng, number, moves), number)
        move = bot.act(state.view(seat, None, clock), moves)
        if move is not table[move.index]:
            raise Wrong(f"{move} is not of the table")
        answer = pack_message(ANSWER, ANSWERING.pack(number, move.index))
        if answer not in forger.process.said:  # perhaps sent earlier: a bot may answer without having been asked
            raise Wrong(f"{move} was not answered")
        came["taken"] += 1
        if move not in moves:
            break
        state.apply(move)
    if bot.wants_result:
        bot.finish(state.view(seat), GameEnd(rng.choice((0, 1, None)), (1, 2), "stalemate"))
    return came


def fuzz_runner(seed: int, count: int) -> tuple[Counter[str], str]:
    """Feed the runner's end `count` broken inputs; return the results and the times of the slowest 50."""
    rng = random.Random(seed)
    known = positions(60, seed)
    came: Counter[str] = Counter()
    slowest, fed = 0.0, 0
    with alarm(HANG_S) as begin:
        while fed < count:
            begin()
            start = time.perf_counter()
            moves = rng.choice(known)[2]
            for _ in range(25):
                number = rng.randrange(1, 99)
                said = mutated(rng, right(rng, number, moves), right(rng, number + 1, moves))
                try:
                    came[feed_reader(rng, said, number)] += 1
                except Exception as error:
                    raise Wrong(f"{type(error).__name__}: {error}, on {said[:500]!r}") from error
            more, broken = play_games(rng, known, 25)
            came += more
            fed += 25 + broken
            slowest = max(slowest, time.perf_counter() - start)
    return came, f"the slowest 50 took {slowest:.3f} s"


if __name__ == "__main__":
    main(fuzz_runner, __doc__)
