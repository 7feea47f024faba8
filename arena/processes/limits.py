"""What a worker and the bots in it may take."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """What a worker may take before it is stopped.

    `decision_s`: a call of a bot that takes longer, where there is no clock, is a hang. `loading_s`: the
    same for running a bot's file. `memory_mb`: data of a worker process, beyond which allocations fail
    (None: four fifths of the machine's memory, shared by the workers; a gigabyte for bots in processes of
    their own). `growth_mb`: a worker that has grown by more is replaced by a fresh one. `file_mb`: the largest
    file that a bot in a process of its own may write, and the size of its temporary folder in the sandbox.
    """

    decision_s: float = 60.0
    loading_s: float = 60.0
    memory_mb: int | None = None
    growth_mb: int = 1024
    file_mb: int = 16

    def memory_bytes(self, workers: int) -> int | None:
        """The limit in bytes when so many workers share a machine; None if that is not known."""
        if self.memory_mb is not None:
            return self.memory_mb << 20
        if not hasattr(os, "sysconf") or sys.platform == "darwin":
            return None
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        return int(total * 4 // 5 // max(workers, 1))
