"""Executors, which play chunks somewhere: their interface, and how one is made.

An executor is given chunks and returns events, in any order. It must guarantee that each unit of each chunk
submitted comes back in exactly one `Played`, whatever happens to its workers, and that the rows are the same
wherever they were played. To add one: a module here whose class is made as `Factory` says, and an entry in `EXECUTORS`
of `arena.tournament.config.tournament`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Protocol, TypeAlias

from arena.errors import ArenaError
from arena.tournament.config.tournament import EXECUTORS
from arena.tournament.match.results import Row
from arena.tournament.match.tasks import Chunk
from arena.tournament.runner.job import Job
from arena.tournament.runner.logs import Sink


@dataclass(frozen=True)
class Played:
    """Some units have been played: `chunk` holds those, under the number of the chunk that was submitted.

    `rows` are those of its games, in the order of the units. `seconds` is how long they took to play; `scores` says
    by pairing how many games there are, and how many of these its bot `a` won, drew and lost.
    """

    chunk: Chunk
    seconds: float
    scores: Mapping[int, Sequence[int]]
    rows: Sequence[Row]


@dataclass(frozen=True)
class Lost:
    """A worker died or was stopped; another one continues its work. `text` says what happened."""

    text: str


@dataclass(frozen=True)
class Failed:
    """The run cannot continue: a bot (named if known) cannot be loaded or, if `ours`, this program is at fault.

    `pair`: the two bots in whose games workers keep dying. `elsewhere`: the machines that were to play are at fault.
    """

    text: str
    ours: bool
    bot: str | None = None
    pair: tuple[str, str] | None = None
    elsewhere: bool = False


@dataclass(frozen=True)
class Drained:
    """After `drain`: nothing is being played any longer."""


Event: TypeAlias = Played | Lost | Failed | Drained


class WorkerFault(RuntimeError):
    """A fault of this program in a worker; the message is the worker's traceback."""


class Executor(Protocol):
    """A set of workers. Not thread-safe: all calls come from the runner's thread."""

    @property
    def slots(self) -> int:
        """Chunks that can be played at the same time; a few more should be submitted."""

    def moves_in_play(self) -> int:
        """Moves made by now in the games in hand, as far as that is known: a sign of life for people."""

    def submit(self, chunk: Chunk) -> None:
        """Play a chunk when there is a free worker. Returns at once."""

    def events(self, timeout: float) -> list[Event]:
        """What has happened since the last call; waits up to `timeout` seconds for something to happen."""

    def drain(self) -> None:
        """Finish the units in hand and start no more; `Drained` comes when they are done."""

    def close(self) -> None:
        """Stop all workers at once. No process of theirs is left when this returns."""


Factory: TypeAlias = Callable[[Job, str | None, Sink], Executor]
"""Takes the job, the address of a scheduler if there is one, and the sink for log records."""


def make_executor(job: Job, name: str, scheduler: str | None, sink: Sink) -> Executor:
    """The executor of that name; `sink` gets what workers and bots log.

    ArenaError for an unknown name, or if a package that the executor needs is not installed.
    """
    if name not in EXECUTORS:
        raise ArenaError(f"unknown executor '{name}'; there are {' and '.join(EXECUTORS)}")
    entry = EXECUTORS[name]
    module, _, factory_name = entry.factory.partition(":")
    try:
        factory: Factory = getattr(import_module(module), factory_name)
    except ImportError as error:
        if not entry.extra:
            raise
        raise ArenaError(
            f"the executor {name} needs the package {error.name}; install it with:"
            f" pip install 'schotten-arena[{entry.extra}]'"
        ) from error
    return factory(job, scheduler, sink)
