"""Who comes first when several processes want a core: nice values, of processes and of whole sessions."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Callable

from arena.bots.processes.tree import tie_to_parent

_SESSION = "/proc/self/autogroup"


def behind(parent: int, by: int, number: int = signal.SIGKILL) -> Callable[[], None]:
    """What a process does before it begins that comes `by` steps of nice behind `parent`, and ends with it.

    `number` is the signal that ends it. To be made before a fork and called in the child.
    """
    tie = tie_to_parent(parent, number)

    def prepare() -> None:
        os.nice(by)
        stay_behind()
        tie()

    return prepare


def stay_behind() -> None:
    """Called in a process that has begun a session: let it come as late as its parent did.

    Linux shares cores between sessions, each counting the same however nice its processes are (sched_autogroup, man 7
    sched), so a nice process in a session of its own has to say so once more.
    """
    nice = os.nice(0)
    if nice > 0:
        # a kernel without it, or one that was asked too often
        with contextlib.suppress(OSError), open(_SESSION, "w") as out:
            out.write(str(nice))
