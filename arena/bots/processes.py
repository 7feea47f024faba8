"""Processes of this system: how ours begin, what they inherit, looking at them, and ending them.

What is known of processes comes from /proc (Linux, `man 5 proc`); elsewhere nothing is known. psutil would do the
same, but it finds children by reading the entry of every process of the machine (3 ms among 120 processes, where
`/proc/PID/task/*/children` takes 0.05 ms), workers ask every 20 ms, and its import would add 60 ms to each start.
"""

from __future__ import annotations

import contextlib
import ctypes
import mmap
import multiprocessing.context
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Collection
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

from arena.paths import PACKAGE

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

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


def kill_with_group(pid: int) -> None:
    """Kill a process that was not waited for yet, and its group."""
    send_group_signal(pid, KILL)
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
    process adopts orphans (`adopt_orphans`).
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

    For a process that adopts orphans: they are what bots have left behind.
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


# ---------------------------------------------------------------- new processes


_START = (
    "import runpy, sys; sys.path.insert(0, sys.argv.pop(1)); sys.argv.pop(0);"
    " runpy.run_module(sys.argv[0], run_name='__main__', alter_sys=True)"
)


def command_of(module: str, *words: str) -> list[str]:
    """Return the command that runs a module of this program.

    Unlike `python -m`, it finds nothing in the working directory, which may be a folder of strangers' files.
    """
    return [sys.executable, "-P", "-c", _START, str(PACKAGE.parent), module, *words]


# ---------------------------------------------------------------- parents and children


# man 2 prctl
PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36


def prctl() -> Callable[..., int] | None:
    """Return the system call of Linux, None elsewhere. Call it before a fork: a child may find the loader locked."""
    if sys.platform != "linux":
        return None
    try:
        function: Callable[..., int] = ctypes.CDLL(None, use_errno=True).prctl
    except (OSError, AttributeError):
        return None
    return function


def tie_to_parent(parent: int, number: int = KILL) -> Callable[[], bool]:
    """Return a function with which a child has the kernel end it by a signal when `parent` ends.

    Make it before a fork and call it in the child; it returns False if the kernel cannot do that.
    """
    call = prctl()

    def set_signal() -> bool:
        if call is None or call(PR_SET_PDEATHSIG, number, 0, 0, 0) != 0:
            return False
        if os.getppid() != parent:  # it ended before the call
            os._exit(1)
        return True

    return set_signal


def die_with_parent(parent: int) -> None:
    """Have this process killed when its parent ends, however that ends.

    On Linux the kernel does it. Elsewhere a thread waits for the end of the parent, if multiprocessing started this
    process; it acts only after C code has released the interpreter lock.

    For the kernel, the parent ends with the thread that made this process, so that thread must live as long as the
    process.
    """
    starter = multiprocessing.parent_process()
    if not tie_to_parent(parent)() and starter is not None:
        threading.Thread(target=_exit_with, args=(starter.sentinel,), name="parent watcher", daemon=True).start()


def _exit_with(parent: int) -> None:
    with contextlib.suppress(OSError):
        wait([parent])
    os._exit(1)


def lead_group() -> None:
    """Make this process the leader of a process group, so that what its bots start can be killed with it."""
    if hasattr(os, "setpgid"):
        with contextlib.suppress(OSError):
            os.setpgid(0, 0)


def adopt_orphans() -> None:
    """Become the parent of descendants whose own parent has ended (a subreaper, Linux)."""
    if (call := prctl()) is not None:
        call(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


# ---------------------------------------------------------------- what a fork inherits


fork_lock = threading.RLock()
"""Held by a thread while no other thread may fork."""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=fork_lock.acquire, after_in_parent=fork_lock.release, after_in_child=fork_lock.release)


def forget_descriptors(*kept: int) -> None:
    """Let all descriptors that a forked process has inherited, but the standard ones and those `kept`, lead nowhere.

    Otherwise a bot that writes to a wrong number writes to the database of the run. They are not closed, because
    objects of the parent are still there, and would later close whatever has their numbers then.
    """
    forked = getattr(multiprocessing.context, "ForkProcess", ())  # Windows has none
    if not isinstance(multiprocessing.current_process(), forked):
        return
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in map(int, os.listdir("/dev/fd")):
        with contextlib.suppress(OSError):
            if number > 2 and number not in (*kept, nowhere) and os.fstat(number):
                os.dup2(nowhere, number, inheritable=False)
    os.close(nowhere)


def keep_from_forks(memory: Any) -> None:
    """Hide `memory`, shared with the parent, from processes forked from this one, where the system can.

    A bot that forks and forgets to end the copy would play on in it and write into the same memory. Without the memory,
    the copy dies when it returns to our code.
    """
    if sys.platform == "linux":
        page = mmap.PAGESIZE
        start = ctypes.addressof(memory) // page * page
        end = ctypes.addressof(memory) + ctypes.sizeof(memory)
        ctypes.CDLL(None).madvise(ctypes.c_void_p(start), ctypes.c_size_t(end - start), mmap.MADV_DONTFORK)


def widen_pipe(end: int) -> None:
    """Let a pipe hold a mebibyte, where the system allows it, so that large messages need fewer writes."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            fcntl.fcntl(end, fcntl.F_SETPIPE_SZ, 1 << 20)
