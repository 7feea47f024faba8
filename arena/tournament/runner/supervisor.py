"""Supervises a worker process: gives it chunks, and replaces it when it hangs or dies.

A bot that hangs in C code cannot be interrupted from inside, and a process cannot report its own death. The referee's
move log in shared memory says which game was being played, whose turn it was and which moves had been made, so the
supervisor can tell what a hang or a death means:

* A call of a bot lasts longer than the job allows: the worker is killed, and the bot forfeits the game by `timeout`.
* The worker dies while a bot that lives in it is at work: the game is played again, since the cause can lie outside. If
  the worker dies again in the same game, the bot forfeits it by `crash`.
* The worker dies while a bot that has a process of its own is at work: the game is played again. Such a bot cannot
  crash the worker by accident, and in the sandbox it can signal nobody, so after `MOST_DEATHS` deaths in the same game
  the run stops with a message that names both bots.
* The worker dies twice while it loads a bot: the run stops, because the bot's file cannot be run.
* Without a clock, a bot gives no answer in time: the chunk ends after that unit, since the bot may be left out
  (`arena.tournament.plan.first_silent`).
* The worker dies while no bot is at work: the units that were not delivered are played again.
"""

from __future__ import annotations

import errno
import marshal
import multiprocessing
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.context import BaseContext
from typing import Any

from arena.bots.processes import (
    KILL,
    end_descendants,
    exit_text,
    fork_lock,
    kill_with_group,
    send_group_signal,
    widen_pipe,
)
from arena.endings import ForfeitKind
from arena.tournament.games import Chunk, Row, Task
from arena.tournament.move_log import SIZE, LogSnapshot, read_snapshot, shared_buffer
from arena.tournament.rows import cut_row, find_game, role_at_work
from arena.tournament.runner.job import Failed, Job, Lost, Played, WorkerEvent
from arena.tournament.runner.logs import Sink, WorkerLog
from arena.tournament.runner.progress import Wait
from arena.tournament.runner.worker import (
    CHUNK_REFUSED,
    LOADING,
    NO_MEMORY,
    PART,
    READY,
    STATUS_SIZE,
    STOP,
    UNITS_DONE,
    run_worker,
)

_TICK_S = 0.1
_MAX_TICK_S = 0.5  # a longer pause means that this process was stopped, and perhaps the worker as well
_STALL_S = 60.0
_GOING_S = 2.0
_DRAINING_S = 1.0  # a call that takes longer is not waited for when the run is to end
_MOST_BYTES = 1 << 28
_LENGTHS = {READY: 1, PART: 6, UNITS_DONE: 6, CHUNK_REFUSED: 3}  # of messages


class Stopped(Exception):
    """The supervisor is to stop at once, or the games in progress cannot be finished soon."""


class WorkerDied(Exception):
    """The worker has died or was killed."""


class WorkerRefused(Exception):
    """The worker reports that it cannot go on."""

    def __init__(self, failed: Failed) -> None:
        super().__init__(failed.text)
        self.failed = failed


