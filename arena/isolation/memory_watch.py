"""What a bot's process really takes: memory, page tables and threads that limits of the kernel do not count.

`RLIMIT_DATA` counts what can be written to, so memory that is made read-only after it was written counts no more, nor
do page tables, and `RLIMIT_NPROC` counts nothing for root. The kernel tells all of them of a process in one file, which
whoever waits for a bot looks at twenty times a second: there the bot, and only then, can take much.

Source: `man 5 proc`.
"""

from __future__ import annotations

import os
import re

from arena.processes.limits import BotLimits

LOOK_S = 0.05
"""Seconds between two looks at a bot that is waited for."""
LOOK_AT_ALL_S = 0.25
"""Seconds between two looks at all others: without a clock their threads may go on working."""
SLACK_MB = 64
"""What a process may have beside its data: the stack of its first thread, code that was changed, page tables."""
GROUP_SLACK_MB = 128
"""What its control group may have beside its data: that, and the kernel's for it, such as buffers and descriptors."""

_FIELDS = re.compile(rb"^(RssAnon|RssShmem|VmSwap|VmPTE|Threads):\s+(\d+)", re.MULTILINE)


def excess(pid: int, limits: BotLimits, threads: bool) -> str | None:
    """What a process has beyond its limits, in words; None if nothing, or if the system does not tell.

    `threads`: count those, too.
    """
    try:
        file = os.open(f"/proc/{pid}/status", os.O_RDONLY)
        try:
            text = os.read(file, 8192)
        finally:
            os.close(file)
    except OSError:
        return None
    return excess_in(text, limits, threads)


def excess_in(status: bytes, limits: BotLimits, threads: bool = True) -> str | None:
    """The same, from the text of `/proc/PID/status`.

    >>> excess_in(b"RssAnon:\\t 2097152 kB\\nVmPTE:\\t 1024 kB\\nThreads:\\t3\\n", BotLimits())
    'it had 2,049 MiB of memory, more than its 1,024'
    >>> excess_in(b"RssAnon:\\t 1024 kB\\nVmPTE:\\t 2097152 kB\\nThreads:\\t3\\n", BotLimits())
    'it had 2,049 MiB of memory, 2,048 of them page tables, more than its 1,024'
    >>> excess_in(b"RssAnon:\\t 1024 kB\\nThreads:\\t65\\n", BotLimits())
    'it had 65 threads, more than its 64'
    """
    found = {name: int(value) for name, value in _FIELDS.findall(status)}
    count = found.pop(b"Threads", 0)
    total = sum(found.values()) >> 10
    if total > limits.memory_mb + SLACK_MB:
        tables = found.get(b"VmPTE", 0) >> 10
        mostly = f", {tables:,} of them page tables" if tables > SLACK_MB else ""
        return f"it had {total:,} MiB of memory{mostly}, more than its {limits.memory_mb:,}"
    if threads and count > limits.processes:
        return f"it had {count:,} threads, more than its {limits.processes}"
    return None
