"""What the system tells about processes, mostly through /proc (Linux); elsewhere nothing is known.

Sources: `man 5 proc`. psutil would do the same, but it finds children by reading the entry of every process of the
machine (3 ms among 120 processes, where `/proc/PID/task/*/children` takes 0.05 ms), workers ask every 20 ms, and its
import would add 60 ms to the start of each.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Collection
from pathlib import Path


def read_text(path: str) -> str:
    """The text of a file; empty if there is none or it cannot be read."""
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def children(pid: int) -> list[int]:
    """The children of all threads of a process; it and they may end meanwhile."""
    pids: list[int] = []
    with contextlib.suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            pids += map(int, read_text(f"/proc/{pid}/task/{thread}/children").split())
    return pids


def descendants(pid: int) -> list[int]:
    """All processes below a process; those whose parent has ended are not found."""
    pids = children(pid)
    for child in pids:  # grows meanwhile
        pids += children(child)
    return pids


def has_children(known: Collection[int] = ()) -> bool:
    """True if this process has children, running or ended and not waited for, besides the `known` ones.

    With `known`, only those of the calling thread are looked at. Workers ask this every 20 ms.
    """
    if not hasattr(os, "waitid"):
        return False
    if known:
        pids = read_text(f"/proc/self/task/{threading.get_native_id()}/children").split()
        return any(int(pid) not in known for pid in pids)
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def start_time(pid: int) -> str:
    """When a process was started, in clock ticks since boot; empty if it has ended or that is not known.

    Together with the PID it tells a process from a later one that was given the same PID.
    """
    fields = _stat(pid)
    return "" if not fields or fields[0] in "ZX" else fields[19]  # killed, and nobody has waited for it


def is_running(pid: int) -> bool:
    """True if there is a process with this PID that has not ended."""
    return bool(start_time(pid))


def current_core() -> int:
    """The core that this process runs on. `IndexError` if the system does not tell."""
    return int(_stat("self")[36])


def _stat(pid: int | str) -> list[str]:
    """The fields of /proc/PID/stat from the third, the state, on; empty if there is no such process."""
    return read_text(f"/proc/{pid}/stat").rpartition(")")[2].split()


def status_mb(pid: int, field: str) -> float | None:
    """A size in /proc/PID/status, such as `VmHWM` (peak memory) or `VmRSS` (memory now), in MB."""
    for line in read_text(f"/proc/{pid}/status").splitlines():
        name, _, rest = line.partition(":")
        if name == field:
            return int(rest.split()[0]) / 1024
    return None


def memory_in_use() -> int:
    """Bytes of memory that this process occupies; 0 if that is not known."""
    return _statm(1)


def data_in_use() -> int:
    """Bytes of this process that count towards the limit on data; 0 if that is not known."""
    return _statm(5)


def _statm(field: int) -> int:
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[field]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0
