"""The choice of an executor by its name."""

from __future__ import annotations

from arena.errors import ArenaError
from arena.match.executors import Executor
from arena.match.local import LocalExecutor
from arena.match.logs import Sink
from arena.match.plan import Plan


def make_executor(
    plan: Plan, *, workers: int, executor: str = "local", scheduler: str | None = None, sink: Sink
) -> Executor:
    """The executor `local` or `dask`; `sink` gets what workers and bots log.

    ArenaError for an unknown name, or if what Dask needs is not installed.
    """
    if executor == "local":
        return LocalExecutor(plan, workers, sink)
    if executor == "dask":
        from arena.match.dask_cluster import DaskExecutor  # needs the extra `cluster`

        return DaskExecutor(plan, workers, scheduler, sink)
    raise ArenaError(f"unknown executor '{executor}'; there are local and dask")
