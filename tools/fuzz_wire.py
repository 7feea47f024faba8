"""Feed the runner with a stranger's bot's answers: `python -m tools.fuzz_wire --seed 1 --count 1000000`.

Legal answers are cut, spliced, repeated, inflated, nested and broken byte by byte. Half of the inputs go straight to
the parser of answers; the others are sent in games of a whole `RemoteBot` with a fake process. The only permitted
results are a legal move or a `BotFault` with a printable reason, without delay; anything else stops the program and
prints the input.
"""

from __future__ import annotations

import json
import random
import re
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from arena.bots.bot import BotFault, GameEnd, Setup
from arena.bots.isolation.wire_messages import read_hello, read_move, read_wire_answer
from arena.game.moves import MOVES, Move
from tests.bots.isolation.wire_fakes import FakeProcess, fake_bot
from tools.fuzzing import Position, Wrong, alarm, check_fault, cut, main, positions

KINDS = {"illegal move", "timeout", "crash", "protocol"}
HANG_S = 5
LONGEST = 4 << 20  # for one input
TOKENS = (
    b"\0",
    b"\n",
    b"\r\n",
    b"\xff",
    b"\xed\xa0\x80",
    b"\xef\xbb\xbf",
    b"\xc0\x80",
    b"\\",
    b'"',
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"\\ud800",
    b"\\u0000",
    b"NaN",
    b"-Infinity",
    b"1e999",
    b"-0",
    b"0.0",
    b"1E+2",
    b"true",
    b"null",
    b"9" * 30,
    b"9" * 5000,
    b"1e-" + b"9" * 30,
    b'"id":',
    b'"move":',
    b'"id":1,',
    b'{"id":1}',
    b"\xe2\x98\xba",
    b"\x1b[2J",
    b"\t",
    b" ",
)


def legal(rng: random.Random, number: int, kind: str, moves: list[Move]) -> bytes:
    """Return a correct answer, in one of many forms."""
    answer: dict[str, Any] = {"id": number}
    if kind == "hello":
        answer["protocol"] = 3
        for flag in ("auto_claim", "ask_forced", "events"):
            if rng.random() < 0.1:
                answer[flag] = False
    if kind == "act":
        move = rng.choice(moves)
        answer["move"] = move.text if rng.random() < 0.5 else moves.index(move)
    if rng.random() < 0.3:
        answer[rng.choice(("say", "type", "x", "ID"))] = rng.choice(("hello", [1, [2, {"a": None}]], 0.5, "\u263a"))
    items = list(answer.items())
    rng.shuffle(items)
    return json.dumps(dict(items), ensure_ascii=rng.random() < 0.5).encode() + b"\n"


def mutated(rng: random.Random, line: bytes, other: bytes) -> bytes:
    """Return a line after a few of the errors that a stranger's bot might make."""
    for _ in range(rng.choice((1, 1, 1, 2, 3, 6))):
        at = rng.randrange(len(line) + 1)
        what = rng.randrange(15)
        if what == 0:
            line = line[:at]
        elif what == 1:
            line = line[at:]
        elif what == 2:
            line = line[:at] + other[rng.randrange(len(other) + 1) :]
        elif what == 3:
            line = line[:at] + rng.choice(TOKENS) + line[at:]
        elif what == 4:
            line = line[:at] + rng.choice(TOKENS) + line[at + rng.randrange(1, 8) :]
        elif what == 5:
            line = (line * rng.choice((2, 2, 3, 50)))[:LONGEST]
        elif what == 6:
            line = line.replace(b"\n", b"")
        elif what == 7:
            line = line[:at] + bytes([rng.randrange(256)]) + line[at + 1 :]
        elif what == 8 and line:
            bit = rng.randrange(len(line))
            line = line[:bit] + bytes([line[bit] ^ 1 << rng.randrange(8)]) + line[bit + 1 :]
        elif what == 9:
            depth = rng.choice((3, 15, 16, 17, 100, 3000))
            line = line[:at] + rng.choice((b"[", b'{"a":')) * depth + line[at:] + b"]" * rng.choice((0, depth))
        elif what == 10:
            digits = str(rng.choice((-1, 2**31, 2**53, 2**63, 2**64, 10**39, 10**40, rng.randrange(10**9)))).encode()
            line = line.replace(b":", b":" + digits, 1)
        elif what == 11:
            line = bytes(rng.randrange(256) for _ in range(rng.randrange(64)))
        elif what == 12 and rng.random() < 0.02:
            line = (
                line[:at]
                + rng.choice((b"x", b'"', b"[", b"\n", b'\\"', b'"a":1,')) * rng.randrange(300_000)
                + line[at:]
            )
        elif what == 13:
            line = line.replace(b'"', rng.choice((b"'", b'""', b'\\"')), rng.randrange(1, 4))
        elif what == 14:
            move = rng.choice(MOVES[rng.choice((7, 8))]).text
            line = re.sub(rb'"move": ("[^"]*"|\d+)', f'"move": "{move}"'.encode(), line)
    return line


