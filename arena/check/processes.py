"""Finds a bot's own process, and what bots leave behind."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator

from arena.isolation.process import running
from arena.processes.procfs import children, process_name
from arena.processes.tree import adopt_orphans, kill_orphans

_DYING_S = 0.02


def innermost(pid: int) -> int:
    """The bot's own process, if `pid` is the sandbox around it: the last of a line of only children."""
    while process_name(pid) == "bwrap" and len(below := children(pid)) == 1:
        pid = below[0]
    return pid


@contextlib.contextmanager
def without_strays(level: str) -> Iterator[list[int]]:
    """End what bots leave behind at the level `process` (Linux). When it is over, the list has those processes.

    A sandbox ends with all that is in it, and a worker looks after what its bots have started.
    """
    found: list[int] = []
    if level != "process":
        yield found
        return
    before = set(children(os.getpid()))
    adopt_orphans()
    try:
        yield found
    finally:
        seen: set[int] = set()
        while strays := set(children(os.getpid())) - before - running - seen:
            seen |= strays  # what they have started comes to us next
            time.sleep(_DYING_S)  # what was killed with its bot has ended by then
            found += kill_orphans(before | running)
        adopt_orphans(False)
