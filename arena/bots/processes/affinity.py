"""Pinning processes to cores: messages between a worker and the bots that share its core are faster.

A core belongs to one process of the machine at a time, whichever run that is of: two workers on one core would make
honest bots lose on the clock. What holds a core is a bound socket without a file, which the kernel frees with its
process (`man 7 unix`, abstract addresses; Linux). Where all are held, a process is not pinned.
"""

from __future__ import annotations

import contextlib
import os
import socket
import sys
from collections.abc import Sequence

from arena.bots.processes.procfs import current_core

NO_PINNING = "ARENA_NO_PINNING"
"""Environment variable: if it is set, nothing is pinned."""

_ADDRESS = "\0schotten-arena/core/"
_held: socket.socket | None = None


def usable_cores() -> list[int]:
    """The cores that this process may use; empty where the system does not tell."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []


def core_count() -> int:
    """The number of cores that this process may use."""
    return len(usable_cores()) or os.cpu_count() or 1


def core_held(core: int) -> bool:
    """True if some process of this machine, perhaps this one, holds a core."""
    holder = _bound(core)
    if holder is not None:
        holder.close()
    return holder is None


def pin_to_core(number: int | None = None) -> bool:
    """Pin this process, and the children it starts from now on, to a core that nobody holds; was there one?

    Worker number `place` of this machine begins to look at the core of that number; None: at the current one. If
    `ARENA_NO_PINNING` is set, nothing is pinned.
    """
    global _held
    if os.environ.get(NO_PINNING) or sys.platform != "linux":
        return False
    cores = usable_cores()
    with contextlib.suppress(OSError, ValueError, IndexError):
        first = cores.index(current_core()) if number is None else number % len(cores)
        free = _first_free([*cores[first:], *cores[:first]])
        if free is not None:
            _held, core = free
            os.sched_setaffinity(0, {core})
            return True
    return False


def _first_free(cores: Sequence[int]) -> tuple[socket.socket, int] | None:
    for core in cores:
        if (holder := _bound(core)) is not None:
            return holder, core
    return None


def _bound(core: int) -> socket.socket | None:
    """What holds a core; None if a process does already."""
    holder = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    try:
        holder.bind(f"{_ADDRESS}{core}")
    except OSError:
        holder.close()
        return None
    return holder
