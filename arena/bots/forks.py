"""New processes of this program: how they begin, what they inherit, and how they end with their parent."""

from __future__ import annotations

import contextlib
import ctypes
import mmap
import multiprocessing.context
import os
import sys
import threading
from collections.abc import Callable
from multiprocessing.connection import wait
from typing import Any

from arena.bots.processes import KILL
from arena.paths import PACKAGE

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

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
