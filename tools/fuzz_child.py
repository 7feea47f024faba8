"""The child's end of `tools/fuzz_pipe.py`: frames of real games, broken, go to a whole `Child` in another process.

`python -m tools.fuzz_child --seed 1 --count 100000` runs that process itself; `--only K` repeats one input by its
number. The number of the input that is being tried stands in a file, so that it is known after a crash.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import json
import mmap
import os
import random
import struct
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from arena.bots.bot import BotFault
from arena.bots.isolation.python_child import Child
from arena.bots.isolation.python_messages import (
    ANSWER,
    ASK,
    BEGIN,
    BEGINNING,
    DONE,
    END,
    ENDING,
    FAULT,
    LOAD,
    MADE,
    MAKE,
    QUESTION,
    MessageReader,
    pack_message,
)
from arena.game.deals import make_deal
from arena.game.engine import State, View
from arena.game.moves import MOVES, Move
from arena.game.packing import Line
from arena.game.rng import Rng
from arena.game.rules import Rules, load_rules
from tools.fuzzing import Wrong

HANG_S = 30.0
RULES = ("base", "tactical", "expert", "battle-line-tactical")
ALLOWED = (ValueError, LookupError, TypeError, AttributeError, OverflowError, RecursionError, struct.error)
"""What may end a child that is told nonsense."""
SMALL = (
    0,
    0,
    1,
    2,
    3,
    4,
    5,
    6,
    7,
    8,
    9,
    10,
    12,
    31,
    54,
    59,
    60,
    62,
    63,
    64,
    68,
    69,
    127,
    128,
    200,
    250,
    253,
    254,
    255,
)

AUDIT_VARIABLE = [
    "seat",
    "hand",
    "mine",
    "theirs",
    "my_turn",
    "history",
    "unseen",
    "known_in_hand",
    "known_in_decks",
    "turn",
    "first_seat",
    "phase",
    "is_over",
    "winner",
    "outcome",
    "turns",
    "owners",
    "deck_counts",
    "passes",
    "pending",
    "taken_from",
    "ruse_under_way",
    "seen_clan_cards",
    "rules",
    "clan_cards_left",
    "tactic_cards_left",
]
BY_SEAT = ("row", "hand_counts", "tactics_played", "joker_played", "stones_of", "claimable", "hand_of")


# ---------------------------------------------------------------- a bot that looks at everything


def look_at(board: Any) -> None:
    """Ask a view or a state everything; it may refuse what makes no sense."""
    for name in AUDIT_VARIABLE:
        with contextlib.suppress(*ALLOWED):
            getattr(board, name)
    for seat in (0, 1):
        for name in BY_SEAT:
            with contextlib.suppress(*ALLOWED):
                getattr(board, name)(seat)
        for stone in range(1, 10):
            with contextlib.suppress(*ALLOWED):
                board.side(seat, stone)
    for stone in range(1, 10):
        with contextlib.suppress(*ALLOWED):
            repr((board.modes(stone), board.completed_first(stone), board.capacity(stone)))


class Curious:
    """Looks at all there is, deals the hidden cards anew, plays at random."""

    def __init__(self, hooks: bool) -> None:
        self.observe = self.end = str if hooks else None

    def begin(self, setup: Any) -> None:
        repr(setup)

    def act(self, view: View, moves: list[Move]) -> Move:
        look_at(view)
        with contextlib.suppress(*ALLOWED):
            state = view.sample(Rng(7))
            look_at(state)
            state.legal_moves()
        for move in moves:
            repr(move)
        return moves[view.rng.below(len(moves))]


# ---------------------------------------------------------------- what a runner says


def question(number: int, image: bytes, flags: int = 0) -> bytes:
    """The frame that asks for a move."""
    return QUESTION.pack(len(image) + 21, ASK, number, flags, 10.0, 20.0) + image


def beginning(rng: random.Random) -> bytes:
    return pack_message(BEGIN, BEGINNING.pack(rng.randrange(2), 0, rng.getrandbits(64), rng.randrange(8), 5.0, 6.0))


def game(rng: random.Random, rules: Rules) -> list[bytes]:
    """Some frames of a game, from its beginning on."""
    state = State(rules, make_deal(rules, 3, rng.randrange(1000)), (rng.random() < 0.5, True))
    seat, said, line = rng.randrange(2), [beginning(rng)], Line(-1, -1)
    wanted = rng.randrange(1, 5)
    skip = rng.randrange(70)
    while (moves := state.legal_moves()) and wanted:
        if state.turn == seat and skip <= 0:
            said.append(question(len(said), line.tell(state.view(seat))[1], flags=rng.choice((0, 0, 1, 3))))
            wanted -= 1
        skip -= 1
        state.apply(rng.choice(moves))
    result = json.dumps([rng.choice((0, 1, None)), [4, 5], "stalemate", None]).encode()
    said.append(pack_message(END, ENDING.pack(len(result)) + result + line.tell(state.view(seat))[1]))
    return said


def loading(rules: Rules, path: Path) -> bytes:
    """The frame that loads a bot."""
    spec = {
        "name": "a",
        "spec": str(path),
        "target": str(path),
        "path": str(path),
        "source_hash": "",
        "params": [],
    }
    order = {"spec": spec, "rules": dataclasses.asdict(rules), "paths": ["/nowhere"], "threads": 0}
    return pack_message(LOAD, json.dumps(order).encode())


# ---------------------------------------------------------------- accidents


def broken(rng: random.Random, whole: bytes, other: bytes) -> bytes:
    """A frame after a few accidents, most of them behind its head."""
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        at = rng.randrange(len(whole) + 1)
        if rng.random() < 0.7 and len(whole) > 40:
            at = rng.randrange(26, len(whole))
        what = rng.randrange(14)
        if what > 11:  # the small numbers of a board stand at the end
            at = max(len(whole) - rng.randrange(1, 130), 0)
            whole = whole[:at] + bytes([rng.choice(SMALL)]) + whole[at + 1 :]
        elif what < 4 and at < len(whole):
            whole = whole[:at] + bytes([whole[at] ^ 1 << rng.randrange(8)]) + whole[at + 1 :]
        elif what < 6:
            whole = (
                whole[:at] + bytes([rng.choice((0, 1, 4, 127, 128, 254, 255, rng.randrange(256)))]) + whole[at + 1 :]
            )
        elif what == 6:
            whole = whole[:at]
        elif what == 7:
            whole = whole[:at] + other[rng.randrange(len(other) + 1) :]
        elif what == 8:
            whole = whole[:at] + rng.randbytes(rng.choice((1, 2, 8, 200))) + whole[at:]
        elif what == 9:
            length = rng.randrange(1, 60)
            whole = whole[:at] + rng.choice((b"\0", b"\xff", b"\x80")) * length + whole[at + length :]
        elif what == 10:
            number = rng.choice((0, 1, 2, 3, 64, 0x7FFF, 0xFFFF)).to_bytes(2, "little")
            at = rng.choice((5, 9, 10, 24, 26, 28, 30))
            whole = whole[:at] + number + whole[at + 2 :]
        else:
            whole = rng.choice((whole + other, other, whole * 2))
    if rng.random() < 0.8:  # so that it is read at all
        whole = (max(len(whole) - 5, 0) & 0xFFFFFFFF).to_bytes(4, "little") + whole[4:]
    return whole


class _Loaded:
    """A bot that is there without having been loaded."""

    uses_random = uses_numpy = False

    def __init__(self, hooks: bool) -> None:
        self.hooks = hooks

    def make(self) -> Curious:
        return Curious(self.hooks)


def one_input(seed: int, number: int) -> tuple[int, Counter[str]]:
    """Feed the frames of a conversation, some of them broken: how many, and what came of them."""
    rng = random.Random(f"{seed} {number}")
    rules = load_rules(rng.choice(RULES))
    whole = game(rng, rules)
    if rng.random() < 0.02:
        whole.insert(rng.randrange(len(whole)), loading(rules, Path("/nowhere/bot.py")))
    if rng.random() < 0.05:
        whole.insert(0, pack_message(MAKE))
    fed = 0
    frames = []
    for one in whole:
        if rng.random() < 0.5:
            one = broken(rng, one, rng.choice(whole))
            fed += 1
        frames.append(one)
    return fed, (through_pipes if rng.random() < 0.5 else one_by_one)(rng, rules, frames)


def one_by_one(rng: random.Random, rules: Rules, frames: list[bytes]) -> Counter[str]:
    """Frames as `Child.answer` gets them."""
    came: Counter[str] = Counter()
    said: list[bytes] = []
    child = _child(rng, rules, said)
    for whole in frames:
        try:
            child.answer(whole[4] if len(whole) > 4 else 0, whole)
        except ALLOWED as error:
            came[type(error).__name__] += 1
            child = _child(rng, rules, said)
    return came + kinds_of(said)


def through_pipes(rng: random.Random, rules: Rules, frames: list[bytes]) -> Counter[str]:
    """All of them through a pipe, to the loop that a child's process is in."""
    came: Counter[str] = Counter()
    said: list[bytes] = []
    child = _child(rng, rules, said)
    orders, out = os.pipe()
    back, answers = os.pipe()
    try:
        os.set_blocking(out, False)
        os.set_blocking(back, False)
        # one by one as a runner that waits does, or all at once
        for data in frames[:6] if rng.random() < 0.5 else [b"".join(frames)[:60_000]]:
            os.write(out, data[:60_000])
        os.close(out)
        try:
            child.serve(orders, answers)
        except ALLOWED as error:
            came[type(error).__name__] += 1
        with contextlib.suppress(BlockingIOError):
            said.append(os.read(back, 1 << 16))
    finally:
        for end in (orders, back, answers):
            os.close(end)
    return came + kinds_of(said)