class WorkerProcess:
    """One worker process. `play`, `receive` and `await_ready` raise `WorkerDied`, `WorkerRefused` and `Stopped`.

    `overdue` is what took too long, if it was killed for that; `garbled`: it was killed because what came through its
    pipe is not a valid message; `how`, after `release`, how it ended, and `no_memory` whether for lack of it.
    """

    def __init__(self, job: Job, context: Any, sink: Sink, number: int | None) -> None:
        """Start the process. `context` is one of multiprocessing, whose common class has no processes."""
        self.job = job
        self.overdue: str | None = None
        self.garbled = self.no_memory = False
        self.how = "it died"
        self._tasks: Sequence[Task] = ()
        self._ready = False
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
        self._seen = time.monotonic()
        self._still = 0.0
        self._last = b""
        self._moved = time.monotonic()  # when a move was made, or something else happened in a game

    def await_ready(self) -> None:
        """Wait until the bots are loaded."""
        if not self._ready:
            self.receive()
            self._ready = True

    def play(self, tasks: Sequence[Task], known: Sequence[Row]) -> None:
        """Give it units to play. It is waiting for them, so this does not block.

        `known` are rows of games that must not be played: forfeits for the hangs and deaths of earlier workers.
        """
        self._still = 0.0
        self._tasks = tasks
        try:
            # the tasks of a chunk are of one type, and plain tuples pickle four times as fast as named ones
            self._chunks.send((type(tasks[0]), [tuple(task) for task in tasks], known))
        except OSError:
            raise WorkerDied from None

    def ask_to_stop(self) -> None:
        """Let it deliver what it has played after the unit in progress."""
        self._status[STOP] = 1

    @property
    def loading(self) -> int | None:
        """The place of the bot that it is loading, or None."""
        place: int = self._status[LOADING]
        return place - 1 if place else None

    def snapshot(self) -> LogSnapshot:
        """Return what the referee's move log says."""
        return read_snapshot(self._move_log)

    def receive(self) -> tuple[Any, ...]:
        """Return the next message: its kind, then what `arena.tournament.runner.worker` sends with that."""
        try:
            while not self._results.poll(_TICK_S):
                self._watch()
            message = self._read()
        except (EOFError, OSError):  # it has ended
            self.kill()
            raise WorkerDied from None
        if message[0] == CHUNK_REFUSED:
            _, users, text = message
            bot = self.loading if users else None
            name = None if bot is None else self.job.bots[bot].name
            raise WorkerRefused(Failed(text, ours=not users, bot=name))
        if message[0] == UNITS_DONE:
            self._tasks = ()
        self._still = 0.0
        return message

    def _read(self) -> tuple[Any, ...]:
        """Read a message. A bot that lives in the worker may have written to this pipe as well."""
        try:
            message = marshal.loads(self._results.recv_bytes(_MOST_BYTES))
            if isinstance(message, tuple) and message and len(message) == _LENGTHS.get(message[0]):
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
        if seen[: 2 * SIZE] != self._last[: 2 * SIZE]:
            self._moved = now
        is_still, self._last = seen == self._last, seen
        if self._status[STOP] and (wait := self.wait()) is not None and wait.seconds > _DRAINING_S:
            raise Stopped
        if not is_still:
            self._still = 0.0
            return
        self._still += min(passed, _MAX_TICK_S)
        limit, text = self._patience()
        if self._still > limit:
            self.overdue = text
            self.kill()
            raise WorkerDied

    def _patience(self) -> tuple[float, str]:
        """Return how long nothing may move, and what to say about a worker that stands still longer."""
        if self.loading is not None:
            limit = self.job.loading_patience_s(self.job.bots[self.loading].name)
            return limit, f"not finished within {limit:g} s"
        snapshot = read_snapshot(memoryview(self._last)[: 2 * SIZE].cast("H"))  # not in the middle of a change
        if (at_work := self._at_work(snapshot)) is None:
            return _STALL_S, f"no progress for {_STALL_S:g} s"
        bot, _ = at_work
        limit = self.job.patience_s(bot, snapshot.time_left_s)
        if snapshot.hook == "__init__":
            limit = self.job.loading_patience_s(bot)
        return limit, f"no answer within {round(limit, 2):g} s"

    def _at_work(self, snapshot: LogSnapshot) -> tuple[str, str] | None:
        """Return the bot whose call is running, and its opponent; None if there is none."""
        game = next((game for task in self._tasks if (game := find_game(task, snapshot.key))), None)
        role = 0 if game is None else role_at_work(self.job.game, game, snapshot)
        if game is None or not role:
            return None
        return (game.first, game.second) if role == 1 else (game.second, game.first)

    def wait(self) -> Wait | None:
        """Return whose answer is being waited for; for display, from any thread."""
        if len(last := self._last) < 2 * SIZE:
            return None
        at_work = self._at_work(read_snapshot(memoryview(last)[: 2 * SIZE].cast("H")))
        return None if at_work is None else Wait(*at_work, time.monotonic() - self._moved)

    @property
    def is_idle(self) -> bool:
        """Whether it waits for units to play."""
        return self._ready and not self._tasks

    def end(self) -> None:
        """Kill it; if it is idle, let it end by itself first, so that its bots' processes hear `bye`."""
        if self.is_idle and self.job.isolated:
            self._chunks.close()
            self._has_ended(_GOING_S)
        self.kill()

    def kill(self) -> None:
        """Kill it and everything that it has started."""
        if self.job.isolated:
            end_descendants(self.pid)
        kill_with_group(self.pid)

    def release(self) -> None:
        """Wait for its end, note how it ended, and close everything."""
        if self._has_ended(_GOING_S):
            send_group_signal(self.pid, KILL)
        else:
            self.kill()
            self._has_ended()
        code = self._process.exitcode
        self.no_memory = code == NO_MEMORY
        died = "there was no memory left" if self.no_memory else exit_text(code, "the process")
        if self.garbled:
            died = "it sent what is no result: a bot has written to its pipe"
        self.how = self.overdue or died
        for end in (self._chunks, self._results):
            end.close()
        self._log.close()
        self._process.close()

    def _has_ended(self, seconds: float | None = None) -> bool:
        """Wait for its end; return whether it has come."""
        self._process.join(seconds)
        with fork_lock:  # starting a process waits for all that have ended, and may be about to note how this one did
            return not self._process.is_alive()


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