def feed_parser(line: bytes, number: int, kind: str, position: Position) -> str:
    """Feed the parser one line without its end, as the runner does; return the result."""
    _, view, moves = position
    try:
        answer = read_wire_answer(line.partition(b"\n")[0], number)
        if kind == "hello":
            read_hello(answer)
        if kind == "act" and read_move(answer, view, moves) not in moves:
            raise Wrong("a move that is not in the list")
    except BotFault as fault:
        return check_fault(fault, KINDS)
    return "taken"


class Slowest:
    """The longest processor time for one input, in seconds, without the time for generating it."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.line = b""
        self._start = self._ours = 0.0

    def begin(self) -> None:
        """Note that an input is about to be fed."""
        self._start, self._ours = time.process_time(), 0.0

    @contextmanager
    def pause(self) -> Iterator[None]:
        """Leave out the time for generating an input."""
        start = time.process_time()
        yield
        self._ours += time.process_time() - start

    def end(self, line: bytes) -> None:
        """Note that the input was processed."""
        seconds = time.process_time() - self._start - self._ours
        if seconds > self.seconds:
            self.seconds, self.line = seconds, line


class Stranger:
    """Answers like a bot that sometimes makes errors; its output is cut into arbitrary pieces."""

    def __init__(self, rng: random.Random, rate: float, slowest: Slowest) -> None:
        self.rng = rng
        self.rate = rate
        self.slowest = slowest
        self.moves: list[Move] = []
        self.broken = 0
        self.last = b""

    def __call__(self, line: bytes) -> list[bytes]:
        with self.slowest.pause():
            return self.answer(json.loads(line))

    def answer(self, message: dict[str, Any]) -> list[bytes]:
        """Return the answer to a message, in pieces."""
        rng = self.rng
        if "id" not in message:
            return []
        said = legal(rng, message["id"], message["type"], self.moves)
        if rng.random() < self.rate:
            self.broken += 1
            said = mutated(rng, said, legal(rng, message["id"] + 1, "act", self.moves))
        self.last = said
        pieces = cut(rng, said)
        if rng.random() < 0.01:
            pieces.append(b"")
        return [piece for at, piece in enumerate(pieces) if piece or at == len(pieces) - 1]


def play_games(
    rng: random.Random, known: list[Position], inputs: int, slowest: Slowest | None = None
) -> tuple[Counter[str], int]:
    """Play games of one bot until it has sent `inputs` broken lines; return the results and the number of lines."""
    slowest = slowest or Slowest()
    stranger = Stranger(rng, 0.3, slowest)
    position = rng.choice(known)
    stranger.moves = position[2]
    bot = fake_bot(stranger)
    came: Counter[str] = Counter()
    while stranger.broken < inputs:
        slowest.begin()
        try:
            bot.prepare()
            bot.begin(Setup(0, rng.randrange(2), position[1].rules, rng.getrandbits(64), None))
            for _ in range(rng.randrange(8)):
                position = _, view, moves = rng.choice(known)
                stranger.moves = moves
                slowest.begin()
                if bot.act(view, moves) not in moves:
                    raise Wrong("a move that is not in the list")
                came["taken"] += 1
                slowest.end(stranger.last)
            slowest.begin()
            bot.finish(position[1], GameEnd(rng.choice((0, 1, None)), (1, 2), "stalemate"))
        except BotFault as fault:
            slowest.end(stranger.last)
            kind = check_fault(fault, KINDS)
            came[kind] += 1
            if (bot.process is None) != (kind != "illegal move"):
                raise Wrong(f"the process after {kind}: {bot.process}") from None
        except Exception as error:
            raise Wrong(f"{type(error).__name__}: {error}, after {stranger.last[:500]!r}") from error
    process = bot.process
    bot.close()
    assert process is None or (isinstance(process, FakeProcess) and process.closed)
    return came, stranger.broken


def fuzz(seed: int, count: int) -> tuple[Counter[str], str]:
    """Feed `count` broken inputs; return the results and a remark on the slowest."""
    rng = random.Random(seed)
    known = positions(60, seed)
    came: Counter[str] = Counter()
    slowest = Slowest()
    fed = 0
    with alarm(10 * HANG_S) as begin:
        while fed < count:
            begin()
            number, kind = rng.randrange(1, 99), rng.choice(("hello", "begin", "act", "act"))
            position = rng.choice(known)
            for _ in range(25):
                line = legal(rng, number, kind, position[2])
                line = mutated(rng, line, legal(rng, number + 1, "act", position[2]))
                slowest.begin()
                try:
                    came[feed_parser(line, number, kind, position)] += 1
                except Exception as error:
                    raise Wrong(f"{type(error).__name__}: {error}, on {line[:500]!r}") from error
                slowest.end(line)
            more, broken = play_games(rng, known, 25, slowest)
            came += more
            fed += 25 + broken
            if slowest.seconds > HANG_S:
                raise Wrong(f"{slowest.seconds:.1f} s for {slowest.line[:500]!r}")
    return came, f"the slowest used {slowest.seconds:.3f} s: {len(slowest.line)} bytes, {slowest.line[:60]!r}"


if __name__ == "__main__":
    main(fuzz, __doc__)
