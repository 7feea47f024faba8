"""Chunks played on a Dask cluster: processes of this machine, or many machines.

Each thread of the cluster's processes plays chunks with a worker process of its own under a `Supervisor`, as on one
machine: a bot that hangs or kills its process must not take a process of the cluster with it. Dask moves the work of a
process that dies to the others, until too many have died of it. Bots' files travel with the run (`ClusterRun`).
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import platform
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import distributed
from distributed.diagnostics.plugin import WorkerPlugin

from arena.bots.bundle import read_folder, remove_bundles
from arena.bots.spec import BotSpec
from arena.errors import ArenaError
from arena.paths import PACKAGE
from arena.text import one_line
from arena.tournament.games import Chunk
from arena.tournament.runner.job import Failed, Job, Lost, WorkerEvent
from arena.tournament.runner.logs import Sink
from arena.tournament.runner.pool import WorkerPool
from arena.tournament.runner.supervisor import Stopped, Supervisor

_log = logging.getLogger("arena.dask")

_CHECK_S = 1.0
_WAIT_S = 30.0
_CLUSTER_ERRORS = ("KilledWorker", "CancelledError", "FutureCancelledError", "TimeoutError", "CommClosedError")


class DaskPool(WorkerPool):
    """A pool on the cluster of a scheduler (`tcp://host:port`).

    A thread of this process waits for the chunk that a thread of the cluster plays.
    """

    def __init__(self, job: Job, scheduler: str, sink: Sink) -> None:
        self._run_name = uuid.uuid4().hex  # names the tasks; nothing that is played depends on it
        self._futures: set[Any] = set()
        self._client = _connect(scheduler)
        self._counts = self._wait_for_workers(scheduler)
        self._send(ClusterRun(self._run_name, with_commands(job), about()))
        self._checked_at = time.monotonic()
        super().__init__(job, sink)

    def _open_slots(self) -> None:
        for _ in range(len(self._slots), max(sum(self._counts.values()), 1)):
            self._add_slot(ClusterSlot(self._play_there))

    def _wait_for_workers(self, scheduler: str) -> dict[str, int]:
        try:
            self._client.wait_for_workers(1, timeout=_WAIT_S)
            return dict(self._client.nthreads())
        except TimeoutError as error:
            raise ArenaError(
                f"the scheduler {scheduler} has no workers; start some with: dask worker {scheduler}"
            ) from error
        except OSError as error:
            raise ArenaError(f"the Dask scheduler {scheduler} is gone: {one_line(str(error), 200)}") from error

    def _send(self, run: ClusterRun) -> None:
        """Give the job and the bots' files to all workers, and to those that will join."""
        self._plugin = run.name
        try:
            self._client.register_plugin(run)
        except Exception as error:
            raise ArenaError(
                "the cluster does not take the bots' files; the scheduler and all workers need the same version of"
                f" arena ({one_line(str(error), 200)})"
            ) from error

    def _play_there(self, chunk: Chunk) -> None:
        """Play a chunk on the cluster and report what came back."""
        with self._work:
            if self._closing:
                raise Stopped
            key = f"arena-{self._run_name}-{chunk.number}"
            task = play_chunk, self._run_name, chunk
            future = self._client.submit(*task, key=key, pure=False, priority=-chunk.number)
            self._futures.add(future)
        try:
            delivery: Delivery = future.result()
        except Exception as error:
            if not self._draining:
                self._report(_failure(error))
            return
        finally:
            self._futures.discard(future)
        for line in delivery.lines:
            self._sink(line)
        for event in delivery.events:
            self._report(event)

    def _take(self, timeout: float) -> Iterator[WorkerEvent | None]:
        self._check_workers()
        return super()._take(timeout)

    def _check_workers(self) -> None:
        """Report workers of the cluster that are gone, and use those that have come."""
        now = time.monotonic()
        if now - self._checked_at < _CHECK_S:
            return
        self._checked_at = now
        try:
            counts = dict(self._client.nthreads())
        except Exception as error:  # the scheduler is gone or coming back; chunks will show
            _log.warning("the scheduler does not answer: %s", error)
            return
        then = "others replay its games" if counts else "there is no other, so its games wait for one"
        for address in self._counts.keys() - counts:
            self._report(Lost(f"cluster worker {address} is gone; {then}"))
        self._counts = counts
        self._open_slots()

    def _drain(self) -> None:
        super()._drain()
        with contextlib.suppress(Exception):  # a worker that does not answer is gone, and its processes with it
            self._client.run(drain, self._run_name, on_error="ignore")

    def close(self) -> None:
        """End the run on the cluster and remove its files from the workers."""
        with self._work:
            self._draining = self._closing = True
            futures = list(self._futures)
        with contextlib.suppress(Exception):
            self._client.cancel(futures, force=True)
        with contextlib.suppress(Exception):
            self._client.unregister_worker_plugin(self._plugin)
        super().close()
        with contextlib.suppress(Exception):
            self._client.close(timeout=5)


class ClusterSlot:
    """A `Slot` on a cluster. Dask, not the slot, chooses which thread of the cluster plays a chunk."""

    def __init__(self, play: Callable[[Chunk], None]) -> None:
        self.play = play

    def wait(self) -> None:
        """Return None: it is not known here."""

    def drain(self) -> None:
        """Do nothing: the pool stops all workers of the cluster together."""

    stop = close = drain


def _failure(error: Exception) -> Failed:
    """Return what an error of the cluster means; Dask itself lets others play the chunks of a worker that has died."""
    name = type(error).__name__
    if name in _CLUSTER_ERRORS:
        why = one_line(f"{name}: {error}", 300)
        return Failed(f"the cluster has lost games ({why}); the same command plays what is missing", ours=False)
    return Failed(f"on the cluster: {name}: {error}", ours=True)


