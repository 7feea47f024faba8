"""Chunks played on a Dask cluster: processes of this machine, or many machines.

Each thread of the cluster's processes plays chunks with a worker process of its own under a `Supervisor`, as on one
machine: a bot that hangs or kills its process must not take a process of the cluster with it. Dask moves the work of a
process that dies to the others; a chunk that it gives up after too many deaths is submitted again. Bots' files travel
with the run (`bot_files`); a machine that has the same file at the same path uses that one.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import platform
import queue
import re
import shutil
import stat
import tempfile
import threading
import time
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

import distributed
from distributed.diagnostics.plugin import WorkerPlugin

from arena.bots.faults import BotError
from arena.bots.spec import MODULE, BotSpec, check_unchanged, read_source, source_hash
from arena.errors import ArenaError
from arena.game.rules import load_rules
from arena.paths import data_folder
from arena.text import one_line
from arena.tournament.games import Chunk
from arena.tournament.runner.job import Drained, Event, Failed, Job, Lost, Played
from arena.tournament.runner.logs import PlainRecord, Sink
from arena.tournament.runner.supervisor import Stopped, Supervisor

MOST_FILES, MOST_BYTES = 500, 32 << 20
"""A folder with more than that is not a bot's own: then only the files that the bot names travel."""
_SKIPPED = re.compile(r"\..*|__pycache__|.*\.py[cod]|results|leagues")


@dataclass(frozen=True)
class PackedFile:
    """A file; `path` is relative to its folder, with slashes."""

    path: str
    content: bytes
    executable: bool


Packed = Mapping[str, tuple[PackedFile, ...]]
"""Folders of bots by their paths on the machine that submitted them."""


def pack(job: Job) -> Packed:
    """The folders of the bots of a job."""
    own = str(data_folder("bots").resolve())
    folders: dict[str, set[str]] = {}
    for bot in job.bots:
        if not MODULE.fullmatch(bot.target):
            home = str(Path(bot.path).parent)
            folders.setdefault(home, set()).update(bot.files or (bot.path,))
    return {home: _packed(home, sorted(files)) for home, files in folders.items() if home != own}


def _packed(home: str, files: list[str]) -> tuple[PackedFile, ...]:
    inside = [file for file in files if Path(file).is_relative_to(home)]
    files_by_name: dict[str, PackedFile] = {}
    size = 0
    for path in _beside(Path(home)):
        try:
            size += path.stat().st_size
            if size > MOST_BYTES or len(files_by_name) >= MOST_FILES:
                files_by_name.clear()
                break
            _add(files_by_name, path, home)
        except OSError:  # what the bot needs is added below, or missed when it is loaded
            continue
    for file in inside:
        try:
            _add(files_by_name, Path(file), home)
        except OSError as error:
            raise ArenaError(f"cannot read {file}: {error.strerror or error}") from error
    return tuple(files_by_name[name] for name in sorted(files_by_name))


def _beside(home: Path) -> Iterator[Path]:
    """Regular files below a folder, neither hidden nor compiled."""
    for parent, folders, names in os.walk(home):
        folders[:] = sorted(folder for folder in folders if not _SKIPPED.fullmatch(folder))
        for name in sorted(names):
            path = Path(parent, name)
            if not _SKIPPED.fullmatch(name) and stat.S_ISREG(path.lstat().st_mode):
                yield path


def _add(files: dict[str, PackedFile], path: Path, home: str) -> None:
    name = path.relative_to(home).as_posix()
    files[name] = PackedFile(name, path.read_bytes(), os.access(path, os.X_OK))


# ---------------------------------------------------------------- where they are played


class About(NamedTuple):
    """What must agree on all machines: the program's version, and a hash over the sources that decide games."""

    version: str
    sources: str

    def why_not(self, there: About, machine: str) -> str:
        """Why games of this machine cannot be played on another one; "" if they can."""
        if there == self:
            return ""
        return (
            f"{machine} has another version of this program ({_version(there)}) than the machine that submits"
            f" ({_version(self)}); install the same one on all machines"
        )


def _version(machine: About) -> str:
    return f"{machine.version}, sources {machine.sources}"


@cache
def about() -> About:
    """What this machine has."""
    total = hashlib.sha256()
    for room in ("game", "players", "referee"):
        for path in sorted((Path(__file__).parents[2] / room).glob("*.py")):
            total.update(path.name.encode() + b"\0" + path.read_bytes().replace(b"\r\n", b"\n"))
    try:
        number = version("schotten-arena")
    except PackageNotFoundError:  # run from a source folder without an installation
        number = "not installed"
    return About(number, total.hexdigest()[:12])


