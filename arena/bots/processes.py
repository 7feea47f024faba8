"""Processes of this system: looking at them, and ending them.

What is known of processes comes from /proc (Linux, `man 5 proc`); elsewhere nothing is known. psutil would do the
same, but it finds children by reading the entry of every process of the machine (3 ms among 120 processes, where
`/proc/PID/task/*/children` takes 0.05 ms), workers ask every 20 ms, and its import would add 60 ms to each start.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections.abc import Collection
from pathlib import Path

KILL: int = getattr(signal, "SIGKILL", signal.SIGTERM)
"""The signal that ends a process for good; Windows has only the other one, which does the same there."""
_PATIENCE_S = 2.0


def read_text(path: str) -> str:
    """Read a text file; return "" if there is none or it cannot be read."""
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def children(pid: int) -> list[int]:
    """Return the children of all threads of a process; it and they may end meanwhile."""
    pids: list[int] = []
    with contextlib.suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            pids += map(int, read_text(f"/proc/{pid}/task/{thread}/children").split())
    return pids


def descendants(pid: int) -> list[int]:
    """Return all processes below a process, without those whose parent has ended."""
    pids = children(pid)
    for child in pids:  # grows meanwhile
        pids += children(child)
    return pids


def has_children() -> bool:
    """Return whether this process has children, running or ended and not waited for. Workers call it every 20 ms."""
    if not hasattr(os, "waitid"):
        return False
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def is_running(pid: int) -> bool:
    """Return whether there is a process with this PID that has not ended, though nobody has waited for it."""
    fields = stat_fields(pid)
    return bool(fields) and fields[0] not in "ZX"


def stat_fields(pid: int | str) -> list[str]:
    """Return the fields of /proc/PID/stat from the third, the state, on; empty if there is no such process."""
    return read_text(f"/proc/{pid}/stat").rpartition(")")[2].split()


def memory_in_use() -> int:
    """Return the bytes of memory that this process occupies; 0 if not known."""
    return _statm(1)


def data_in_use() -> int:
    """Return the bytes of this process that count towards the limit on data; 0 if not known."""
    return _statm(5)


def _statm(field: int) -> int:
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[field]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


# ---------------------------------------------------------------- ending


def send_signal(pid: int, number: int) -> None:
    """Send a signal to a process that may have ended already."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def send_group_signal(pid: int, number: int) -> None:
    """Send a signal to what is left of the group that a process leads, or led."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, number)


def kill_group(pid: int) -> None:
    """Kill what is left of the group that a process led."""
    send_group_signal(pid, KILL)


def kill_with_group(pid: int) -> None:
    """Kill a process that was not waited for yet, and its group."""
    kill_group(pid)
    send_signal(pid, KILL)


def exit_text(code: int | None, who: str = "it") -> str:
    """Describe an exit code as Python reports it: a signal is its negative number.

    >>> exit_text(-9), exit_text(3, "the process")
    ('it was killed by SIGKILL', 'the process ended itself with exit code 3')
    """
    if code is None or code >= 0:
        return f"{who} ended itself with exit code {code}"
    name = str(-code)
    with contextlib.suppress(ValueError):
        name = signal.Signals(-code).name
    return f"{who} was killed by {name}"


def end_descendants(pid: int) -> None:
    """Kill everything below a process of ours, even if it keeps starting new processes.

    The process itself is stopped meanwhile and must be killed next. What has left its parent is found only if the
    process adopts orphans (`arena.bots.forks`).
    """
    if sys.platform == "win32":
        return  # nothing is known of them
    send_signal(pid, signal.SIGSTOP)
    deadline = time.monotonic() + _PATIENCE_S
    while (left := [child for child in descendants(pid) if is_running(child)]) and time.monotonic() < deadline:
        for child in left:
            send_signal(child, KILL)
        time.sleep(0.001)


def kill_orphans(known: Collection[int]) -> list[int]:
    """Kill all children of this process but the `known` ones; return those that had not ended by themselves.

    For a process that adopts orphans (`arena.bots.forks`): they are what bots have left behind.
    """
    killed = []
    for pid in children(os.getpid()):
        if pid not in known:
            if is_running(pid):
                killed.append(pid)
            with contextlib.suppress(ProcessLookupError, PermissionError, ChildProcessError):
                os.kill(pid, KILL)
                os.waitpid(pid, 0)
    return killed
