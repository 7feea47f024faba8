"""What a worker is told before it plays: plain values that travel to any process or machine."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field

from arena.match.config import Clock
from arena.match.tasks import Chunk, PairTask, SeriesRule, SeriesTask
from arena.players.loading import BotSpec

_GRACE_S = 1.0


@dataclass(frozen=True)
class Limits:
    """What a worker may take before it is stopped.

    `decision_s`: a call of a bot that takes longer, where there is no clock, is a hang. `loading_s`: the
    same for running a bot's file. `memory_mb`: data of a worker process, beyond which allocations fail
    (None: four fifths of the machine's memory, shared by the workers). `growth_mb`: a worker that has grown
    by more is replaced by a fresh one.
    """

    decision_s: float = 60.0
    loading_s: float = 60.0
    memory_mb: int | None = None
    growth_mb: int = 1024

    def memory_bytes(self, workers: int) -> int | None:
        """The limit in bytes when so many workers share a machine; None if that is not known."""
        if self.memory_mb is not None:
            return self.memory_mb << 20
        if not hasattr(os, "sysconf") or sys.platform == "darwin":
            return None
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        return int(total * 4 // 5 // max(workers, 1))


@dataclass(frozen=True)
class Plan:
    """All that is needed to play any unit of a run."""

    rules: str
    seed: int
    bots: tuple[BotSpec, ...]
    clock: Clock = field(default_factory=Clock)
    limits: Limits = field(default_factory=Limits)
    workers: int = 1
    log_level: int = 20

    @property
    def patience_s(self) -> float:
        """How long a call of a bot may last before its process is stopped.

        With a clock that is the most a decision can ever have, and a little more: who merely thinks too long
        is judged by the clock, which is exact.
        """
        if self.clock == Clock():
            return self.limits.decision_s
        return ((self.clock.move_ms or 0) + (self.clock.bank_ms or 0)) / 1000 + _GRACE_S


def pack_chunk(chunk: Chunk) -> tuple[object, ...]:
    """A chunk as plain values column by column, which marshal writes five times as fast as pickle the rows.

    >>> chunk = Chunk(3, (PairTask(0, 5, "a", "b"), PairTask(1, 5, "a", "c")))
    >>> unpack_chunk(pack_chunk(chunk)) == chunk
    True
    """
    if chunk.tasks and isinstance(chunk.tasks[0], SeriesTask):
        rows = [(*task[:-1], tuple(task[-1])) for task in chunk.tasks]
        return (chunk.number, True, tuple(zip(*rows)))
    return (chunk.number, False, tuple(zip(*chunk.tasks)))


def unpack_chunk(packed: tuple[object, ...]) -> Chunk:
    """The chunk that `pack_chunk` packed."""
    number, series, columns = packed
    assert isinstance(number, int)
    assert isinstance(columns, tuple)
    if series:
        rows = ((*row[:-1], SeriesRule(*row[-1])) for row in zip(*columns))
        return Chunk(number, tuple(map(SeriesTask._make, rows)))
    return Chunk(number, tuple(map(PairTask._make, zip(*columns))))