def travelling(job: Job) -> Job:
    """The job with the rule set of a file written out, for machines that lack the file."""
    by_file = job.rules.endswith(".toml") or "/" in job.rules or os.sep in job.rules
    return replace(job, rules=load_rules(job.rules).canonical) if by_file else job


class Unpacked:
    """Folders of bots on a machine that plays them; unpacked when a bot first needs them, and gone with `close`."""

    def __init__(self, packed: Packed, below: str | None = None) -> None:
        """`below` is the folder to unpack them in, default the system's for temporary files."""
        self._packed = packed
        self._below = below
        self._root: Path | None = None
        self._places: dict[str, Path] = {}

    def placed(self, job: Job) -> Job:
        """The job with the paths that its bots have here."""
        return replace(job, bots=tuple(map(self._spec, job.bots)))

    def _spec(self, bot: BotSpec) -> BotSpec:
        home = str(Path(bot.path).parent)
        if MODULE.fullmatch(bot.target):
            return bot
        if home not in self._packed:
            # a bot of the program: every machine has it, perhaps elsewhere
            own = data_folder("bots").resolve() / Path(bot.path).name
            return replace(bot, path=str(own)) if not bot.files and own.is_file() and not _is_here(bot) else bot
        if _is_here(bot):
            return bot
        folder = self._place(home)

        def here(text: str) -> str:
            return str(folder / Path(text).relative_to(home)) if Path(text).is_relative_to(home) else text

        return replace(
            bot, path=here(bot.path), files=tuple(map(here, bot.files)), command=tuple(map(here, bot.command))
        )

    def _place(self, home: str) -> Path:
        if home not in self._places:
            if self._root is None:
                self._root = Path(tempfile.mkdtemp(prefix="arena-bots-", dir=self._below))
            folder = self._places[home] = self._root / str(len(self._places)) / (Path(home).name or "bots")
            for file in self._packed[home]:
                path = folder / file.path
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(file.content)
                path.chmod(0o755 if file.executable else 0o644)
        return self._places[home]

    def close(self) -> None:
        """Remove the folders."""
        root, self._root = self._root, None
        self._places.clear()
        if root is not None:
            shutil.rmtree(root, ignore_errors=True)


def _is_here(bot: BotSpec) -> bool:
    """Whether this machine has the bot's file as it was submitted."""
    try:
        if bot.files:
            check_unchanged(bot.target, bot.files, bot.source_hash)
            return True
        return source_hash(read_source(bot.target, Path(bot.path))) == bot.source_hash
    except (BotError, OSError):
        return False


log = logging.getLogger("arena.dask")

_CHECK_S = 1.0
_WAIT_S = 30.0
_MAX_TRIES = 5
_CLUSTER_ERRORS = ("KilledWorker", "CancelledError", "FutureCancelledError", "TimeoutError", "CommClosedError")


