"""Executors, which play chunks somewhere, and the loop that keeps one busy and stores what comes back.

An executor is given chunks and returns events, in any order. It must guarantee that each unit of each chunk
submitted comes back in exactly one `Played`, whatever happens to its workers, and that the rows are the same
wherever they were played. Units of a bot that did not answer in another of the chunk come back without rows, not
played. To add one: a module here whose class is made as `Factory` says, and an entry in `EXECUTORS`
of `arena.tournament.registry`.

A worker reports what it has played about twice a second, and the size of the chunks follows from these reports: a chunk
that comes back in one of them was small, so the next is larger; else it has as many units as a report held. Size
changes only how long play takes: the store knows each game by its identity, in whatever order the games come back.
"""

from __future__ import annotations

import os
import queue
import signal
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, field
from importlib import import_module
from itertools import islice
from types import FrameType
from typing import Any, NoReturn, Protocol, TypeAlias

from arena.errors import ArenaError
from arena.tournament.games import Chunk, Task
from arena.tournament.registry import EXECUTORS
from arena.tournament.runner.job import Drained, Failed, Job, Lost, Played, WorkerEvent
from arena.tournament.runner.logs import Sink
from arena.tournament.runner.supervisor import Stopped, Supervisor


class WorkerFault(RuntimeError):
    """A fault of this program in a worker; the message is the worker's traceback."""


class Executor(Protocol):
    """A set of workers. Not thread-safe: all calls come from the runner's thread."""

    @property
    def slots(self) -> int:
        """Chunks that can be played at the same time; a few more should be submitted."""

    def moves_in_play(self) -> int:
        """Return the moves made so far in the games in progress, as far as they are known: a sign of life."""

    def submit(self, chunk: Chunk) -> None:
        """Play a chunk when there is a free worker. Returns at once."""

    def events(self, timeout: float) -> list[WorkerEvent]:
        """Return what has happened since the last call; wait up to `timeout` seconds for something to happen."""

    def drain(self) -> None:
        """Finish the units in progress and start no more; `Drained` comes when they are done."""

    def close(self) -> None:
        """Stop all workers at once. No process of theirs is left when this returns."""


Factory: TypeAlias = Callable[[Job, str | None, Sink], Executor]
"""Takes the job, the address of a scheduler if there is one, and the sink for log records."""


def make_executor(job: Job, name: str, scheduler: str | None, sink: Sink) -> Executor:
    """Make the executor of that name; `sink` gets what workers and bots log.

    ArenaError if a package that the executor needs is not installed.
    """
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


class LocalExecutor:
    """An `Executor` of `job.workers` processes. Even a single worker is a process: a hung bot must be killable."""

    def __init__(self, job: Job, scheduler: str | None, sink: Sink, method: str | None = None) -> None:
        """Start the workers. `method` is the start method of processes, by default the one that suits the system."""
        self._workers = job.workers
        self._events: queue.SimpleQueue[WorkerEvent] = queue.SimpleQueue()
        self._chunks: queue.SimpleQueue[Chunk | None] = queue.SimpleQueue()
        self._supervisors = [Supervisor(job, self._events.put, sink, method, number) for number in range(self._workers)]
        self._draining = False
        self._busy = self._workers  # threads that have not ended
        self._lock = threading.Lock()
        self._threads = [
            threading.Thread(target=self._run, args=(supervisor,), name=f"supervisor {number}", daemon=True)
            for number, supervisor in enumerate(self._supervisors)
        ]
        for thread in self._threads:
            thread.start()

    @property
    def slots(self) -> int:
        """One for each worker."""
        return self._workers

    def moves_in_play(self) -> int:
        """Return the moves made so far in the games in progress."""
        return sum(supervisor.moves for supervisor in self._supervisors)

    def submit(self, chunk: Chunk) -> None:
        """Give a chunk to the next free worker."""
        self._chunks.put(chunk)

    def events(self, timeout: float) -> list[WorkerEvent]:
        """Return what has happened since the last call; wait up to `timeout` seconds."""
        events: list[WorkerEvent] = []
        try:
            events.append(self._events.get(timeout=timeout))
            while True:
                events.append(self._events.get_nowait())
        except queue.Empty:
            return events

    def drain(self) -> None:
        """Finish the units in progress and start no more."""
        self._draining = True
        for supervisor in self._supervisors:
            supervisor.drain()
            self._chunks.put(None)

    def close(self) -> None:
        """Stop all workers and wait for their ends."""
        self._draining = True
        for supervisor in self._supervisors:
            supervisor.stop()
            self._chunks.put(None)
        for thread in self._threads:
            thread.join()

    def _run(self, supervisor: Supervisor) -> None:
        try:
            while (chunk := self._chunks.get()) is not None and not self._draining:
                supervisor.play(chunk)
        except Stopped:
            pass
        except BaseException:
            self._events.put(Failed(traceback.format_exc(), ours=True))
        finally:
            supervisor.close()
            with self._lock:
                self._busy -= 1
                last = self._busy == 0
            if last:
                self._events.put(Drained())


_AHEAD = 2  # chunks per worker: one that it plays, one that waits for it
_COMMIT_S = 0.2
_TICK_S = 0.25
_SIGHUP: int | None = getattr(signal, "SIGHUP", None)  # not on Windows


