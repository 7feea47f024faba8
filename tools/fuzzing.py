"""What the fuzzers share: how they say that something is wrong, and how they notice a hang."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NoReturn


class Wrong(Exception):
    """An input did what none may do."""


@contextmanager
def alarm(seconds: float) -> Iterator[Callable[[], None]]:
    """Raise `Wrong` if so many seconds pass between two calls of what is given; on the main thread only."""

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
