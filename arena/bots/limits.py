"""Where a bot runs, and what a worker and the bots in it may use. Settings, commands and workers read it from here.

A new isolation level is a member of `Isolation` and, if it confines bots, what `arena.bots.isolation.process` puts
around their command.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from arena.errors import ArenaError
from arena.settings import real, whole

MIB = 1 << 20
_DAY = 86400
_MOST_MB = 1 << 24
_SECONDS = {"above": 0, "most": _DAY, "noun": "seconds"}


class Isolation(StrEnum):
    """A level by its name in settings.

    `where` describes it in messages. With `own_process`, each bot has a process of its own; if it is `confined`,
    nothing in it reaches out or outlives it.
    """

    where: str
    own_process: bool
    confined: bool

    NONE = "none", "not isolated", False, False
    PROCESS = "process", "in a process", True, False
    SANDBOX = "sandbox", "in the sandbox", True, True

    def __new__(cls, name: str, where: str = "", own_process: bool = False, confined: bool = False) -> Isolation:
        """Make a level whose value is its name."""
        level = str.__new__(cls, name)
        level._value_ = name
        level.where, level.own_process, level.confined = where, own_process, confined
        return level


ISOLATIONS = tuple(level.value for level in Isolation)


@dataclass(frozen=True)
class Limits:
    """What a worker may use before it is stopped; all but `growth_mb` hold for each bot in a process of its own.

    `memory_mb` None: four fifths of the machine's memory, shared by the workers; a gigabyte for a bot in a
    process of its own.
    """

    decision_s: float = real(10.0, "seconds for an answer without a clock", **_SECONDS)
    loading_s: float = real(60.0, "seconds for running a bot's file, and again for making the bot", **_SECONDS)
    memory_mb: int | None = whole(
        None,
        64,
        _MOST_MB,
        "MiB of data, beyond which allocations fail",
        unset="1024 for a bot in a process of its own, else a share of four fifths of the machine",
    )
    growth_mb: int = whole(1024, 1, _MOST_MB, "MiB of growth after which a worker is replaced")
    file_mb: int = whole(16, 1, _MOST_MB, "MiB of the largest file; in the sandbox nothing can be written")

    def memory_bytes(self, workers: int) -> int | None:
        """Return the limit in bytes if `workers` share a machine; None if that is not known."""
        if self.memory_mb is not None:
            return self.memory_mb << 20
        if not hasattr(os, "sysconf") or sys.platform == "darwin":
            return None
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        return int(total * 4 // 5 // max(workers, 1))


@dataclass(frozen=True)
class BotLimits(Limits):
    """Bounds of one bot's process at the levels `process` and `sandbox`."""

    memory_mb: int = 1024
    files: int = 128  # open descriptors; with each the tables that the kernel keeps of them grow by its square
    processes: int = 64  # processes and threads together (not counted by the system for root)
    cpu_s: int = 3600  # processor time of one process in all; it is replaced between two games long before that


_ENVIRONMENT = {"PATH": "/usr/bin:/bin", "HOME": "/tmp", "LANG": "C.UTF-8"}


class CannotStart(ArenaError):
    """The command of a bot cannot be run."""


@dataclass(frozen=True)
class Launch:
    """A command and what it may use.

    `argv` is the command, the path of a program first; `folder` the bot's own, its working directory, read-only in
    the sandbox; `level` the name of an isolation level with processes. `read_only` are further files and folders that
    the sandbox shows; `system` also shows the system's programs. `environment` adds to PATH, HOME and LANG.
    """

    argv: tuple[str, ...]
    folder: Path
    level: str
    limits: BotLimits = field(default_factory=BotLimits)
    read_only: tuple[Path, ...] = ()
    system: bool = False
    environment: Mapping[str, str] = field(default_factory=dict)

    @property
    def whole_environment(self) -> dict[str, str]:
        """All environment variables of the process."""
        return {**_ENVIRONMENT, **self.environment}


@dataclass(frozen=True)
class HelloAnswer:
    """The options that a bot chooses when it is started. They may not change between starts.

    `events`: it wants to know what happens, a Python bot also how games end.
    """

    auto_claim: bool = True
    ask_forced: bool = False
    events: bool = False


# ---------------------------------------------------------------- limits that the kernel enforces


