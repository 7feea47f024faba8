"""Feed the runner with broken answers of a bot: `python -m tools.fuzz_bot --seed 1 --count 100000 [--only image|wire]`.

Correct answers are cut, spliced, repeated, inflated, nested and broken byte by byte, and sent to a whole `RemoteBot`
over real pipes, with a fake process at the other end: that of a Python bot (`image`) or a command's (`wire`). The only
permitted results are a move that was answered, or a `BotFault` with a printable reason, without delay; a process that
has broken the protocol may not be kept. Anything else stops the program and shows the answer.

A Python bot's own end is not fuzzed: it reads only what the runner, which is trusted, writes.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import select
import signal
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any, NoReturn

from arena.bots.bot import BotFault, GameEnd, Setup, TimeLeft
from arena.bots.isolation import python_child as image
from arena.bots.isolation.process import DeadlinePassed, ProcessEnded
from arena.bots.isolation.remote_bot import RemoteBot
from arena.bots.limits import BotLimits
from arena.bots.spec import BotSpec, command_hash
from arena.endings import ForfeitKind
from arena.game.deals import make_deal
from arena.game.engine import State
from arena.game.moves import MOVES, Move
from arena.game.rules import Rules, load_rules

RULES = ("base", "tactical", "expert", "bga-expert", "battle-line-tactical")
HANG_S = 5
LONGEST = 1 << 20
TEXTS = ("on purpose", "\x1b[2J\0\x07", "\u202etxt.exe", "\ud800", "x" * 9000, "", "line\nline\r\n\tline\x0b")
SIZES = (0, 1, 2, 5, 6, 7, 255, 256, image.LONGEST_MESSAGE, image.LONGEST_MESSAGE + 1, 1 << 16, 1 << 31, (1 << 32) - 1)


class Wrong(Exception):
    """An answer had a result that no answer may have."""


class Image:
    """The binary messages of a Python bot's process."""

    spec = BotSpec("fake", "fake.py", "fake.py", "/nowhere/fake.py", "")
    is_asked_directly = True
    """Questions do not pass through `send`, so their answers are in the pipe before they are asked."""
    places = (0, 4, 5, 9, 11)
    tokens = (
        *(size.to_bytes(4, "little") for size in SIZES),
        *(number.to_bytes(2, "little") for number in (589, 1994, 1995, 1996, 0xFFFF)),
        *(bytes([kind]) for kind in (0, 1, 5, 10, 11, 12, 13, 14, 15, 255)),
        b'{"text": "\\ud800"}',
    )

    def messages(self, heard: bytearray) -> Iterator[tuple[str, int]]:
        """Take the whole messages of the runner from what was heard; yield their kinds and the questions' numbers."""
        head = image.HEAD
        while len(heard) >= head.size and len(heard) >= (end := head.size + head.unpack_from(heard)[0]):
            kind = heard[4]
            del heard[:end]
            yield "act" if kind == image.ASK else "hello" if kind == image.MAKE else "other", 0

    def answer(self, rng: random.Random, kind: str, number: int, moves: list[Move]) -> bytes:
        """Return a correct answer, or an honest failure."""
        if rng.random() < 0.05:
            hook = rng.choice(image.HOOKS)
            return image.fault_message(number, hook, rng.choice(image.MESSAGE_KINDS), rng.choice(TEXTS))
        if kind == "hello":
            return image.pack_message(image.MADE, bytes([rng.choice((0, 0, 1, 3, 4, 8, 31, 255))]))
        if kind == "act":
            body = image.ANSWERING.pack(number, rng.choice(moves).index)
            note = rng.choice((b"", b"", b'{"text": "sure"}', b'{"other": [1, 2]}'))
            return image.pack_message(image.NOTED if note else image.ANSWER, body + note)
        return image.pack_message(image.DONE)


