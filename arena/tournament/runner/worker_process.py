"""A worker process seen from its supervisor: starts it, talks to it, notices when it hangs or has died, kills it."""

from __future__ import annotations

import marshal
import multiprocessing
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from multiprocessing.context import BaseContext, ForkContext, SpawnContext
from typing import Any, NamedTuple

from arena.bots.processes.tree import end_descendants, exit_text, fork_lock, kill_group, kill_with_group
from arena.bots.processes.worker_setup import widen_pipe
from arena.tournament.match.results import Row
from arena.tournament.match.tasks import Task
from arena.tournament.referee.move_log import SIZE, LogSnapshot, read_snapshot, shared_buffer
from arena.tournament.runner.executors import Failed
from arena.tournament.runner.job import Job
from arena.tournament.runner.logs import Sink, WorkerLog
from arena.tournament.runner.worker import (
    BOT,
    DONE,
    LOADING,
    NO_MEMORY,
    PART,
    READY,
    REFUSED,
    STATE,
    STATUS_SIZE,
    STOP,
    run_worker,
)

_TICK_S = 0.1
_MAX_TICK_S = 0.5  # a longer pause means that this process was stopped, and perhaps the worker, too
_STALL_S = 60.0
_GOING_S = 2.0
_LOOK_S = 0.005
_MOST_BYTES = 1 << 28


class WorkerDied(Exception):
    """The worker has died or was killed."""


class WorkerRefused(Exception):
    """The worker says that it cannot go on."""

    def __init__(self, failed: Failed) -> None:
        super().__init__(failed.text)
        self.failed = failed


class Batch(NamedTuple):
    """What a worker delivers at a time: some units, and whether they are the `last` of those it was given.

    `reusable`: can the process play on? `seconds`, `scores` and `rows` are those of `executors.base.Played`.
    """

    last: bool
    reusable: bool
    units: int
    seconds: float
    scores: dict[int, list[int]]
    rows: list[Row]