def _connect(where: Any) -> Any:
    try:
        return _Client(where)
    except (OSError, RuntimeError, TypeError, ValueError) as error:  # such as tls:// without a certificate
        raise ArenaError(f"cannot reach the Dask scheduler {where}: {error}") from error


class _Client(distributed.Client):
    """A client that is closed if it cannot start; Dask would wait a minute for it when the program ends."""

    def __init__(self, where: Any) -> None:
        try:
            super().__init__(where, timeout=_WAIT_S, set_as_default=False)  # type: ignore[no-untyped-call]
        except BaseException:
            self.status = "closed"
            raise


# ---------------------------------------------------------------- in the processes of the cluster


@cache
def about() -> str:
    """Return what must agree on all machines: a hash over the sources that decide games."""
    total = hashlib.sha256()
    for room in ("game", "policy", "bots", "tournament"):
        for path in sorted((PACKAGE / room).rglob("*.py")):
            total.update(path.name.encode() + b"\0" + path.read_bytes().replace(b"\r\n", b"\n"))
    return f"sources {total.hexdigest()[:12]}"


def with_commands(job: Job) -> Job:
    """Return the job with bundles for commands as well; packages are installed everywhere."""

    def bundled(bot: BotSpec) -> BotSpec:
        named = [Path(file) for file in bot.files] or [bot.loaded_from]
        home = str(bot.folder)
        return replace(bot, bundle=read_folder(bot.folder, named), home=home) if bot.command else bot

    return replace(job, bots=tuple(map(bundled, job.bots)))


def placed(job: Job, folder: Path) -> Job:
    """Write all bundles to a folder and return the job as it is played from there."""

    def from_there(bot: BotSpec) -> BotSpec:
        if not bot.command or bot.bundle is None:
            return bot.placed(folder)
        home, before = bot.bundle.write(folder), bot.home

        def here(text: str) -> str:
            return str(home / Path(text).relative_to(before)) if Path(text).is_relative_to(before) else text

        files, command = tuple(map(here, bot.files)), tuple(map(here, bot.command))
        return replace(bot, path=here(bot.path), files=files, command=command, home="", bundle=None)

    return replace(job, bots=tuple(map(from_there, job.bots)))


@dataclass
class Delivery:
    """What comes back for a chunk: the units that were played, or why they were not, and what was logged."""

    events: list[WorkerEvent] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)


class ClusterRun(WorkerPlugin):
    """A run on a worker of the cluster: its job, with the bots' files, and what its threads play with.

    Dask sends it to the workers that are there, and to those that come later. The files are written to the worker's
    folder when they are first needed, and removed after the run.
    """

    def __init__(self, run: str, job: Job, sender: str) -> None:
        self.name = f"arena-{run}"
        self.refusal = ""
        self.is_draining = False
        self._run, self._job, self._sender = run, job, sender
        self._players: list[_ThreadPlayer] = []
        self._placed: Job | None = None
        self._root: str | None = None
        self._below: str | None = None

    def setup(self, worker: object) -> None:
        """Make the run known on a worker; called by Dask."""
        self._below = getattr(worker, "local_directory", None)  # Dask clears that up after a worker that was killed
        if self._sender != about():
            self.refusal = (
                f"{platform.node()} has another version of this program ({about()}) than the machine that submits"
                f" ({self._sender}); install the same one on all machines"
            )
        with _lock:
            _runs[self._run] = self

    def teardown(self, worker: object) -> None:
        """End the run on a worker at once and remove its files; called by Dask when it has ended."""
        with _lock:
            _runs.pop(self._run, None)
            for player in self._players:
                player.supervisor.stop()
            if self._root is not None:
                remove_bundles(Path(self._root))

    def drain(self) -> None:
        """Start no more units."""
        self.is_draining = True
        for player in self._players:
            player.supervisor.drain()

    def new_player(self) -> _ThreadPlayer:
        """Return what a thread plays with."""
        if self._placed is None:
            self._root = tempfile.mkdtemp(prefix="arena-bots-", dir=self._below)
            self._placed = placed(self._job, Path(self._root))
        player = _ThreadPlayer(self._run, self._placed)
        self._players.append(player)
        return player


class _ThreadPlayer:
    """A worker process of one thread, for one run."""

    def __init__(self, run: str, job: Job) -> None:
        self.run = run
        self.delivery = Delivery()
        # a Dask worker has threads, and a process with threads cannot be forked safely
        self.supervisor = Supervisor(
            job,
            lambda event: self.delivery.events.append(event),
            lambda line: self.delivery.lines.append(line),
            method="spawn",
        )


_local = threading.local()
_runs: dict[str, ClusterRun] = {}
_lock = threading.Lock()


def play_chunk(run: str, chunk: Chunk) -> Delivery:
    """Play a chunk in this thread; an incomplete delivery if the run is to end."""
    player: _ThreadPlayer | None = getattr(_local, "player", None)
    if player is not None and player.run != run:
        player.supervisor.close()
        player = None
    with _lock:
        here = _runs.get(run)
        if here is None or here.is_draining:
            return Delivery()
        if here.refusal:
            return Delivery([Failed(here.refusal, ours=False)])
        player = _local.player = player or here.new_player()
        delivery = player.delivery = Delivery()
    with contextlib.suppress(Stopped):
        player.supervisor.play(chunk)
        return delivery
    return Delivery()


def drain(run: str) -> None:
    """Start no more units of a run in this process of the cluster."""
    with _lock:
        if run in _runs:
            _runs[run].drain()
