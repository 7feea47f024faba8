"""Where chunks are played: a registry of executors by name.

To add one: a module here with a class that implements `base.Executor` and is made as `Factory` says, a line in
`_FACTORIES`, and its name in `arena.tournament.config.tournament.EXECUTORS`.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TypeAlias

from arena.errors import ArenaError
from arena.tournament.runner.executors.base import Executor
from arena.tournament.runner.job import Job
from arena.tournament.runner.logs import Sink

Factory: TypeAlias = Callable[[Job, int, str | None, Sink], Executor]
"""Takes the job, the number of workers, a scheduler's address if there is one, and the sink for log records."""

_FACTORIES = {  # imported when used: Dask is an extra
    "local": "arena.tournament.runner.executors.local:local_executor",
    "dask": "arena.tournament.runner.executors.dask:DaskExecutor",
}


def make_executor(
    job: Job, *, workers: int, executor: str = "local", scheduler: str | None = None, sink: Sink
) -> Executor:
    """The executor of that name; `sink` gets what workers and bots log.

    ArenaError for an unknown name, or if what the executor needs is not installed.
    """
    if executor not in _FACTORIES:
        raise ArenaError(f"unknown executor '{executor}'; there are {' and '.join(_FACTORIES)}")
    module, _, name = _FACTORIES[executor].partition(":")
    factory: Factory = getattr(import_module(module), name)
    return factory(job, workers, scheduler, sink)
