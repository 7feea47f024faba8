"""Limits that the kernel enforces on a process (`man 2 setrlimit`); none on Windows."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable

from arena.processes.procfs import data_in_use

if sys.platform != "win32":
    import resource

    #: Data counts memory that is written to; the address space would also count what libraries only reserve.
    _MEMORY = resource.RLIMIT_DATA if sys.platform == "linux" else resource.RLIMIT_AS

    def _set(kind: int, soft: int, hard: int) -> None:
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(kind, (soft, hard))

    def _within_hard_limit(kind: int, value: int) -> int:
        most = resource.getrlimit(kind)[1]
        return value if most == resource.RLIM_INFINITY else min(value, most)


def limits_setter(memory: int, file: int, files: int, cpu_s: int) -> Callable[[], None]:
    """A function that sets limits for good, to be called in a new process: bytes of memory and of a file, open
    descriptors, seconds of processor time; and no core dumps. It only makes system calls, as suits a fork."""
    wanted = [
        (resource.RLIMIT_CORE, 0, 0),
        (resource.RLIMIT_FSIZE, file, file),
        (resource.RLIMIT_NOFILE, files, files),
        (resource.RLIMIT_CPU, cpu_s, cpu_s + 5),
        (_MEMORY, memory, memory),
    ]
    bounded = [(kind, *(_within_hard_limit(kind, one) for one in values)) for kind, *values in wanted]

    def set_limits() -> None:
        for kind, soft, hard in bounded:
            _set(kind, soft, hard)

    return set_limits


def limit_memory(size: int | None, beyond: bool = False) -> None:
    """Let allocations beyond `size` bytes fail in this process (MemoryError in Python); None lifts the limit.

    `beyond`: `size` comes on top of what the process uses already.
    """
    if sys.platform == "win32":
        return
    if beyond and size is not None:
        size += data_in_use()
    hard = resource.getrlimit(_MEMORY)[1]
    _set(_MEMORY, hard if size is None else _within_hard_limit(_MEMORY, size), hard)


def no_core_dumps() -> None:
    """Write no core files: a bot that crashes on purpose, game after game, must not fill the disk."""
    if sys.platform != "win32":
        _set(resource.RLIMIT_CORE, 0, 0)
