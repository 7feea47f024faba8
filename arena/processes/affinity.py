"""Pinning processes to cores: messages between a worker and the bots that share its core are faster."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

from arena.processes.procfs import current_core

NO_PINNING = "ARENA_NO_PINNING"
"""Environment variable: if it is set, nothing is pinned. For several runs, or test processes, at the same time: each
would pin its first worker to the first core."""


def usable_cores() -> list[int]:
    """The cores that this process may use; empty where the system does not tell."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []


def core_count() -> int:
    """The number of cores that this process may use."""
    return len(usable_cores()) or os.cpu_count() or 1


def pin_to_core(place: int | None = None) -> None:
    """Pin this process, and the children it starts from now on, to one core, unless `ARENA_NO_PINNING` is set.

    Worker number `place` of this machine gets a core of its own as far as there are enough; None: the current one.
    """
    if os.environ.get(NO_PINNING) or not hasattr(os, "sched_setaffinity"):
        return
    with contextlib.suppress(OSError, ValueError, IndexError):
        cores = usable_cores()
        os.sched_setaffinity(0, {current_core() if place is None else cores[place % len(cores)]})


@contextlib.contextmanager
def pinned_to_core() -> Iterator[None]:
    """Keep this process, and what it starts, on one core for a while (see `pin_to_core`)."""
    before = usable_cores()
    pin_to_core()
    try:
        yield
    finally:
        if before:
            with contextlib.suppress(OSError):
                os.sched_setaffinity(0, before)
