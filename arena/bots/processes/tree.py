"""Ending processes: groups, descendants, orphans, and children whose parent has died."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Collection

from arena.bots.processes.procfs import children, descendants, is_running
from arena.paths import PACKAGE

# man 2 prctl
PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36


def prctl() -> Callable[..., int] | None:
    """The call of Linux, None elsewhere. Look it up before a fork: the child could find the loader's lock held."""
    if sys.platform != "linux":
        return None
    try:
        function: Callable[..., int] = ctypes.CDLL(None, use_errno=True).prctl
    except (OSError, AttributeError):
        return None
    return function


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
    while (left := [child for child in descendants(pid) if is_running(child)]) and time.monotonic() < deadline:
        for child in left:
            send_signal(child, signal.SIGKILL)
        time.sleep(0.001)


def adopt_orphans(adopt: bool = True) -> None:
    """Become the parent of descendants whose own parent has ended (a subreaper, Linux), or stop being it."""
    if (call := prctl()) is not None:
        call(PR_SET_CHILD_SUBREAPER, int(adopt), 0, 0, 0)


def kill_orphans(known: Collection[int]) -> list[int]:
    """Kill all children of this process but the `known` ones; those that had not ended by themselves.

    For a process that adopts orphans (`adopt_orphans`): they are what bots have left behind.
    """
    killed = []
    for pid in children(os.getpid()):
        if pid not in known:
            if is_running(pid):
                killed.append(pid)
            with contextlib.suppress(ProcessLookupError, PermissionError, ChildProcessError):
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
    return killed


# ---------------------------------------------------------------- who comes first


_SESSION = "/proc/self/autogroup"


def behind(parent: int, by: int, number: int = signal.SIGKILL) -> Callable[[], None]:
    """What a process does before it begins that comes `by` steps of nice behind `parent`, and ends with it.

    `number` is the signal that ends it. To be made before a fork and called in the child.
    """
    tie = tie_to_parent(parent, number)

    def prepare() -> None:
        os.nice(by)
        stay_behind()
        tie()

    return prepare


def stay_behind() -> None:
    """Called in a process that has begun a session: let it come as late as its parent did.

    Linux shares cores between sessions, each counting the same however nice its processes are (sched_autogroup, man 7
    sched), so a nice process in a session of its own has to say so once more.
    """
    nice = os.nice(0)
    if nice > 0:
        # a kernel without it, or one that was asked too often
        with contextlib.suppress(OSError), open(_SESSION, "w") as out:
            out.write(str(nice))


fork_lock = threading.RLock()
"""Held by a thread while no process must be forked by another one."""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=fork_lock.acquire, after_in_parent=fork_lock.release, after_in_child=fork_lock.release)


_START = (
    "import runpy, sys; sys.path.insert(0, sys.argv.pop(1)); sys.argv.pop(0);"
    " runpy.run_module(sys.argv[0], run_name='__main__', alter_sys=True)"
)


def command_of(module: str, *words: str) -> list[str]:
    """The command that runs a module of this program.

    Unlike `python -m`, it finds nothing in the working directory, which may be a folder of strangers' files.
    """
    return [sys.executable, "-P", "-c", _START, str(PACKAGE.parent), module, *words]
