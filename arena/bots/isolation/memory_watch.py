"""What a bot's process really takes: memory, page tables and threads that limits of the kernel do not count.

`RLIMIT_DATA` counts what can be written to, so memory that is made read-only after it was written counts no more, nor
do page tables, and `RLIMIT_NPROC` counts nothing for root. The kernel tells all of them of a process in one file, which
whoever waits for a bot looks at twenty times a second: there the bot, and only then, can take much.

Source: `man 5 proc`.
"""

from __future__ import annotations

import os
import re
from typing import NamedTuple

from arena.bots.processes.limits import BotLimits

LOOK_S = 0.05
"""Seconds between two looks at a bot that is waited for."""
LOOK_AT_ALL_S = 0.25
"""Seconds between two looks at all others: without a clock their threads may go on working."""
SLACK_MB = 64
"""What a process may have beside its data: the stack of its first thread, code that was changed, page tables."""
GROUP_SLACK_MB = 128
"""What its control group may have beside its data: that, and the kernel's for it, such as buffers and descriptors."""

_FIELDS = re.compile(rb"^(RssAnon|RssShmem|VmSwap|VmPTE|Threads):\s+(\d+)", re.MULTILINE)


class Taken(NamedTuple):
    """What a process has: MiB of memory, MiB of these that are page tables, threads."""

    memory_mb: int
    tables_mb: int
    threads: int

    def excess(self, limits: BotLimits, threads: bool = True) -> str | None:
        """What of it is beyond the limits, in words; None if nothing. `threads`: count those, too.

        >>> Taken(2049, 1, 3).excess(BotLimits()), Taken(1, 1, 65).excess(BotLimits())
        ('it had 2,049 MiB of memory, more than its 1,024', 'it had 65 threads, more than its 64')
        >>> Taken(2049, 2048, 3).excess(BotLimits())
        'it had 2,049 MiB of memory, 2,048 of them page tables, more than its 1,024'
        """
        if self.memory_mb > limits.memory_mb + SLACK_MB:
            mostly = f", {self.tables_mb:,} of them page tables" if self.tables_mb > SLACK_MB else ""
            return f"it had {self.memory_mb:,} MiB of memory{mostly}, more than its {limits.memory_mb:,}"
        if threads and self.threads > limits.processes:
            return f"it had {self.threads:,} threads, more than its {limits.processes}"
        return None


def taken(pid: int) -> Taken | None:
    """What a process has; None if the system does not tell."""
    try:
        file = os.open(f"/proc/{pid}/status", os.O_RDONLY)
        try:
            return read_status(os.read(file, 8192))
        finally:
            os.close(file)
    except OSError:
        return None


def read_status(text: bytes) -> Taken:
    """The same, from the text of `/proc/PID/status`.

    >>> read_status(b"RssAnon:\\t 2097152 kB\\nVmPTE:\\t 1024 kB\\nThreads:\\t3\\n")
    Taken(memory_mb=2049, tables_mb=1, threads=3)
    """
    found = {name: int(value) for name, value in _FIELDS.findall(text)}
    threads = found.pop(b"Threads", 0)
    return Taken(sum(found.values()) >> 10, found.get(b"VmPTE", 0) >> 10, threads)