if sys.platform != "win32":
    import resource

    #: Data counts memory that is written to; the address space would also count what libraries only reserve.
    _MEMORY = resource.RLIMIT_DATA if sys.platform == "linux" else resource.RLIMIT_AS

    #: Not 0: where crashes are piped to a program, the kernel ignores 0, but not 1 (`fs/coredump.c`).
    _NO_CORE = 1
    _STACK = 64 << 20
    _LOCKED = 64 << 10

    def _set(kind: int, soft: int, hard: int) -> None:
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(kind, (soft, hard))

    def _within_hard_limit(kind: int, value: int) -> int:
        most = resource.getrlimit(kind)[1]
        return value if most == resource.RLIM_INFINITY else min(value, most)


ADDRESSES = 4 << 30
"""Bytes of address space that a bot may reserve beside twice its limit on data, for code, files and heaps that are
never filled. numpy takes 0.2 GiB, node 0.7, a JVM 2.5. Without a bound, page tables alone fill the machine."""


def limits_setter(limits: BotLimits, addresses: bool) -> Callable[[], None]:
    """Return a function that sets limits for good; call it last of all in a new process, before its program begins.

    Core dumps are forbidden. `addresses`: also bound the address space, where `memory_mb` bounds only the data (see
    `ADDRESSES`), and the stack of the first thread, which is not data.
    """
    memory, file = limits.memory_mb * MIB, limits.file_mb * MIB
    wanted = [
        (resource.RLIMIT_CORE, _NO_CORE, _NO_CORE),
        (resource.RLIMIT_FSIZE, file, file),
        (resource.RLIMIT_NOFILE, limits.files, limits.files),
        (resource.RLIMIT_CPU, limits.cpu_s, limits.cpu_s + 5),
    ]
    scarce = {_MEMORY: memory}
    if addresses:
        scarce[resource.RLIMIT_AS] = ADDRESSES + 2 * memory
        stack = min(resource.getrlimit(resource.RLIMIT_STACK)[0] % (1 << 64), _STACK)
        wanted += [
            (resource.RLIMIT_STACK, stack, max(memory, stack)),
            (resource.RLIMIT_MEMLOCK, _LOCKED, _LOCKED),
        ]
    bounded = [(kind, *(_within_hard_limit(kind, value) for value in values)) for kind, *values in wanted]
    last = [(kind, (_within_hard_limit(kind, value),) * 2) for kind, value in scarce.items()]
    setrlimit = resource.setrlimit

    def set_limits() -> None:
        for kind, soft, hard in bounded:
            _set(kind, soft, hard)
        # A process forked from a large one has more memory than these allow. It can get no more, which calling a Python
        # function may need, until its program begins: so there are only calls of C from here on.
        try:
            for kind, both in last:
                setrlimit(kind, both)
        except (ValueError, OSError):
            pass

    return set_limits


def limit_memory(size: int | None) -> None:
    """Let this process allocate `size` bytes more (then MemoryError in Python); None lifts the limit.

    What it has already does not count: a forked process inherits the data of its parent, with the stacks of all its
    threads, and hardly ever writes to it.
    """
    if sys.platform == "win32":
        return
    hard = resource.getrlimit(_MEMORY)[1]
    _set(_MEMORY, hard if size is None else _within_hard_limit(_MEMORY, _data_in_use() + size), hard)


def memory_in_use() -> int:
    """Return the bytes of memory that this process occupies; 0 if not known."""
    return _statm(1)


def _data_in_use() -> int:
    """Return the bytes of this process that count towards the limit on data; 0 if not known."""
    return _statm(5)


def _statm(field: int) -> int:
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[field]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


BOT_OOM_SCORE, WORKER_OOM_SCORE = 1000, 500


def set_oom_score(score: int) -> None:
    """Let the kernel kill this process and its children before others if the machine runs out of memory.

    `score`: `BOT_OOM_SCORE` or `WORKER_OOM_SCORE`; the higher goes first (`oom_score_adj`, `man 5 proc`).
    """
    with contextlib.suppress(OSError):
        file = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
        os.write(file, str(score).encode())
        os.close(file)


def no_core_dumps() -> None:
    """Write no core files: a bot that crashes on purpose, game after game, must not fill the disk."""
    if sys.platform != "win32":
        _set(resource.RLIMIT_CORE, _NO_CORE, _NO_CORE)