class Requests(Protocol):
    """Whether somebody has asked to stop, after the games in progress or `at_once`."""

    @property
    def stopping(self) -> bool:
        """Whether a stop was asked for."""

    @property
    def at_once(self) -> bool:
        """Whether to stop without waiting for the games in progress."""


@dataclass
class Dispatcher:
    """Keeps the workers of an executor busy; remembers from one `play` to the next how large chunks should be.

    `failed` raises what a `Failed` means to the caller. `lost` is called when a worker died, `stopping` once, before
    the loop stops because somebody asked for it, `tick` several times a second.
    """

    executor: Executor
    signals: Requests
    _: KW_ONLY
    failed: Callable[[Failed], NoReturn]
    lost: Callable[[Lost], None]
    stopping: Callable[[], None] = lambda: None
    tick: Callable[[], None] = lambda: None
    _draining: bool = field(default=False, init=False)
    _chunk_number: int = field(default=0, init=False)
    _chunk_units: int = field(default=1, init=False)
    _growth: int = field(default=4, init=False)  # of chunks that come back at once; 2 when their size is about right

    def play(self, units: Iterator[Task], expected: int, store: Callable[[Sequence[Played]], bool]) -> None:
        """Play and store all units, or those in progress when somebody asks to stop.

        `expected` is about the number of units; chunks become smaller towards the end. `store` is called with what has
        come back since its last call, and returns True if that is enough: then play ends at once.
        """
        pending: dict[int, tuple[int, int]] = {}  # by chunk, its units, and those that are not back
        unstored: list[Played] = []
        stored_at = time.monotonic()
        while True:
            if self.signals.stopping and not self._draining:
                self._draining = True
                self.stopping()
                self.executor.drain()
            while not self._draining and len(pending) < _AHEAD * self.executor.slots:
                chunk = self._cut(units, expected)
                if chunk is None:
                    break
                pending[chunk.number] = len(chunk), len(chunk)
                expected -= len(chunk)
                self.executor.submit(chunk)
            if not pending and not unstored:
                return
            drained = False
            for event in self.executor.events(_TICK_S if pending else 0.0):
                match event:
                    case Played():
                        unstored.append(event)
                        size, left = pending.pop(event.chunk.number)
                        if left := left - len(event.chunk):
                            pending[event.chunk.number] = size, left
                        if event.rows and left:  # without rows it was handed back
                            self._chunk_units, self._growth = len(event.chunk), 2
                        elif event.rows and len(event.chunk) == size:
                            self._chunk_units = self._growth * size
                    case Lost():
                        self.lost(event)
                    case Failed():
                        if unstored:
                            store(unstored)
                        self.failed(event)
                    case Drained():
                        drained = True
            now = time.monotonic()
            over = drained or self.signals.at_once
            if unstored and (now - stored_at >= _COMMIT_S or over or self._draining or not pending):
                if store(unstored):
                    return
                unstored = []
                stored_at = now
            self.tick()
            if over:
                return

    def _cut(self, units: Iterator[Task], expected: int) -> Chunk | None:
        share = expected // (_AHEAD * self.executor.slots)  # so that all workers finish at about one time
        least = self._chunk_units // 8  # for bots in processes, of which each chunk needs fresh ones
        tasks = tuple(islice(units, max(min(self._chunk_units, share), least, 1)))
        if not tasks:
            return None
        self._chunk_number += 1
        return Chunk(self._chunk_number, tasks)


class StopSignals:
    """Counts requests to stop while it is entered: Ctrl-C (SIGINT), SIGTERM and a closed terminal (SIGHUP).

    One finishes the games in progress, a second stops at once. After `nohup` a closed terminal is not a request. Python
    handles signals in the main thread only; in any other thread nothing is counted and nothing changes.

    Enter it before processes start and leave it after their end: a KeyboardInterrupt while one forks or is being killed
    leaves a lock held, or a process stopped for ever. `asked` is called at each request.
    """

    def __init__(self, asked: Callable[[], None] = lambda: None) -> None:
        self.count = 0
        self._asked = asked
        self._previous: dict[int, Any] = {}
        self._shown: list[int] = []

    @property
    def stopping(self) -> bool:
        """Whether a stop was asked for."""
        return self.count > 0

    @property
    def at_once(self) -> bool:
        """Whether a stop was asked for again, without waiting for the games in progress."""
        return self.count > 1

    def __enter__(self) -> StopSignals:
        if threading.current_thread() is threading.main_thread():
            self._shown = [descriptor for descriptor in (1, 2) if os.isatty(descriptor)]
            for number in (signal.SIGINT, signal.SIGTERM, _SIGHUP):
                if number is not None and not (number == _SIGHUP and signal.getsignal(number) == signal.SIG_IGN):
                    self._previous[number] = signal.signal(number, self._handle)
        return self

    def __exit__(self, *error: object) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        self.count += 1
        self._asked()
        outer = getattr(self._previous[number], "__self__", None)
        if isinstance(outer, StopSignals):  # of a session in which a run is played
            outer._handle(number, frame)
        if number == _SIGHUP:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            for descriptor in self._shown:  # writing to a terminal that has gone fails
                os.dup2(nowhere, descriptor)
            os.close(nowhere)