class Wire:
    """The JSON lines of a command."""

    spec = BotSpec(
        "fake", "cmd:fake", "cmd:fake", "/nowhere/fake", command_hash("cmd:fake", ()), (), ("/nowhere/fake",)
    )
    is_asked_directly = False
    places = (0, 1, 6)
    tokens = (
        *(b"\0", b"\n", b"\r\n", b"\xff", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\xc0\x80", b"\xe2\x98\xba", b"\x1b[2J"),
        *(b"\\", b'"', b"{", b"}", b"[", b"]", b",", b":", b"\t", b"\\ud800", b"\\u0000", b"'"),
        *(b"NaN", b"-Infinity", b"1e999", b"-0", b"0.0", b"1E+2", b"true", b"null", b"9" * 30, b"9" * 5000),
        *(b"1e-" + b"9" * 30, str(2**63).encode(), str(10**40).encode(), b'"id":1,', b'{"id":1}', b'"move":'),
        *(b'"move": "r7@3", ', b'"move": -1, ', b'"note": {"text": 1}, '),
        *(opening * depth for opening in (b"[", b'{"a":') for depth in (15, 17, 3000)),
    )

    def messages(self, heard: bytearray) -> Iterator[tuple[str, int]]:
        """Take the whole messages of the runner from what was heard; yield kind and id of those that need an answer."""
        while (end := heard.find(b"\n")) >= 0:
            message = json.loads(heard[:end])
            del heard[: end + 1]
            if "id" in message:
                yield message["type"], message["id"]

    def answer(self, rng: random.Random, kind: str, number: int, moves: list[Move]) -> bytes:
        """Return a correct answer, in one of many forms."""
        answer: dict[str, Any] = {"id": number}
        if kind == "hello":
            answer["protocol"] = 3
            answer |= {flag: False for flag in ("auto_claim", "ask_forced", "events") if rng.random() < 0.1}
        if kind == "act":
            move = rng.choice(moves)
            answer["move"] = move.text if rng.random() < 0.5 else moves.index(move)
        if rng.random() < 0.3:
            answer[rng.choice(("say", "type", "note", "ID"))] = rng.choice(("hello", [1, {"a": None}], 0.5, "\u263a"))
        items = rng.sample(list(answer.items()), len(answer))
        return json.dumps(dict(items), ensure_ascii=rng.random() < 0.5).encode() + b"\n"


Dialect = Image | Wire
DIALECTS: dict[str, Dialect] = {"image": Image(), "wire": Wire()}


def broken(rng: random.Random, dialect: Dialect, said: bytes, other: bytes) -> bytes:
    """Return the bytes after a few random errors."""
    for _ in range(rng.choice((1, 1, 1, 2, 3, 6))):
        at = rng.choice(dialect.places) if rng.random() < 0.3 else rng.randrange(len(said) + 1)
        token, bit = rng.choice(dialect.tokens), rng.randrange(8 * len(said)) if said else 0
        flood = rng.choice((token, b"\0", b"x", b"\n")) * rng.randrange(100_000) if rng.random() < 0.003 else token
        said = rng.choice(
            (
                said[:at],
                said[at:],
                said[:at] + other[rng.randrange(len(other) + 1) :],
                said[:at] + token + said[at:],
                said[:at] + token + said[at + len(token) :],
                said[:at] + flood + said[at:],
                said * rng.choice((2, 2, 3, 40)),
                rng.choice((said + other, other + said, other)),
                said.replace(b"\n", b""),
                said[:at] + rng.randbytes(rng.choice((1, 2, 5, 13))) + said[at + rng.randrange(8) :],
                rng.randbytes(rng.randrange(64)),
                said[: bit // 8] + bytes(byte ^ 1 << bit % 8 for byte in said[bit // 8 :][:1]) + said[bit // 8 + 1 :],
            )
        )[:LONGEST]
    return said


def in_pieces(rng: random.Random, said: bytes) -> list[bytes]:
    """Return the same bytes in pieces, as a pipe may deliver them."""
    if len(said) < 2 or rng.random() < 0.5:
        return [said]
    size = rng.choice((1, 2, 4, 5, 7, 9, 13, 14, 64)) if len(said) < 2000 else rng.choice((4096, 65536))
    return [said[start : start + size] for start in range(0, len(said), size)]


class FakeProcess:
    """The other end of real pipes. What does not fit into them at once comes when the runner waits.

    It reads late, only when something is sent the slow way, so the pipe is sometimes full.
    """

    suspended = False

    def __init__(self, fuzzer: Fuzzer) -> None:
        self._fuzzer = fuzzer
        self._orders, out = os.pipe()
        back, self._answers = os.pipe()
        self.ends = out, back
        for end in (self._orders, out, back, self._answers):
            os.set_blocking(end, False)
        self.questions = 0
        self.said = b""
        self.closed = False
        self._heard = bytearray()
        self._pieces: list[bytes] = []
        self._has_hung_up = False

    def say(self, kind: str, number: int) -> None:
        """Answer a message, correctly or not."""
        if self._has_hung_up:
            return
        rng, said = self._fuzzer.rng, self._fuzzer.answer(kind, number)
        self.said += said
        pieces = in_pieces(rng, said)
        if not self._pieces and rng.random() > 0.002:
            with contextlib.suppress(BlockingIOError):
                sent = os.write(self._answers, pieces[0])
                pieces[0] = pieces[0][sent:]
        self._pieces += filter(None, pieces)
        if rng.random() < 0.01:
            self._hang_up()

    def _hang_up(self) -> None:
        if not self._has_hung_up:
            os.close(self._answers)
            self._has_hung_up = True

    def send(self, data: bytes, deadline: float) -> None:
        if self.closed:
            raise Wrong("sent to a closed process")
        if self._has_hung_up and self._fuzzer.rng.random() < 0.5:
            raise ProcessEnded("it has ended")
        with contextlib.suppress(BlockingIOError):
            while waiting := os.read(self._orders, 1 << 16):
                self._heard += waiting
        self._heard += data
        for kind, number in self._fuzzer.dialect.messages(self._heard):
            if kind != "act" or not self._fuzzer.dialect.is_asked_directly:
                self.say(kind, number)

    def receive(self, deadline: float) -> bytes:
        if self.closed:
            raise Wrong("read from a closed process")
        with contextlib.suppress(BlockingIOError):
            if data := os.read(self.ends[1], 1 << 16):
                return data
        if self._pieces and not self._has_hung_up:
            return self._pieces.pop(0)
        raise ProcessEnded("it has ended") if self._has_hung_up or self._fuzzer.rng.random() < 0.5 else DeadlinePassed

    def pending(self, wait_s: float = 0.0) -> bool:
        return bool(select.select([self.ends[1]], [], [], 0)[0])

    def cpu_seconds(self) -> float:
        return 0.0

    def close(self, grace_s: float = 0.0) -> str:
        if not self.closed:
            self.closed = True
            self._hang_up()
            for end in (self._orders, *self.ends):
                os.close(end)
        return "it was stopped"

    def __getattr__(self, name: str) -> Any:
        return lambda: None  # whatever else is done with a process has no effect on this one


class Fuzzer:
    """Plays games with one bot whose processes give broken answers."""

    def __init__(self, dialect: Dialect, rng: random.Random, rules: Rules) -> None:
        self.dialect, self.rng, self.rules = dialect, rng, rules
        self.moves: list[Move] = []
        self.broken = 0
        self.results: Counter[str] = Counter()
        self._last = b""
        self._process: FakeProcess | None = None

    def answer(self, kind: str, number: int) -> bytes:
        """Return an answer to a message; three of ten are broken."""
        said = self.dialect.answer(self.rng, kind, number, self.moves)
        if self.rng.random() < 0.3:
            self.broken += 1
            other = self.dialect.answer(self.rng, self.rng.choice(("act", "other")), number + 1, self.moves)
            said = broken(self.rng, self.dialect, said, other)
        self._last = said
        return said

    def start(self, launch: object, hear: object) -> FakeProcess:
        """Start a process."""
        self._process = FakeProcess(self)
        return self._process

    def play(self, inputs: int) -> None:
        """Play until `inputs` answers were broken."""
        self.moves = State(self.rules, make_deal(self.rules, 1, 0)).legal_moves()
        bot = RemoteBot(self.dialect.spec, self.rules, "process", BotLimits(), start=self.start)  # type: ignore[arg-type]
        while self.broken < inputs:
            try:
                bot.prepare()
                self._play_game(bot)
            except BotFault as fault:
                self.results[fault.kind] += 1
                check_fault(fault)
                if fault.kind not in (ForfeitKind.EXCEPTION, ForfeitKind.ILLEGAL_MOVE) and bot.process is not None:
                    raise Wrong(f"the process stays after {fault.kind}: {fault.detail}") from None
            except Exception as error:
                raise Wrong(f"{type(error).__name__}: {error}, after {self._last[:500]!r}") from error
        bot.close()

    def _play_game(self, bot: RemoteBot) -> None:
        rng, clock = self.rng, self.rng.choice((None, TimeLeft(10, None), TimeLeft(None, 20)))
        state = State(self.rules, make_deal(self.rules, rng.randrange(1000), 0))
        for _ in range(rng.choice((0, 5, 40))):
            if moves := state.legal_moves():
                state.apply(rng.choice(moves))
        seat, table = state.to_move, MOVES[self.rules.spy_value]
        bot.begin(Setup(seat, rng.randrange(2), self.rules, rng.getrandbits(64), clock))
        for _ in range(rng.choice((1, 3, 10, 80))):
            while (moves := state.legal_moves()) and state.to_move != seat:
                state.apply(rng.choice(moves))
            if not moves:
                break
            self.moves, process = moves, self._process
            assert process is not None
            process.questions += 1
            if self.dialect.is_asked_directly:
                process.say("act", process.questions)
            move = bot.act(state.view(seat, None, clock), moves)
            if move is not table[move.index] or (move not in moves and not self.dialect.is_asked_directly):
                raise Wrong(f"{move} is not of the list")
            answered = image.ANSWERING.pack(process.questions, move.index)
            if self.dialect.is_asked_directly and answered not in process.said:
                raise Wrong(f"{move} was not answered")
            self.results["a move"] += 1
            if move not in moves:
                break  # the referee refuses it
            state.apply(move)
        bot.finish(state.view(seat), GameEnd(rng.choice((0, 1, None)), (1, 2), "stalemate"))


def check_fault(fault: BotFault) -> None:
    """Raise `Wrong` for a kind that no process can cause, or a reason that cannot be shown, stored and read."""
    if fault.kind not in set(ForfeitKind):
        raise Wrong(f"a fault of the kind {fault.kind!r}")
    fault.detail.encode()
    if len(fault.detail) > 9000 or not all(sign.isprintable() or sign in "\n\t" for sign in fault.detail):
        raise Wrong(f"an indecent reason: {fault.detail[:300]!r}")


def hang(number: int, frame: object) -> NoReturn:
    """Stop an input that takes too long."""
    raise Wrong(f"a hang of {HANG_S} s")


def fuzz(name: str, seed: int, count: int) -> str:
    """Give `count` broken answers; describe the results."""
    rng, results, done, start = random.Random(f"{seed} {name}"), Counter[str](), 0, time.perf_counter()
    signal.signal(signal.SIGALRM, hang)
    while done < count:
        signal.alarm(HANG_S)
        fuzzer = Fuzzer(DIALECTS[name], rng, load_rules(rng.choice(RULES)))
        fuzzer.play(25)
        results += fuzzer.results
        done += fuzzer.broken
    signal.alarm(0)
    counts = ", ".join(f"{number} {what}" for what, number in results.most_common())
    return f"{name}, seed {seed}: {done} broken answers in {time.perf_counter() - start:.0f} s: {counts}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--only", choices=DIALECTS)
    given = parser.parse_args()
    for name in [given.only] if given.only else DIALECTS:
        print(fuzz(name, given.seed, given.count))


if __name__ == "__main__":
    main()
