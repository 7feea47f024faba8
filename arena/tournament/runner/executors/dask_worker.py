"""What runs in the processes of a Dask cluster: each of their threads plays chunks with a worker of its own.

A bot that hangs or kills its process must not take a worker of the cluster with it. So here, too, games are
played in a child process under a `Supervisor`, by the same code as on one machine.
"""

from __future__ import annotations

import platform
import threading
from dataclasses import dataclass, field

from distributed.diagnostics.plugin import WorkerPlugin

from arena.tournament.match.tasks import Chunk
from arena.tournament.runner.executors.base import Event, Failed
from arena.tournament.runner.executors.bot_files import About, Packed, Unpacked, about
from arena.tournament.runner.job import Job
from arena.tournament.runner.logs import PlainRecord
from arena.tournament.runner.supervisor import Stopped, Supervisor


class BotFiles(WorkerPlugin):
    """The bots of a run, on each worker of the cluster: those that are there, and those that come later."""

    def __init__(self, run: str, packed: Packed, sender: About) -> None:
        self.name = f"arena-bots-{run}"
        self._run = run
        self._packed = packed
        self._sender = sender

    def setup(self, worker: object) -> None:
        with _lock:
            # Dask clears that folder up after a worker that was killed
            _bots[self._run] = Unpacked(self._packed, getattr(worker, "local_directory", None))
            _refusals[self._run] = self._sender.why_not(about(), platform.node())

    def teardown(self, worker: object) -> None:
        with _lock:
            found = _bots.pop(self._run, None)
            _refusals.pop(self._run, None)
        if found is not None:
            found.close()


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
_bots: dict[str, Unpacked] = {}
_refusals: dict[str, str] = {}
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
        with _lock:
            if why := _refusals.get(run):
                return Delivery([Failed(why, ours=False)])
            bots = _bots.get(run)
            job = job if bots is None else bots.placed(job)
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
