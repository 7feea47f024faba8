"""Executors, by name: the pools of workers that play games. A new one is a module that makes it, and a line here."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ExecutorEntry:
    """An executor: `factory` is the `module:name` that makes its pool, imported only when it is used.

    `scheduler` says whether it accepts the address of a scheduler; `extra` is what `pip install 'schotten-arena[...]'`
    needs for it.
    """

    factory: str
    scheduler: bool = False
    extra: str = ""


EXECUTORS = {
    "local": ExecutorEntry("arena.tournament.runner.pool:WorkerPool"),
    "dask": ExecutorEntry("arena.tournament.runner.dask:DaskPool", scheduler=True, extra="cluster"),
}
