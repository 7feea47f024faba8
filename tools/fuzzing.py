"""Share code between the fuzzers of bots: positions to ask about, permitted results, detection of hangs."""

from __future__ import annotations

import argparse
import random
import signal
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import NoReturn

from arena.bots.bot import BotFault
from arena.game.deals import make_deal
from arena.game.engine import State, View
from arena.game.moves import Move
from arena.game.rng import Rng
from arena.game.rules import load_rules

RULES = ("base", "tactical", "expert", "bga-expert", "battle-line-tactical")
Position = tuple[State, View, list[Move]]


class Wrong(Exception):
    """An input had a result that no input may have."""


@contextmanager
def alarm(seconds: float) -> Iterator[Callable[[], None]]:
    """Raise `Wrong` if `seconds` pass between two calls of the yielded function; on the main thread only."""

    def ring(number: int, frame: object) -> NoReturn:
        raise Wrong(f"a hang of {seconds:g} s")

    def begin() -> None:
        signal.setitimer(signal.ITIMER_REAL, seconds)

    before = signal.signal(signal.SIGALRM, ring)
    try:
        yield begin
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def positions(count: int, seed: int) -> list[Position]:
    """Return decisions of random games under several rule sets."""
    known: list[Position] = []
    rng = Rng(seed)
    while len(known) < count:
        rules = load_rules(RULES[len(known) % len(RULES)])
        state = State(rules, make_deal(rules, seed, len(known)))
        last = None
        for _ in range(rng.randrange(70)):
            moves = state.legal_moves()
            if not moves:
                break
            last = state.copy(), moves
            state.apply(rng.choice(moves))
        if last is not None:
            known.append((last[0], last[0].view(last[0].to_move), last[1]))
    return known


def cut(rng: random.Random, said: bytes) -> list[bytes]:
    """Return the same bytes in pieces, as a pipe may deliver them."""
    if len(said) < 2 or rng.random() < 0.5:
        return [said]
    size = rng.choice((1, 2, 4, 5, 7, 9, 13, 14, 64)) if len(said) < 2000 else rng.choice((4096, 65536))
    return [said[start : start + size] for start in range(0, len(said), size)]


def check_fault(fault: BotFault, kinds: Collection[str]) -> str:
    """Return the kind of a fault; raise `Wrong` for other kinds or a reason that cannot be shown, stored and read."""
    if fault.kind not in kinds:
        raise Wrong(f"a fault of the kind {fault.kind!r}")
    fault.detail.encode()
    if len(fault.detail) > 9000 or not all(sign.isprintable() or sign in "\n\t" for sign in fault.detail):
        raise Wrong(f"an indecent reason: {fault.detail[:300]!r}")
    return fault.kind


def main(fuzz: Callable[[int, int], tuple[Counter[str], str]], description: str | None) -> None:
    """Run a fuzzer's command line: `fuzz(seed, count)` returns the counts of results, and a remark on its time."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=10_000)
    given = parser.parse_args()
    start = time.perf_counter()
    came, remark = fuzz(given.seed, given.count)
    seconds = time.perf_counter() - start
    counts = ", ".join(f"{number} {what}" for what, number in came.most_common())
    print(f"seed {given.seed}: {given.count} inputs in {seconds:.0f} s: {counts}; {remark}")
