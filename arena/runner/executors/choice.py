"""The choice of an executor by its name."""

from __future__ import annotations

from arena.errors import ArenaError
from arena.runner.executors.base import Executor
from arena.runner.executors.local import LocalExecutor
from arena.runner.job import Plan
from arena.runner.logs import Sink


def make_executor(
    plan: Plan, *, workers: int, executor: str = "local", scheduler: str | None = None, sink: Sink
) -> Executor:
    """The executor `local` or `dask`; `sink` gets what workers and bots log.

    ArenaError for an unknown name, or if what Dask needs is not installed.
    """
    if executor == "local":
        return LocalExecutor(plan, workers, sink)
    if executor == "dask":
        from arena.runner.executors.dask import DaskExecutor  # needs the extra `cluster`

        return DaskExecutor(plan, workers, scheduler, sink)
    raise ArenaError(f"unknown executor '{executor}'; there are local and dask")
