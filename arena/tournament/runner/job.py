"""A job: what a worker needs to know before it plays, as plain values that travel to any process or machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias

from arena.bots.limits import BotLimits, Isolation, Limits
from arena.bots.spec import BotSpec
from arena.settings import as_dict
from arena.tournament.games import Chunk
from arena.tournament.rows import GameSettings

_GRACE_S = 1.0
_ISOLATED_S = 15.0


@dataclass(frozen=True)
class Job:
    """Everything that a worker needs to play any unit of a run.

    `game` is what all games have in common. `levels` are the isolation levels of the bots in their order; if empty, all
    bots play inside the workers. `backwards` says that units are played from last to first, by processes with another
    PYTHONHASHSEED, which must make no difference. In a trial, before play, the bots are made as soon as they are
    loaded.
    """

    game: GameSettings
    bots: tuple[BotSpec, ...]
    limits: Limits = field(default_factory=Limits)
    workers: int = 1
    levels: tuple[str, ...] = ()
    backwards: bool = False
    is_trial: bool = False

    def placed(self, folder: Path) -> Job:
        """Write the bots' bundles to a folder and return the job with the bots as workers load them from there."""
        return replace(self, bots=tuple(bot.placed(folder) for bot in self.bots))

    def level(self, number: int) -> Isolation:
        """Return the isolation level of a bot, by its place. A wire bot has a process in any case."""
        level = Isolation(self.levels[number]) if self.levels else Isolation.NONE
        return Isolation.PROCESS if level == Isolation.NONE and self.bots[number].command else level

    def level_of(self, name: str) -> Isolation:
        """Return the isolation level of a bot, by its name."""
        return self.level([bot.name for bot in self.bots].index(name))

    @property
    def isolated(self) -> bool:
        """Whether any bot has a process of its own."""
        return any(self.level(number).own_process for number in range(len(self.bots)))

    @property
    def clocked(self) -> bool:
        """Whether the bots play on a clock."""
        return self.game.clock is not None

    def patience_s(self, bot: str, time_left_s: float) -> float:
        """Return how many seconds a call of a bot may last before the worker is stopped.

        With a clock, a second more than the time that it leaves: the clock, which is exact, judges a bot that merely
        thinks too long. The worker itself stops a bot in a process of its own, which takes time.
        """
        limit = time_left_s + _GRACE_S if self.clocked else self.limits.decision_s
        return limit + _ISOLATED_S if self.level_of(bot).own_process else limit

    def loading_patience_s(self, bot: str) -> float:
        """Return how long loading a bot, or making it, may take before the worker is stopped; see `patience_s`."""
        return self.limits.loading_s + (_ISOLATED_S if self.level_of(bot).own_process else 0.0)


def bot_limits(limits: Limits) -> BotLimits:
    """Return the limits of a bot in a process of its own."""
    return BotLimits(**as_dict(limits))


# ---------------------------------------------------------------- what comes back


@dataclass(frozen=True)
class Played:
    """Some units have been played: `chunk` holds them, under the number of the chunk that was submitted.

    `rows` holds its games as plain tuples (`Row`), in the order of the units; `scores` is as `scores_of` returns it.
    `silent` says whether, without a clock, a bot gave no answer in time in the last of them.
    """

    chunk: Chunk
    scores: Mapping[int, Sequence[int]]
    rows: Sequence[tuple[Any, ...]]
    silent: bool = False


@dataclass(frozen=True)
class Lost:
    """A worker died or was stopped; another one continues its work. `text` says what happened."""

    text: str


@dataclass(frozen=True)
class Failed:
    """The run cannot continue: a bot (named if known) cannot be loaded or, if `ours`, this program is at fault."""

    text: str
    ours: bool
    bot: str | None = None


WorkerEvent: TypeAlias = Played | Lost | Failed
