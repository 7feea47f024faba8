"""Worker processes that play units of work, each watched by a thread of this process.

A pool guarantees that each unit it is given reaches `store` in exactly one `Played`, whatever happens to its workers,
and that the rows are the same wherever they were played. Units that a bot keeps waiting by not answering are dropped,
as are all that have not begun when somebody asks to stop: they are not stored, so the next schedule yields them again.
A pool on other machines makes other slots: `arena.tournament.runner.dask`.

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
from itertools import islice
from types import FrameType
from typing import Any, NoReturn, Protocol

from arena.errors import ArenaError
from arena.tournament.games import Chunk, Task
from arena.tournament.runner.job import Failed, Job, Lost, Played, WorkerEvent
from arena.tournament.runner.logs import Sink
from arena.tournament.runner.progress import Wait
from arena.tournament.runner.supervisor import Stopped, Supervisor

_COMMIT_S = 0.2
_TICK_S = 0.25
_GROWTH, _QUICK_GROWTH = 2, 4  # of chunks that come back at once: the second while no report has said how much is right
_MOST_WAITING = 32_000  # rows: a store that is slower than many workers lets them wait
_SIGHUP: int | None = getattr(signal, "SIGHUP", None)  # not on Windows


class WorkerFault(RuntimeError):
    """A fault of this program in a worker; the message is the worker's traceback."""


class BotRefused(ArenaError):
    """A bot cannot be loaded; `bot` is its name."""

    def __init__(self, text: str, bot: str) -> None:
        super().__init__(text)
        self.bot = bot


def fail(event: Failed) -> NoReturn:
    """Raise the error that a `Failed` means: BotRefused or ArenaError for what the user can fix, else WorkerFault."""
    if event.ours:
        raise WorkerFault(event.text)
    raise ArenaError(event.text) if event.bot is None else BotRefused(event.text, event.bot)


class Slot(Protocol):
    """A place where chunks are played, one after another, by a thread of the pool."""

    def wait(self) -> Wait | None:
        """Return whose answer is being waited for, if it is known; called by any thread."""

    def play(self, chunk: Chunk) -> None:
        """Play a chunk, reporting units as they are done. Raise Stopped when it has to be given up."""

    def drain(self) -> None:
        """Let `play` return after the unit in progress; called by any thread."""

    def stop(self) -> None:
        """Let `play` return at once; called by any thread."""

    def close(self) -> None:
        """End what was started; called by the thread that has called `play`."""


class Requests(Protocol):
    """Whether somebody has asked to stop, after the games in progress or `at_once`."""

    @property
    def stopping(self) -> bool:
        """Whether a stop was asked for."""

    @property
    def at_once(self) -> bool:
        """Whether to stop without waiting for the games in progress."""


