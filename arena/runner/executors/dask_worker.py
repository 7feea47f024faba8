"""What runs in the processes of a Dask cluster: each of their threads plays chunks with a worker of its own.

A bot that hangs or kills its process must not take a worker of the cluster with it. So here, too, games are
played in a child process under a `Supervisor`, by the same code as on one machine.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from arena.match.tasks import Chunk
from arena.runner.executors.base import Event
from arena.runner.job import Job
from arena.runner.logs import PlainRecord
from arena.runner.supervisor import Stopped, Supervisor


@dataclass
class Delivery:
    """What comes back for a chunk: the units that were played, or why not, and what was logged."""

    events: list[Event] = field(default_factory=list)
    records: list[PlainRecord] = field(default_factory=list)


class _ThreadWorker:
    """The worker of one thread, for one run."""

    def __init__(self, run: str, job: Job) -> None:
        self.run = run
        self.delivery = Delivery()
        # a Dask worker has threads, and a process with threads cannot be forked safely
        self.supervisor = Supervisor(
            job,
            lambda event: self.delivery.events.append(event),
            lambda record: self.delivery.records.append(record),
            method="spawn",
        )

    def play(self, chunk: Chunk) -> Delivery:
        self.delivery = Delivery()
        self.supervisor.play(chunk)
        return self.delivery


_local = threading.local()
_workers: set[_ThreadWorker] = set()
_ended: set[str] = set()
_lock = threading.Lock()


def play_chunk(run: str, job: Job, chunk: Chunk) -> Delivery:
    """Play a chunk in this thread; an incomplete delivery if the run was told to end."""
    worker: _ThreadWorker | None = getattr(_local, "worker", None)
    if worker is not None and worker.run != run:
        worker.supervisor.close()
        with _lock:
            _workers.discard(worker)
        worker = None
    if worker is None:
        worker = _local.worker = _ThreadWorker(run, job)
    with _lock:
        _workers.add(worker)
        if run in _ended:
            return Delivery()
    try:
        return worker.play(chunk)
    except Stopped:
        return Delivery()


def end_run(run: str, at_once: bool) -> None:
    """In every process of the cluster: start no more units of a run; with `at_once`, also stop those being played."""
    with _lock:
        _ended.add(run)
        workers = [worker for worker in _workers if worker.run == run]
    for worker in workers:
        if at_once:
            worker.supervisor.stop()
        else:
            worker.supervisor.drain()
