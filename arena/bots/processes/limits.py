"""What a worker and the bots in it may use."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass

from arena.settings import real, whole

MIB = 1 << 20
_DAY = 86400
_MOST_MB = 1 << 24
_SECONDS = {"above": 0, "most": _DAY, "noun": "seconds"}


@dataclass(frozen=True)
class Limits:
    """What a worker may use before it is stopped; all but `growth_mb` hold for each bot in a process of its own.

    `memory_mb` None: four fifths of the machine's memory, shared by the workers; a gigabyte for a bot in a
    process of its own.
    """

    decision_s: float = real(60.0, "seconds for an answer where there is no clock", **_SECONDS)
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
        """The limit in bytes when so many workers share a machine; None if that is not known."""
        if self.memory_mb is not None:
            return self.memory_mb << 20
        if not hasattr(os, "sysconf") or sys.platform == "darwin":
            return None
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        return int(total * 4 // 5 // max(workers, 1))


@dataclass(frozen=True)
class BotLimits:
    """Bounds of one bot's process, at the levels `process` and `sandbox`; the first four are those of `Limits`."""

    decision_s: float = 60.0
    loading_s: float = 60.0
    memory_mb: int = 1024
    file_mb: int = 16
    files: int = 128  # open descriptors; with each the tables that the kernel keeps of them grow by its square
    processes: int = 64  # processes and threads together (not counted by the system for root)
    cpu_s: int = 3600  # processor time of one process in all; it is replaced between two games long before that
