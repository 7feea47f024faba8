"""Ending processes: groups, descendants, orphans, and children whose parent has died."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import time
from collections.abc import Callable, Collection

from arena.bots.processes.procfs import children, descendants, is_running

# man 2 prctl
PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36


def prctl() -> Callable[..., int] | None:
    """The call of Linux, None elsewhere. Look it up before a fork: the child could find the loader's lock held."""
    if sys.platform != "linux":
        return None
    try:
        found: Callable[..., int] = ctypes.CDLL(None, use_errno=True).prctl
    except (OSError, AttributeError):
        return None
    return found


def tie_to_parent(parent: int, number: int = signal.SIGKILL) -> Callable[[], bool]:
    """A function that has the kernel end the process that calls it, with a signal, when `parent` ends; False if it
    cannot.

    To be made before a fork and called in the child.
    """
    call = prctl()

    def set_signal() -> bool:
        if call is None or call(PR_SET_PDEATHSIG, number, 0, 0, 0) != 0:
            return False
        if os.getppid() != parent:  # it ended before the call
            os._exit(1)
        return True

    return set_signal


def lead_group() -> None:
    """Make this process the leader of a process group, so that what its bots start can be killed with it."""
    if hasattr(os, "setpgid"):
        with contextlib.suppress(OSError):
            os.setpgid(0, 0)


def send_signal(pid: int, number: int) -> None:
    """Send a signal to a process that may be gone already."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def send_group_signal(pid: int, number: int) -> None:
    """Send a signal to what is left of the group that a process leads, or led."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, number)


def kill_group(pid: int) -> None:
    """Kill what is left of the group that a process led."""
    if hasattr(signal, "SIGKILL"):
        send_group_signal(pid, signal.SIGKILL)


def kill_with_group(pid: int) -> None:
    """Kill a process that was not waited for yet, and its group."""
    if hasattr(signal, "SIGKILL"):
        kill_group(pid)
        send_signal(pid, signal.SIGKILL)


def exit_text(code: int | None, who: str = "it") -> str:
    """An exit code in words, as Python reports it: a signal is its negative number.

    >>> exit_text(-9), exit_text(3, "the process")
    ('it was killed by SIGKILL', 'the process ended itself with exit code 3')
    """
    if code is None or code >= 0:
        return f"{who} ended itself with exit code {code}"
    name = str(-code)
    with contextlib.suppress(ValueError):
        name = signal.Signals(-code).name
    return f"{who} was killed by {name}"


def end_descendants(pid: int, patience_s: float = 2.0) -> None:
    """Kill everything below a process of ours, even if it keeps starting new processes.

    The process itself is stopped meanwhile and must be killed next. What has left its parents is found only if the
    process adopts orphans (`adopt_orphans`).
    """
    send_signal(pid, signal.SIGSTOP)
    deadline = time.monotonic() + patience_s
    while (left := [one for one in descendants(pid) if is_running(one)]) and time.monotonic() < deadline:
        for one in left:
            send_signal(one, signal.SIGKILL)
        time.sleep(0.001)


def adopt_orphans(adopt: bool = True) -> None:
    """Become the parent of descendants whose own parent has ended (a subreaper, Linux), or stop being it."""
    if (call := prctl()) is not None:
        call(PR_SET_CHILD_SUBREAPER, int(adopt), 0, 0, 0)


def kill_orphans(known: Collection[int]) -> list[int]:
    """Kill all children of this process but the `known` ones; those that had not ended by themselves.

    For a process that adopts orphans (`adopt_orphans`): they are what bots have left behind.
    """
    found = []
    for pid in children(os.getpid()):
        if pid not in known:
            if is_running(pid):
                found.append(pid)
            with contextlib.suppress(ProcessLookupError, PermissionError, ChildProcessError):
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
    return found