class DaskExecutor:
    """An `Executor` on the cluster of a scheduler (`tcp://host:port`), or on `job.workers` processes of its own."""

    def __init__(self, job: Job, scheduler: str | None, sink: Sink) -> None:
        self._job = travelling(job)
        self._sink = sink
        self._run = uuid.uuid4().hex  # names the tasks; nothing that is played depends on it
        self._cluster: Any = None
        if scheduler is None:
            self._cluster = distributed.LocalCluster(  # type: ignore[no-untyped-call]
                n_workers=job.workers,
                threads_per_worker=1,
                processes=True,
                dashboard_address=":0",
                silence_logs=logging.CRITICAL,
                memory_limit=None,
            )
        try:
            self._client: Any = _connect(self._cluster or scheduler)
            self._threads = self._wait_for_workers(scheduler)
            self._files = BotFiles(self._run, pack(job), about())
            self._send_files()
        except BaseException:
            if self._cluster is not None:
                self._cluster.close()
            raise
        self._done: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._pending: dict[str, tuple[Any, Chunk, int]] = {}
        self._checked_at = time.monotonic()
        self._draining = False
        self._drained = False
        self._closed = False

    def _send_files(self) -> None:
        """Give the bots' files to all workers, and to those that will join."""
        try:
            self._client.register_plugin(self._files)
        except Exception as error:
            if "arena" in str(error) or isinstance(error, ImportError):
                raise ArenaError(
                    "the scheduler or a worker has no arena, or another version of it; install the same one on all"
                    f" machines ({one_line(str(error), 200)})"
                ) from error
            raise ArenaError(f"the cluster does not take the bots' files: {one_line(str(error), 200)}") from error

    def _wait_for_workers(self, scheduler: str | None) -> dict[str, int]:
        try:
            self._client.wait_for_workers(1, timeout=_WAIT_S)
        except TimeoutError as error:
            raise ArenaError(
                f"the scheduler {scheduler} has no workers; start some with: dask worker {scheduler}"
            ) from error
        return dict(self._client.nthreads())

    @property
    def slots(self) -> int:
        return max(sum(self._threads.values()), 1)

    def moves_in_play(self) -> int:
        return 0  # not known here

    def submit(self, chunk: Chunk) -> None:
        self._send(chunk, 0)

    def _send(self, chunk: Chunk, tries: int) -> None:
        key = f"arena-{self._run}-{chunk.number}-{tries}-{uuid.uuid4().hex[:8]}"
        future = self._client.submit(
            play_chunk, self._run, self._job, chunk, key=key, pure=False, priority=-chunk.number
        )
        self._pending[key] = (future, chunk, tries)
        future.add_done_callback(self._done.put)

    def events(self, timeout: float) -> list[Event]:
        events: list[Event] = []
        with contextlib.suppress(queue.Empty):
            future = self._done.get(timeout=timeout)
            while True:
                events += self._take(future)
                future = self._done.get_nowait()
        events += self._check_workers()
        if self._draining and not self._pending and not self._drained:
            self._drained = True
            events.append(Drained())
        return events

    def _take(self, future: Any) -> list[Event]:
        """The events of a future that is done, however it ended."""
        entry = self._pending.pop(future.key, None)
        if entry is None:
            return []
        _, chunk, tries = entry
        try:
            delivery: Delivery = future.result(timeout=_WAIT_S)
        except Exception as error:
            return self._resubmit(chunk, tries, error)
        for record in delivery.records:
            self._sink(record)
        events = delivery.events
        units = sum(len(event.chunk) for event in events if isinstance(event, Played))
        failed = any(isinstance(event, Failed) for event in events)
        if units < len(chunk) and not failed and not self._draining:
            self._send(Chunk(chunk.number, chunk.tasks[units:]), tries)
        return events

    def _resubmit(self, chunk: Chunk, tries: int, error: Exception) -> list[Event]:
        """Handle a future without a result: the cluster has failed, or the code there."""
        if self._draining:
            return []
        name = type(error).__name__
        if isinstance(error, ImportError):
            text = f"the workers of the cluster cannot import arena; install it there: {error}"
            return [Failed(text, ours=False, elsewhere=True)]
        if name not in _CLUSTER_ERRORS:
            return [Failed(f"on the cluster: {name}: {error}", ours=True)]
        if tries >= _MAX_TRIES:
            return [Failed(f"the cluster lost a chunk {tries} times, the last time by {name}: {error}", ours=False)]
        self._send(chunk, tries + 1)
        return [Lost(f"the cluster lost a chunk ({name}); replaying it")]

    def _check_workers(self) -> list[Event]:
        """Which workers are gone, and how many threads there are now."""
        now = time.monotonic()
        if now - self._checked_at < _CHECK_S or self._closed:
            return []
        self._checked_at = now
        try:
            threads = dict(self._client.nthreads())
        except Exception as error:  # the scheduler is gone or coming back; futures will tell
            log.warning("the scheduler does not answer: %s", error)
            gone_for_good = self._client.status in ("closed", "closing")
            text = (
                f"the scheduler is gone ({error}). Start one again; the run is then continued by 'arena resume' if"
                " games of it are stored, otherwise from the beginning"
            )
            return [Failed(text, ours=False, elsewhere=True)] if gone_for_good else []
        gone = [address for address in self._threads if address not in threads]
        self._threads = threads
        then = "others replay its games" if threads else "there is no other, so its games wait for one"
        return [Lost(f"cluster worker {address} is gone; {then}") for address in gone]

    def drain(self) -> None:
        if not self._draining:
            self._draining = True
            self._end_run(at_once=False)

    def _end_run(self, at_once: bool) -> None:
        with contextlib.suppress(Exception):  # a worker that does not answer is gone, and its processes with it
            self._client.run(end_run, self._run, at_once, on_error="ignore")

    def close(self) -> None:
        if self._closed:
            return
        self._closed = self._draining = True
        with contextlib.suppress(Exception):
            self._client.cancel([future for future, _, _ in self._pending.values()], force=True)
        self._pending.clear()
        self._end_run(at_once=True)
        with contextlib.suppress(Exception):
            self._client.unregister_worker_plugin(self._files.name)
        with contextlib.suppress(Exception):
            self._client.close(timeout=5)
        if self._cluster is not None:
            with contextlib.suppress(Exception):
                self._cluster.close(timeout=10)


def _connect(where: Any) -> Any:
    try:
        return distributed.Client(where, timeout=_WAIT_S, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise ArenaError(f"cannot reach the Dask scheduler {where}: {error}") from error


# ---------------------------------------------------------------- in the processes of the cluster


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
            unpacked = _bots.pop(self._run, None)
            _refusals.pop(self._run, None)
        if unpacked is not None:
            unpacked.close()


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
