"""The cores that this process may use."""

from __future__ import annotations

import os


def available_cores() -> int:
    """How many there are: those that the process is allowed, where the system tells."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