class WorkerProcess:
    """One worker process. `play`, `receive` and `await_ready` raise `WorkerDied` and `WorkerRefused`.

    `overdue` is what took too long, if it was killed for that; `garbled`: it was killed because what came through its
    pipe is no message of ours; `how`, after `release`, how it ended.
    """

    def __init__(self, job: Job, context: BaseContext, sink: Sink, number: int | None) -> None:
        self.job = job
        self.overdue: str | None = None
        self.garbled = False
        self.how = "it died"
        self._ready = False
        assert isinstance(context, ForkContext | SpawnContext)
        with fork_lock:  # a worker forked meanwhile would inherit the ends of these pipes
            chunks, self._chunks = context.Pipe(duplex=False)
            self._results, results = context.Pipe(duplex=False)
            widen_pipe(results.fileno())
            move_log = context.RawArray("B", 2 * SIZE)
            self._move_log = shared_buffer(move_log, clear=True)
            self._status: Any = context.RawArray("q", STATUS_SIZE)
            self._log = WorkerLog(context, sink)
            args = (job, chunks, results, self._log.sender, move_log, self._status, os.getpid(), number)
            self._process = context.Process(target=run_worker, args=args, name="arena worker")
            with _may_have_children():
                self._process.start()
            chunks.close()
            results.close()
            self._log.receive()
        assert self._process.pid is not None
        self.pid = self._process.pid
        self._seen = self.started = time.monotonic()
        self._still = 0.0
        self._last = b""

    def await_ready(self) -> None:
        """Wait until the bots are loaded."""
        if not self._ready:
            self._message()
            self._ready = True

    def _ends_within(self, seconds: float) -> bool:
        """Whether the process ends within some seconds. (A bot may close the pipe that `join` waits for.)"""
        until = time.monotonic() + seconds
        while self._process.is_alive():
            if time.monotonic() > until:
                return False
            time.sleep(_LOOK_S)
        return True

    def play(self, tasks: Sequence[Task], known: Sequence[Row], broken: Mapping[str, tuple[str, str]]) -> None:
        """Give it units to play. It is waiting for them, so this does not block.

        `known` are rows of games that are not to be played, `broken` the bots that cannot be created, with the
        forfeit's kind and detail: what was found out from earlier workers.
        """
        self._still = 0.0
        try:
            # the tasks of a chunk are of one type, and plain tuples pickle four times as fast as named ones
            self._chunks.send((type(tasks[0]), [tuple(task) for task in tasks], known, broken))
        except OSError:
            raise WorkerDied from None

    def receive(self) -> Batch:
        """The next part of the units."""
        kind, units, seconds, reusable, scores, values = self._message()
        rows = list(map(Row._make, values))
        return Batch(kind == DONE, reusable, units, seconds, scores, rows)

    def ask_to_stop(self) -> None:
        """Let it deliver what it has played after the unit in hand."""
        self._status[STOP] = 1

    @property
    def loading(self) -> int | None:
        """The place of the bot that it is loading, or None."""
        return int(self._status[BOT]) if self._status[STATE] == LOADING else None

    def snapshot(self) -> LogSnapshot:
        """What the referee's move log says."""
        return read_snapshot(self._move_log)

    def _message(self) -> tuple[Any, ...]:
        try:
            while not self._results.poll(_TICK_S):
                self._watch()
            message = self._read()
        except (EOFError, OSError):  # it has gone
            self.kill()
            raise WorkerDied from None
        if message[0] == REFUSED:
            _, users, text = message
            bot = self.loading if users else None
            name = None if bot is None else self.job.bots[bot].name
            raise WorkerRefused(Failed(text, ours=not users, bot=name))
        self._still = 0.0
        return message

    def _read(self) -> tuple[Any, ...]:
        """A message that has come. A bot that lives in the worker may have written to this pipe, too."""
        try:
            message = marshal.loads(self._results.recv_bytes(_MOST_BYTES))
            if isinstance(message, tuple) and message and message[0] in (READY, PART, DONE, REFUSED):
                return message
        except EOFError:
            raise
        except (OSError, ValueError, TypeError):
            pass
        self.garbled = self._process.is_alive()
        raise EOFError

    def _watch(self) -> None:
        """Kill the process if nothing has moved for too long."""
        if not self._process.is_alive():  # processes of its bots may hold the pipe open
            if self._results.poll():  # its last words, which have come just now
                return
            raise WorkerDied
        now = time.monotonic()
        passed, self._seen = now - self._seen, now
        seen = bytes(self._move_log) + bytes(self._status)
        if seen != self._last:
            self._last, self._still = seen, 0.0
            return
        self._still += min(passed, _MAX_TICK_S)
        limit, text = self._patience()
        if self._still > limit:
            self.overdue = text
            self.kill()
            raise WorkerDied

    def _patience(self) -> tuple[float, str]:
        """How long nothing may move, and what to say if it does."""
        if self.loading is not None:
            limit = self.job.loading_patience_s(self.loading)
            return limit, f"not finished within {limit:g} s"
        if self.snapshot().hook is None:
            return _STALL_S, f"no progress for {_STALL_S:g} s"
        limit = self.job.patience_s
        return limit, f"no answer within {limit:g} s"

    def kill(self) -> None:
        """Stop it and all that it has started, at once."""
        if self.job.isolated:
            end_descendants(self.pid)
        kill_with_group(self.pid)

    def release(self) -> None:
        """Wait for its end, note how it ended, and close everything."""
        if not self._ends_within(_GOING_S):
            self.kill()
            self._process.join()
        else:
            kill_group(self.pid)
        code = self._process.exitcode
        died = "there was no memory left" if code == NO_MEMORY else exit_text(code, "the process")
        if self.garbled:
            died = "it sent what is no result: a bot has written to its pipe"
        self.how = self.overdue or died
        for end in (self._chunks, self._results):
            end.close()
        self._log.close()
        self._process.close()


@contextmanager
def _may_have_children() -> Iterator[None]:
    """Let this process start others even if it is a daemon, as Dask's workers are.

    multiprocessing forbids it because daemons are killed without regard for their children; ours die with their
    parent.
    """
    config: dict[str, Any] = getattr(multiprocessing.current_process(), "_config", {})
    daemon = config.get("daemon", False)
    config["daemon"] = False
    try:
        yield
    finally:
        config["daemon"] = daemon
