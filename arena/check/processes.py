"""Looks at processes through /proc (Linux); elsewhere nothing is known."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

from arena.isolation.process import adopt_orphans, running
from arena.processes import worker_setup

_DYING_S = 0.02


def children(pid: int) -> list[int]:
    """The processes that a process has started."""
    found: list[int] = []
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError, ValueError):
            found += map(int, path.read_text(encoding="ascii").split())
    return found


def innermost(pid: int) -> int:
    """The bot's own process, if `pid` is the sandbox around it: the last of a line of only children."""
    while _name(pid) == "bwrap" and len(below := children(pid)) == 1:
        pid = below[0]
    return pid


def _name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


def status_mb(pid: int, field: str) -> float | None:
    """A size in /proc/PID/status, such as `VmHWM` (the most memory it had) or `VmRSS` (what it has), in MB."""
    try:
        text = Path(f"/proc/{pid}/status").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    for line in text.splitlines():
        name, _, rest = line.partition(":")
        if name == field:
            return int(rest.split()[0]) / 1024
    return None


def threads(pid: int) -> int:
    """How many threads a process has; 0 if that is not known."""
    try:
        return len(os.listdir(f"/proc/{pid}/task"))
    except OSError:
        return 0


@contextlib.contextmanager
def on_one_core() -> Iterator[None]:
    """Keep this process, and what it starts, on one core meanwhile."""
    if not hasattr(os, "sched_getaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    worker_setup.stay_on_core(None)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            os.sched_setaffinity(0, before)


@contextlib.contextmanager
def without_strays(level: str) -> Iterator[list[int]]:
    """End what bots leave behind at the level `process` (Linux). When it is over, the list has those processes.

    A sandbox ends with all that is in it, and a worker looks after what its bots have started.
    """
    found: list[int] = []
    if level != "process":
        yield found
        return
    before = set(children(os.getpid()))
    adopt_orphans()
    try:
        yield found
    finally:
        seen: set[int] = set()
        while strays := set(children(os.getpid())) - before - running - seen:
            seen |= strays  # what they have started comes to us next
            time.sleep(_DYING_S)
            for pid in strays:
                if _state(pid) not in ("", "Z", "X"):  # killed with its bot, and comes to us to be buried
                    found.append(pid)
                with contextlib.suppress(ProcessLookupError, PermissionError, ChildProcessError):
                    os.kill(pid, signal.SIGKILL)
                    os.waitpid(pid, 0)
        adopt_orphans(False)


def _state(pid: int) -> str:
    """The letter of a process's state in /proc, empty if it is gone."""
    try:
        return (
            Path(f"/proc/{pid}/stat")
            .read_text(encoding="utf-8", errors="replace")
            .rpartition(")")[2]
            .split()[0]
        )
    except (OSError, IndexError):
        return ""
