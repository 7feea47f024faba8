"""What a bot's process may use."""

from __future__ import annotations

from dataclasses import dataclass

MIB = 1 << 20


@dataclass(frozen=True)
class BotLimits:
    """Bounds of one bot's process, at the levels `process` and `sandbox`.

    ``decision_s``: an answer that takes longer is a timeout, where no clock says otherwise. ``loading_s``: the same
    for running the bot's file and making the bot. ``memory_mb``: its data, beyond which allocations fail.
    ``file_mb``: the largest file it may write, and in the sandbox the size of its temporary folder. ``files``: open
    descriptors. ``processes``: processes and threads together (not counted by the system for root). ``cpu_s``:
    processor time of one process in all; it is replaced between two games long before that.
    """

    decision_s: float = 60.0
    loading_s: float = 60.0
    memory_mb: int = 1024
    file_mb: int = 16
    files: int = 256
    processes: int = 64
    cpu_s: int = 3600
