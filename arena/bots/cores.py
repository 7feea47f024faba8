"""Cores: which process uses which core, and which process comes first when all are busy."""

from __future__ import annotations

import contextlib
import math
import os
import socket
import sys
from collections.abc import Callable
from pathlib import PurePosixPath

from arena.bots.processes import KILL, read_text, stat_fields, tie_to_parent

NO_PINNING = "ARENA_NO_PINNING"
"""Environment variable: if it is set, nothing is pinned."""

_ADDRESS = "\0schotten-arena/core/"
_held: socket.socket | None = None


def usable_cores() -> list[int]:
    """Return the cores that this process may use; empty where that is not known."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []


def core_count() -> int:
    """Return how many workers can each have a core to themselves, at least 1.

    A quota is rounded down: with 2.5 cores' worth of time, three workers would all be stopped for a sixth of the time,
    while a clock runs on.
    """
    cores = len(usable_cores()) or os.cpu_count() or 1
    return max(int(min(cores, core_quota())), 1)


def core_quota(root: str = "") -> float:
    """Return how many cores' worth of time this process may use by its control group (cgroup) and those around it.

    It is infinite without a quota. `root` is the folder that holds `proc` and `sys`.
    """
    quotas = [math.inf]
    for line in read_text(f"{root}/proc/self/cgroup").splitlines():
        _, controllers, path = line.split(":", 2)  # `man 7 cgroups`
        if not controllers:  # version 2
            top, files = f"{root}/sys/fs/cgroup", ["cpu.max"]
        elif "cpu" in controllers.split(","):
            top, files = f"{root}/sys/fs/cgroup/cpu", ["cpu.cfs_quota_us", "cpu.cfs_period_us"]
        else:
            continue
        group = PurePosixPath(os.path.normpath(f"/{path}"))  # `..` is outside the container, which does not see it
        for place in (group, *group.parents):
            words = " ".join(read_text(f"{top}{place}/{file}") for file in files).split()
            if len(words) == 2 and all(map(str.isdigit, words)):  # else there is no quota: "max", or -1
                quotas.append(int(words[0]) / int(words[1]))
    return min(quotas)


def core_held(core: int) -> bool:
    """Return whether some process of this machine, perhaps this one, holds a core."""
    holder = _bound(core)
    if holder is not None:
        holder.close()
    return holder is None


def pin_to_core(number: int | None = None) -> bool:
    """Pin this process and its later children to a core that nobody holds; return whether a core was free.

    The search begins at the core of the worker's `number` on this machine, or at the current one. If `ARENA_NO_PINNING`
    is set, nothing is pinned.
    """
    global _held
    if os.environ.get(NO_PINNING) or sys.platform != "linux":
        return False
    cores = usable_cores()
    with contextlib.suppress(OSError, ValueError, IndexError):
        # from the core on that this process runs on
        first = cores.index(int(stat_fields("self")[36])) if number is None else number % len(cores)
        for core in (*cores[first:], *cores[:first]):
            if (holder := _bound(core)) is not None:
                _held = holder
                os.sched_setaffinity(0, {core})
                return True
    return False


def _bound(core: int) -> socket.socket | None:
    """Return a socket that holds a core; None if another one holds it."""
    holder = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    try:
        holder.bind(f"{_ADDRESS}{core}")
    except OSError:
        holder.close()
        return None
    return holder


# ---------------------------------------------------------------- who comes first


_SESSION = "/proc/self/autogroup"


def lower_priority(parent: int, by: int, number: int = KILL) -> Callable[[], None]:
    """Return a function that puts a new process `by` steps of nice behind `parent`, and ends it with `parent`.

    `number` is the signal that ends it. Make it before a fork and call it in the child.
    """
    tie = tie_to_parent(parent, number)

    def prepare() -> None:
        os.nice(by)
        lower_session()
        tie()

    return prepare


def lower_session() -> None:
    """Let a process that has begun a session come as late as its parent; call it in that process.

    Linux shares cores equally between sessions, however nice their processes are (sched_autogroup, man 7 sched), so a
    nice process has to set that again in a session of its own.
    """
    nice = os.nice(0)
    if nice > 0:
        # a kernel without it, or too many changes
        with contextlib.suppress(OSError), open(_SESSION, "w") as out:
            out.write(str(nice))
