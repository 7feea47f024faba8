"""What ties a worker process to its parent, as far as the system offers it."""

from __future__ import annotations

import contextlib
import ctypes
import mmap
import multiprocessing
import os
import sys
import threading
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess
from typing import Any

from arena.bots.processes.tree import tie_to_parent


def die_with_parent(parent: int, pipe: Connection[Any, Any] | None = None) -> None:
    """Have this process killed when its parent ends, however that ends.

    On Linux the kernel does it. Elsewhere a thread watches `pipe`, whose other end only the parent holds; it cannot
    act while C code holds the interpreter lock, and the process ends right after that.

    For the kernel, the parent ends with the thread that made this process, so that thread must live as long as the
    process is wanted.
    """
    if not tie_to_parent(parent)() and pipe is not None:
        threading.Thread(target=_exit_with, args=(pipe,), name="parent watcher", daemon=True).start()


def _exit_with(pipe: Connection[Any, Any]) -> None:
    with contextlib.suppress(OSError):
        wait([pipe])  # nothing is ever sent: readable means that the other end is gone
    os._exit(1)


def forget_descriptors(*kept: int) -> None:
    """Let all descriptors that a forked process has inherited, but the standard ones and those `kept`, lead nowhere.

    Else a bot that writes to a wrong number writes to the database of the run. They are not closed: objects of the
    parent's are still there, and at their end would close what has got their numbers since.
    """
    if not isinstance(multiprocessing.current_process(), ForkProcess):
        return
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in map(int, os.listdir("/dev/fd")):
        with contextlib.suppress(OSError):
            if number > 2 and number not in (*kept, nowhere) and os.fstat(number):
                os.dup2(nowhere, number, inheritable=False)
    os.close(nowhere)


def keep_from_forks(memory: Any) -> None:
    """Let `memory`, shared with the parent, not be there in processes forked from this one, where the system can.

    A bot that forks and forgets to end the copy would go on playing in it, and write into the same memory: so the copy
    dies when it returns to our code.
    """
    if sys.platform == "linux":
        page = mmap.PAGESIZE
        start = ctypes.addressof(memory) // page * page
        end = ctypes.addressof(memory) + ctypes.sizeof(memory)
        ctypes.CDLL(None).madvise(ctypes.c_void_p(start), ctypes.c_size_t(end - start), mmap.MADV_DONTFORK)


def widen_pipe(end: int, size: int = 1 << 20) -> None:
    """Let a pipe hold `size` bytes, where the system allows it: fewer turns for large messages."""
    if sys.platform == "linux":
        import fcntl

        with contextlib.suppress(OSError):
            fcntl.fcntl(end, fcntl.F_SETPIPE_SZ, size)