def _child(rng: random.Random, rules: Rules, said: list[bytes]) -> Child:
    """A child whose bot is made; it has all hooks, or it is asked the short way."""
    child = Child(said.append)
    child.rules = rules
    child.moves = MOVES[rules.spy_value]
    child.loaded = _Loaded(rng.random() < 0.3)  # type: ignore[assignment]
    child.answer(MAKE, pack_message(MAKE))
    return child


def kinds_of(said: list[bytes]) -> Counter[str]:
    """What a child has said, which must be whole frames that its runner understands."""
    came: Counter[str] = Counter()
    reader = MessageReader()
    reader.add(b"".join(said))
    try:
        while (found := reader.take()) is not None:
            came[{DONE: "done", MADE: "made", ANSWER: "answered", FAULT: "fault"}[found.kind]] += 1
    except BotFault as fault:
        raise Wrong(f"the child {fault.detail}") from None
    if reader.rest:
        raise Wrong("the child has said half a frame")
    return came


# ---------------------------------------------------------------- in a process of its own


def work(seed: int, count: int, only: int | None, place: Path | None) -> None:
    """Feed inputs until so many broken frames were fed; print what came of them as JSON."""
    came: Counter[str] = Counter()
    slowest, fed, number = 0.0, 0, -1
    with contextlib.ExitStack() as stack:
        shown = mmap.mmap(-1, 8)
        if place is not None:
            shown = mmap.mmap(stack.enter_context(place.open("r+b")).fileno(), 8)
        while fed < count:
            number = number + 1 if only is None else only
            shown[:] = number.to_bytes(8, "little")
            paths = sys.path[:]
            start = time.perf_counter()
            try:
                more, kinds = one_input(seed, number)
            except Exception as error:
                print(f"input {number} of seed {seed}: {type(error).__name__}: {error}", file=sys.stderr)
                raise
            slowest = max(slowest, time.perf_counter() - start)
            sys.path[:] = paths
            fed += more
            came += kinds
            if only is not None:
                break
    print(json.dumps([came, slowest]))


