"""What a worker is told before it plays: plain values that travel to any process or machine."""

from __future__ import annotations

from dataclasses import dataclass, field

from arena.config.tournament import Clock
from arena.isolation.limits import BotLimits
from arena.match.tasks import Chunk, PairTask, SeriesRule, SeriesTask
from arena.players.spec import BotSpec
from arena.processes.limits import Limits

_GRACE_S = 1.0
_ISOLATED_S = 15.0


@dataclass(frozen=True)
class Job:
    """All that is needed to play any unit of a run.

    `levels` are the isolation levels of the bots in their order; none given: all play inside of the workers.
    """

    rules: str
    seed: int
    bots: tuple[BotSpec, ...]
    clock: Clock = field(default_factory=Clock)
    limits: Limits = field(default_factory=Limits)
    workers: int = 1
    log_level: int = 20
    levels: tuple[str, ...] = ()

    def level(self, number: int) -> str:
        """The isolation level of a bot by its place. A wire bot has a process in any case."""
        level = self.levels[number] if self.levels else "none"
        return "process" if level == "none" and self.bots[number].command else level

    @property
    def isolated(self) -> bool:
        """Does any bot live in a process of its own?"""
        return any(self.level(number) != "none" for number in range(len(self.bots)))

    @property
    def bot_limits(self) -> BotLimits:
        """The limits of a bot in a process of its own."""
        limits = self.limits
        memory = BotLimits.memory_mb if limits.memory_mb is None else limits.memory_mb
        return BotLimits(limits.decision_s, limits.loading_s, memory, limits.file_mb)

    @property
    def patience_s(self) -> float:
        """How long a call of a bot may last before the worker is stopped.

        With a clock that is the most a decision can ever have, and a little more: who merely thinks too long
        is judged by the clock, which is exact. Bots in processes of their own are stopped by the worker, which
        must have the time for that.
        """
        limit = self.limits.decision_s
        if self.clock != Clock():
            limit = ((self.clock.move_ms or 0) + (self.clock.bank_ms or 0)) / 1000 + _GRACE_S
        return max(limit, self.limits.loading_s) + _ISOLATED_S if self.isolated else limit

    def loading_patience_s(self, number: int) -> float:
        """How long loading a bot, by its place, may last before the worker is stopped; see `patience_s`."""
        grace = 0.0 if self.level(number) == "none" else _ISOLATED_S
        return self.limits.loading_s + grace


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
