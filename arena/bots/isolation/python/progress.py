"""At which of many tables a bot is deciding: a number in memory that its process shares with the runner.

When a process dies while it is asked for moves in many games, nobody else can tell in which of them. What stands there
is not believed any further than that: a bot can only choose among its own games which one it forfeits.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import tempfile

DECIDING, IN_BEGIN, MAKING = range(3)
"""What the bot of a table is doing; `MAKING`: it is not there yet."""
_SIZE = mmap.PAGESIZE


class Progress:
    """The runner's side. `descriptor` is passed to the process."""

    def __init__(self) -> None:
        self.descriptor = _memory()
        self._memory = mmap.mmap(self.descriptor, _SIZE)

    def noted(self) -> tuple[int, int]:
        """The table that was noted last, and what was done there."""
        return int.from_bytes(self._memory[:2], "little"), self._memory[2]

    def close(self) -> None:
        """Give the memory back."""
        self._memory.close()
        os.close(self.descriptor)


def notes(descriptor: int) -> memoryview[int]:
    """The bot's side: the first item is for the table, the second for what is done there. Closes the descriptor."""
    memory = mmap.mmap(descriptor, _SIZE)
    os.close(descriptor)
    return memoryview(memory).cast("H")


def _memory() -> int:
    """A piece of memory that cannot grow, as far as the system offers that."""
    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("progress", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        os.ftruncate(descriptor, _SIZE)
        import fcntl

        with contextlib.suppress(OSError):
            fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_SEAL)
        return descriptor
    with tempfile.TemporaryFile() as file:
        file.truncate(_SIZE)
        return os.dup(file.fileno())