def fuzz_child(seed: int, count: int) -> tuple[Counter[str], float]:
    """As `work` in another process; `Wrong` with the number of the input if that crashes, hangs or complains."""
    command = [sys.executable, "-X", "faulthandler", "-m", "tools.fuzz_child", "--seed", str(seed)]
    with tempfile.NamedTemporaryFile() as file:
        file.write(bytes(8))
        file.flush()
        process = subprocess.Popen(
            [*command, "--count", str(count), "--place", file.name],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[1],
        )
        before, since, hangs = b"", time.monotonic(), False
        while True:
            try:
                out, err = process.communicate(timeout=1.0)
                break
            except subprocess.TimeoutExpired:
                at = Path(file.name).read_bytes()
                if at != before:
                    before, since = at, time.monotonic()
                elif time.monotonic() - since > HANG_S:
                    hangs = True
                    process.kill()
        number = int.from_bytes(Path(file.name).read_bytes(), "little")
    if hangs or process.returncode:
        what = "hangs" if hangs else f"ended with {process.returncode}"
        raise Wrong(f"the child {what} at: {' '.join(command[3:])} --only {number}\n{err[-3000:]}")
    came, slowest = json.loads(out)
    return Counter(came), slowest


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--only", type=int)
    parser.add_argument("--place", type=Path)
    given = parser.parse_args()
    work(given.seed, given.count, given.only, given.place)


if __name__ == "__main__":
    main()