MOST_DEATHS = 5
MOST_GARBLED = 25  # the bot that wrote into the pipe may have answered before that is read


class Supervisor:
    """Plays chunks in a worker process, which is replaced as often as necessary.

    `play` and `close` are called from one thread, which must live as long as the supervisor is in use;
    `stop` and `drain` from any.
    """

    def __init__(
        self,
        job: Job,
        report: Callable[[WorkerEvent], None],
        sink: Sink,
        method: str | None = None,
        number: int | None = None,
    ) -> None:
        self.job = job
        self.report = report
        self.sink = sink
        # Fork is much faster, and safe on Linux. It is named because Python's own choice differs by version.
        default = "fork" if sys.platform == "linux" else "spawn"
        self.context: BaseContext = multiprocessing.get_context(method or default)
        self._place = number
        self._worker: WorkerProcess | None = None
        self._draining = False
        self._stopped = False
        self._deaths: Counter[int] = Counter()  # of workers, by the key of the game

    def drain(self) -> None:
        """Let `play` return after the unit in progress."""
        self._draining = True
        if (worker := self._worker) is not None:
            worker.ask_to_stop()

    def stop(self) -> None:
        """Kill the worker; `play` raises Stopped."""
        self._stopped = True
        if (worker := self._worker) is not None and not worker.is_idle:
            worker.kill()

    def close(self) -> None:
        """End the worker if there is one."""
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.end()
            worker.release()

    def wait(self) -> Wait | None:
        """Return whose answer is being waited for; for display, from any thread."""
        worker = self._worker
        return None if worker is None else worker.wait()

    def load(self) -> Failed | None:
        """Load the bots and play nothing; return what would end the run, or None. Raise Stopped after `stop`."""
        deaths = 0
        while True:
            try:
                worker = self._living_worker()
                worker.await_ready()
                return None
            except WorkerRefused as refused:
                self.close()
                return refused.failed
            except WorkerDied:
                deaths += 1
                failed = self._judge(worker, (), [], deaths)
                if failed is not None:
                    return failed

    def play(self, chunk: Chunk) -> None:
        """Play a chunk, reporting its units as they are done: all of them, unless draining, `Failed`, or a bot is
        silent.
        """
        tasks = chunk.tasks
        known: list[Row] = []
        silent = False
        deaths = 0
        while True:
            # a unit with a game that was cut off is finished first, also while draining: it has begun
            cut = [units for units, task in enumerate(tasks, 1) if any(find_game(task, row.id) for row in known)]
            part = tasks[: cut[-1]] if cut else () if self._draining or silent else tasks
            if not part:
                return
            try:
                worker = self._living_worker(finish=bool(cut))
                worker.await_ready()
                worker.play(part, known)
                if self._stopped:  # since it was last looked at
                    worker.kill()
                kind = PART
                while kind == PART:
                    kind, units, reusable, silent, scores, rows = worker.receive()
                    if units:
                        self.report(Played(Chunk(chunk.number, tasks[:units]), scores, rows, silent))
                        tasks = tasks[units:]
                        known = [row for row in known if any(find_game(task, row.id) for task in tasks)]
                        deaths = 0
                if not reusable:
                    self.close()
            except WorkerRefused as refused:
                self.close()
                self.report(refused.failed)
                return
            except WorkerDied:
                deaths += 1
                failed = self._judge(worker, tasks, known, deaths)
                if failed is not None:
                    self.report(failed)
                    return

    def _living_worker(self, finish: bool = False) -> WorkerProcess:
        if self._worker is None:
            try:
                self._worker = WorkerProcess(self.job, self.context, self.sink, self._place)
            except OSError as error:
                room = "; make room in /dev/shm, the memory that processes share" * (error.errno == errno.ENOSPC)
                text = f"cannot start a worker: {error.strerror or error}{room}"
                raise WorkerRefused(Failed(text, ours=False)) from error
        if self._draining and not finish:
            self._worker.ask_to_stop()
        if self._stopped:  # perhaps since `play` began
            self.close()
            raise Stopped
        return self._worker

    # ------------------------------------------------------------ why it died

    def _judge(self, worker: WorkerProcess, tasks: tuple[Task, ...], known: list[Row], deaths: int) -> Failed | None:
        """Decide what a hang or a death means: add the row of a forfeited game to `known`; a Failed ends the run.

        Raise Stopped if the worker was killed by `stop`.
        """
        worker.release()
        self._worker = None
        if self._stopped:
            raise Stopped from None
        if worker.loading is not None:
            return self._judge_loading(worker, worker.loading, deaths)
        snapshot = worker.snapshot()
        game = next((game for task in tasks if (game := find_game(task, snapshot.key))), None)
        if snapshot.hook is None or game is None:
            return self._judge_idle(worker, deaths)
        kind = ForfeitKind.CRASH if worker.overdue is None else ForfeitKind.TIMEOUT
        row = cut_row(self.job.game, game, snapshot, kind, worker.how)
        if row is None:
            self._report(worker, f"replaying game {game.name}")
            return None
        bot = game.first if row.forfeit_by == 1 else game.second
        if worker.overdue is None:
            self._deaths[game.key] += 1
            own_process = self.job.level_of(bot).own_process
            if own_process and self._deaths[game.key] >= MOST_DEATHS:
                text = f"workers keep dying in games of {game.first} against {game.second}: {worker.how}"
                return Failed(text, ours=False)
            if own_process or self._deaths[game.key] < 2:
                self._report(worker, f"replaying game {game.name}")
                return None
        did = "forfeits" if row.forfeit else "has failed after"
        self._report(worker, f"{bot} {did} game {game.name} ({kind})")
        known.append(row)
        return None

    def _judge_idle(self, worker: WorkerProcess, deaths: int) -> Failed | None:
        """Decide what a hang or a death means while no bot is at work."""
        self._report(worker, "replaying its games")
        if deaths < (MOST_GARBLED if worker.garbled else MOST_DEATHS):
            return None
        ours = not (self.job.isolated or worker.garbled)
        return Failed(f"workers keep dying with no bot at work: {worker.how}", ours=ours)

    def _judge_loading(self, worker: WorkerProcess, number: int, deaths: int) -> Failed | None:
        """Decide what a hang or a death while loading means: a bot's file that cannot be run loses no game."""
        bot = self.job.bots[number]
        if worker.overdue is None and deaths < 2:
            self._report(worker, "starting another one")
            return None
        text = f"the bot {bot.target} cannot be loaded: {worker.how}"
        alone = self.job.workers == 1
        if worker.no_memory:
            text = f"there is not enough memory to load the bot {bot.target}"
            if (memory_mb := self.job.limits.memory_mb) is not None:
                text += f": memory_mb of [limits] allows {memory_mb:,} MiB"
            elif not alone:
                text += f" in {self.job.workers} workers, which share it; play with fewer (--workers)"
        # what a worker with all memory to itself cannot load is the bot's fault
        return Failed(text, ours=False, bot=bot.name if alone or not worker.no_memory else None)

    def _report(self, worker: WorkerProcess, then: str) -> None:
        self.report(Lost(f"worker {worker.pid}: {worker.how}; {then}"))
