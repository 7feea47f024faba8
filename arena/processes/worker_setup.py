"""What ties a worker process to its parent and keeps it in bounds, as far as the system offers it."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import threading
from collections.abc import Collection
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

_PR_SET_PDEATHSIG = 1


def die_with_parent(parent: int, line: Connection[Any, Any] | None = None) -> None:
    """Have this process killed when its parent ends, however that ends.

    On Linux the kernel does it. Elsewhere a thread watches `line`, a pipe whose other end only the parent
    holds; it cannot act while code in C keeps the interpreter locked, and the process then ends right after.

    The kernel counts the end of the thread that made this process as its parent's end, so that thread must
    live as long as the process is wanted.
    """
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            libc = ctypes.CDLL(None, use_errno=True)
            if libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0) == 0:
                if os.getppid() != parent:  # it ended before the call
                    os._exit(1)
                return
    if line is not None:
        threading.Thread(target=_watch, args=(line,), name="lifeline", daemon=True).start()


def _watch(line: Connection[Any, Any]) -> None:
    with contextlib.suppress(OSError):
        wait([line])  # nothing is ever sent: readable means that the other end is gone
    os._exit(1)


def own_group() -> None:
    """Make this process the leader of a group, so that what its bots start can be stopped with it."""
    if hasattr(os, "setpgid"):
        with contextlib.suppress(OSError):
            os.setpgid(0, 0)


def kill_followers(pid: int) -> None:
    """Kill what is left of the group that a process led."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)


def kill_group(pid: int) -> None:
    """Kill a process that was not waited for yet, and all that it has started."""
    kill_followers(pid)
    if hasattr(signal, "SIGKILL"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)


def stay_on_core(place: int | None) -> None:
    """Pin this process, and with it the children that it starts, to one core: messages between them are then faster.

    Worker number `place` of this machine gets a core of its own as far as there are some; None: the one it is on.
    """
    if not hasattr(os, "sched_setaffinity"):
        return
    with contextlib.suppress(OSError, ValueError, IndexError):
        cores = sorted(os.sched_getaffinity(0))
        core = cores[place % len(cores)] if place is not None else _core_now()
        os.sched_setaffinity(0, {core})


def _core_now() -> int:
    fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
    return int(fields[36])


def limit_memory(size: int | None, beyond: bool = False) -> None:
    """Let allocations beyond `size` bytes fail in this process (MemoryError in Python); None: no more.

    `beyond`: `size` comes on top of what the process has by now.
    """
    if sys.platform == "win32":
        return
    if beyond and size is not None:
        size += _data_in_use()
    import resource

    # data counts memory that is written to; the address space would also count what libraries only reserve
    kind = resource.RLIMIT_DATA if sys.platform == "linux" else resource.RLIMIT_AS
    _, hard = resource.getrlimit(kind)
    soft = hard if size is None else size if hard == resource.RLIM_INFINITY else min(size, hard)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(kind, (soft, hard))


def widen_pipe(end: int, size: int = 1 << 20) -> None:
    """Let a pipe hold more at a time, where that can be had: fewer turns for large messages."""
    if sys.platform == "linux":
        import fcntl

        with contextlib.suppress(OSError):
            fcntl.fcntl(end, fcntl.F_SETPIPE_SZ, size)


def no_core_dumps() -> None:
    """A bot that crashes on purpose, game after game, must not fill the disk."""
    if sys.platform == "win32":
        return
    import resource

    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def memory_in_use() -> int:
    """Bytes of memory that this process occupies; 0 if the system does not tell."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def _data_in_use() -> int:
    """Bytes that the limit on data counts already; 0 if the system does not tell."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[5]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def has_children(known: Collection[int] = ()) -> bool:
    """Has this process children, running or ended and not waited for, beside those that are known?"""
    if not hasattr(os, "waitid"):
        return False
    if known:
        with contextlib.suppress(OSError, ValueError):
            pids = Path(f"/proc/self/task/{threading.get_native_id()}/children").read_text().split()
            return any(int(pid) not in known for pid in pids)
        return False
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True