class WorkerPool:
    """A pool of `job.workers` processes. Even a single worker is a process: a hung bot must be killable.

    All calls come from one thread. After `play` has ended early, because `store` had enough or somebody asked to stop,
    only `close` may follow.
    """

    def __init__(self, job: Job, sink: Sink) -> None:
        """Start the workers."""
        self.job = job
        self._sink = sink
        self._events: queue.SimpleQueue[WorkerEvent | None] = queue.SimpleQueue()
        self._slots: list[Slot] = []
        self._threads: list[threading.Thread] = []
        self._work = threading.Condition()  # guards all that follows
        self._units: Iterator[Task] | None = None
        self._expected = 0  # units that are left, about
        self._open: dict[int, tuple[int, int]] = {}  # by chunk in play: its units, and those that are not back
        self._numbers = 0
        self._chunk_units, self._growth = 1, _QUICK_GROWTH
        self._waiting = 0  # rows that are reported and not stored
        self._draining = self._closing = False
        self._open_slots()

    def _open_slots(self) -> None:
        for number in range(self.job.workers):
            self._add_slot(Supervisor(self.job, self._report, self._sink, number=number))

    def _add_slot(self, slot: Slot) -> None:
        thread = threading.Thread(target=self._run, args=(slot,), name=f"slot {len(self._slots)}", daemon=True)
        self._slots.append(slot)
        self._threads.append(thread)
        thread.start()

    def waits(self) -> list[Wait]:
        """Return whose answers are being waited for, as far as it is known, the longest wait first."""
        waits = [wait for slot in self._slots if (wait := slot.wait()) is not None]
        return sorted(waits, key=lambda wait: -wait.seconds)

    # ------------------------------------------------------------ the thread that plays and stores

    def play(
        self,
        units: Iterator[Task],
        expected: int,
        store: Callable[[Sequence[Played]], bool],
        requests: Requests,
        *,
        lost: Callable[[Lost], None],
        tick: Callable[[], None] = lambda: None,
    ) -> None:
        """Play and store all units, or those in progress when somebody asks to stop.

        `expected` is about the number of units; chunks become smaller towards the end. `store` is called with what has
        come back since its last call, and returns True if that is enough: then play ends at once. `lost` is called when
        a worker died, `tick` several times a second. Raise what `fail` makes of a `Failed`.
        """
        with self._work:
            self._units, self._expected = units, expected
            self._work.notify_all()
        unstored: list[Played] = []
        stored_at = time.monotonic()
        while True:
            if requests.stopping and not self._draining:
                self._drain()
            with self._work:
                idle = self._units is None and not self._open  # then all that was played is among the events
            for event in self._take(0.0 if idle else _TICK_S):
                match event:
                    case Played():
                        unstored.append(event)
                    case Lost():
                        lost(event)
                    case Failed():
                        if unstored:
                            store(unstored)
                        fail(event)
            over = idle or requests.at_once
            now = time.monotonic()
            if unstored and (now - stored_at >= _COMMIT_S or over or self._draining):
                if store(unstored):
                    return
                with self._work:
                    self._waiting -= sum(len(played.rows) for played in unstored)
                    self._work.notify_all()
                unstored, stored_at = [], now
            tick()
            if over:
                return

    def _take(self, timeout: float) -> Iterator[WorkerEvent | None]:
        """Yield what has happened since the last call; wait up to `timeout` seconds for something to happen."""
        try:
            yield self._events.get(timeout=timeout) if timeout else self._events.get_nowait()
            while True:
                yield self._events.get_nowait()
        except queue.Empty:
            return

    def _drain(self) -> None:
        with self._work:
            self._draining, self._units = True, None
        for slot in self._slots:
            slot.drain()

    def close(self) -> None:
        """Stop all workers at once and wait for their ends: no process of theirs is left when this returns."""
        with self._work:
            self._draining = self._closing = True
            self._units = None
            self._work.notify_all()
        for slot in self._slots:
            slot.stop()
        for thread in self._threads:
            thread.join()

    # ------------------------------------------------------------ the threads of the slots

    def _run(self, slot: Slot) -> None:
        try:
            while (chunk := self._next()) is not None:
                try:
                    slot.play(chunk)
                finally:
                    with self._work:
                        del self._open[chunk.number]
        except Stopped:
            pass
        except BaseException:
            self._events.put(Failed(traceback.format_exc(), ours=True))
        finally:
            slot.close()
            self._events.put(None)

    def _next(self) -> Chunk | None:
        """Wait for units and return some of them; None when the pool is closed."""
        with self._work:
            while not self._closing:
                if self._waiting < _MOST_WAITING and (chunk := self._cut()) is not None:
                    return chunk
                self._work.wait()
        return None

    def _cut(self) -> Chunk | None:
        if self._units is None:
            if self._numbers:
                self._events.put(None)  # the last chunk is back
            return None
        share = self._expected // (2 * len(self._slots))  # so that all workers finish at about one time
        tasks = tuple(islice(self._units, max(min(self._chunk_units, share), 1)))
        if not tasks:
            self._units = None
            self._events.put(None)
            return None
        self._expected -= len(tasks)
        self._numbers += 1
        self._open[self._numbers] = len(tasks), len(tasks)
        return Chunk(self._numbers, tasks)

    def _report(self, event: WorkerEvent) -> None:
        if isinstance(event, Played):
            with self._work:
                size, left = self._open[event.chunk.number]
                left -= len(event.chunk)
                self._open[event.chunk.number] = size, left
                self._waiting += len(event.rows)
                if left:
                    self._chunk_units, self._growth = len(event.chunk), _GROWTH
                elif len(event.chunk) == size:
                    self._chunk_units = self._growth * size
        self._events.put(event)


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
