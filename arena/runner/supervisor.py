"""The outside of a worker process: starts it, gives it chunks, sees when it hangs or dies, and judges why.

A bot cannot be told from inside that it hangs in C code, and a process cannot report its own death. The
supervisor can: the referee's trail in shared memory tells which game was being played, whose turn it was and
which moves had been made. So a hang or a death is that bot's forfeit of that game, and everything else is
played as if nothing had happened:

* A call of a bot that lasts longer than the job allows: the process is killed, the game ends as `timeout`.
* The process dies while a bot is being asked: that may have come from outside, so the game is played once
  more. If the process dies again at the same place, it was the bot: the game ends as `crash`.
* The process dies while no bot is being asked: the units that were not delivered are played again.
"""

from __future__ import annotations

import contextlib
import marshal
import multiprocessing
import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.context import BaseContext, ForkContext, SpawnContext
from typing import Any, cast

from arena.match.results import Row
from arena.match.tasks import Chunk, GameId, GameTask, Task
from arena.processes.forking import fork_lock
from arena.processes.tree import end_descendants, kill_group, kill_with_group
from arena.processes.worker_setup import widen_pipe
from arena.referee.move_log import SIZE, LogSnapshot, read_snapshot, shared_buffer
from arena.referee.rows import cut_row, find_game
from arena.runner.executors.base import Event, Failed, Lost, Played
from arena.runner.job import Job, pack_chunk
from arena.runner.logs import Sink, WorkerLog
from arena.runner.worker import (
    BOARD,
    BOT,
    BROKEN,
    DONE,
    LOADING,
    NO_MEMORY,
    STATE,
    STOP,
    run_worker,
    settings_of,
)

_TICK_S = 0.1
_LONGEST_TICK_S = 0.5  # a longer pause means that this process was stopped, and the worker too, perhaps
_STALL_S = 60.0
_DEATHS = 5  # of workers one after the other, with nothing played and no bot to blame


def start_method() -> str:
    """`fork` where it is safe and multiprocessing-logging can be used, else `spawn`."""
    return "fork" if sys.platform == "linux" else "spawn"


class Stopped(Exception):
    """The supervisor was told to stop at once."""


class Supervisor:
    """Plays chunks in a worker process, which is replaced as often as need be.

    `play` and `close` are called from one thread, which must live as long as the supervisor is in use;
    `stop` and `drain` from any.
    """

    def __init__(
        self,
        job: Job,
        report: Callable[[Event], None],
        sink: Sink,
        method: str | None = None,
        place: int | None = None,
    ) -> None:
        self.job = job
        self.report = report
        self.sink = sink
        self.context: BaseContext = multiprocessing.get_context(method or start_method())
        self._settings = settings_of(job)
        self._place = place
        self._worker: _Process | None = None
        self._draining = False
        self._stopped = False
        self._suspects: Counter[LogSnapshot] = Counter()
        self._broken: dict[str, tuple[str, str]] = {}

    def drain(self) -> None:
        """Let `play` return after the unit in hand."""
        self._draining = True
        worker = self._worker
        if worker is not None:
            worker.board[STOP] = 1

    def stop(self) -> None:
        """Kill the worker; `play` raises Stopped."""
        self._stopped = True
        worker = self._worker
        if worker is not None:
            worker.kill()

    def close(self) -> None:
        """End the worker if there is one."""
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.kill()
            worker.bury()

    def play(self, chunk: Chunk) -> None:
        """Play a chunk, reporting its units as they are done: all of them, unless draining or `Failed`."""
        tasks = chunk.tasks
        known: list[Row] = []
        deaths = 0
        while tasks and not self._draining:
            worker = self._alive()
            try:
                worker.await_ready()
                worker.order(pack_chunk(Chunk(chunk.number, tasks)), known, self._broken)
                while True:
                    part = worker.receive()
                    if part.units:
                        self.report(part.played(chunk.number, tasks))
                        tasks = tasks[part.units :]
                        known = [row for row in known if any(find_game(task, row[0]) for task in tasks)]
                        deaths = 0
                    if part.last:
                        break
                if not part.fresh:
                    self.close()
            except _Refused as refused:
                self.close()
                self.report(refused.failed)
                return
            except _Dead:
                worker.bury()
                self._worker = None
                if self._stopped:
                    raise Stopped from None
                deaths += 1
                failed = self._judge(worker, tasks, known, deaths)
                if failed is not None:
                    self.report(failed)
                    return

    def _alive(self) -> _Process:
        if self._worker is None:
            self._worker = _Process(self.job, self.context, self.sink, self._place)
        if self._draining:
            self._worker.board[STOP] = 1
        if self._stopped:  # perhaps between the two
            self.close()
            raise Stopped
        return self._worker

    # ------------------------------------------------------------ why did it die?

    def _judge(
        self, worker: _Process, tasks: tuple[Task, ...], known: list[Row], deaths: int
    ) -> Failed | None:
        """Find out what a death means. Adds the row of a game that a bot has forfeited by it to `known`."""
        if worker.board[STATE] == LOADING:
            return self._not_loaded(worker, deaths)
        snapshot = read_snapshot(worker.buffer)
        game = next((game for task in tasks if (game := find_game(task, snapshot.key))), None)
        if snapshot.hook is None or game is None:
            self._say(worker, "its games are played again")
            if deaths >= _DEATHS:
                return Failed(f"workers die again and again with no bot at work: {worker.how}", ours=True)
            return None
        self._suspects[snapshot] += 1
        if worker.overdue is None and self._suspects[snapshot] < 2:
            self._say(worker, f"while a bot was at work: game {GameId.from_key(game.key)} is played again")
            return None
        del self._suspects[snapshot]
        kind = "crash" if worker.overdue is None else "timeout"
        if snapshot.hook == "__init__":
            name = game.first if snapshot.role == 1 else game.second
            self._broken[name] = (kind, f"in __init__: {worker.how}")
            self._say(worker, f"{name} cannot be made and forfeits its games")
            return None
        return self._forfeit(worker, game, snapshot, kind, known)

    def _forfeit(
        self, worker: _Process, game: GameTask, snapshot: LogSnapshot, kind: str, known: list[Row]
    ) -> Failed | None:
        row = cut_row(self._settings, game, snapshot, kind, worker.how)
        if row is None:
            self._say(worker, "its games are played again")
            return None
        loser = game.first if row[4] == 1 else game.second
        self._say(worker, f"{loser} forfeits game {GameId.from_key(game.key)} ({kind})")
        known.append(row)
        return None

    def _not_loaded(self, worker: _Process, deaths: int) -> Failed | None:
        """A bot's file that cannot be run is a mistake in what was asked for, not the loss of a game."""
        if worker.overdue is None and deaths < 2:
            self._say(worker, "another takes its place")
            return None
        bot = self.job.bots[worker.board[BOT]]
        return Failed(f"the bot {bot.target} cannot be loaded: {worker.how}", ours=False, bot=bot.name)

    def _say(self, worker: _Process, then: str) -> None:
        self.report(Lost(f"worker {worker.pid}: {worker.how}; {then}"))


# ---------------------------------------------------------------- the process


class _Dead(Exception):
    """The worker has died or was killed."""


class _Refused(Exception):
    """The worker says that it cannot go on."""

    def __init__(self, failed: Failed) -> None:
        super().__init__(failed.text)
        self.failed = failed


@dataclass(frozen=True)
class _Part:
    """What a worker delivers at a time."""

    last: bool
    units: int
    seconds: float
    fresh: bool
    scores: dict[int, tuple[int, ...]]
    rows: list[Row]

    def played(self, number: int, tasks: tuple[Task, ...]) -> Played:
        done = Chunk(number, tasks[: self.units])
        return Played(done, self.seconds, self.scores, self.rows)


class _Process:
    """One worker process, seen from outside."""

    def __init__(self, job: Job, context: BaseContext, sink: Sink, place: int | None) -> None:
        self.job = job
        self.overdue: str | None = None
        self.how = "it died"
        self._ready = False
        assert isinstance(context, ForkContext | SpawnContext)
        with fork_lock:  # a worker forked meanwhile would inherit the ends of these pipes
            orders, self._orders = context.Pipe(duplex=False)
            self._results, results = context.Pipe(duplex=False)
            widen_pipe(results.fileno())
            memory = context.RawArray("B", 2 * SIZE)
            self.board: Any = context.RawArray("q", BOARD)
            self.buffer = shared_buffer(memory, clear=True)
            self._log = WorkerLog(context, sink)
            args = (job, orders, results, self._log.sender, memory, self.board, os.getpid(), place)
            self.process = context.Process(target=run_worker, args=args, name="arena worker")
            with _may_have_children():
                self.process.start()
            orders.close()
            results.close()
            self._log.receive()
        assert self.process.pid is not None
        self.pid = self.process.pid
        self._seen = time.monotonic()
        self._still = 0.0
        self._last = b""

    def await_ready(self) -> None:
        """Wait until the bots are loaded."""
        if not self._ready:
            self._message()
            self._ready = True

    def order(self, packed: tuple[object, ...], known: list[Row], broken: dict[str, tuple[str, str]]) -> None:
        """Give it a chunk. It is waiting for one, so this does not block."""
        self._still = 0.0
        try:
            self._orders.send_bytes(marshal.dumps(cast(Any, (packed, known, broken))))
        except OSError:
            raise _Dead from None

    def receive(self) -> _Part:
        """The next part of the chunk."""
        kind, *part = self._message()
        return _Part(kind == DONE, *part)

    def _message(self) -> tuple[Any, ...]:
        try:
            while not self._results.poll(_TICK_S):
                self._watch()
            message: tuple[Any, ...] = marshal.loads(self._results.recv_bytes())
        except (EOFError, OSError):
            raise _Dead from None
        if message[0] == BROKEN:
            loading = message[1] and self.board[STATE] == LOADING
            bot = self.job.bots[self.board[BOT]].name if loading else None
            raise _Refused(Failed(message[2], ours=not message[1], bot=bot))
        self._still = 0.0
        return message

    def _watch(self) -> None:
        """Look whether anything has moved; kill the process if not for too long."""
        if not self.process.is_alive():  # what its bots have started may hold the pipe open
            raise _Dead
        now = time.monotonic()
        passed, self._seen = now - self._seen, now
        look = bytes(self.buffer) + bytes(self.board)
        if look != self._last:
            self._last, self._still = look, 0.0
            return
        self._still += min(passed, _LONGEST_TICK_S)
        limit, text = self._patience()
        if self._still > limit:
            self.overdue = text
            self.kill()
            raise _Dead

    def _patience(self) -> tuple[float, str]:
        if self.board[STATE] == LOADING:
            limit = self.job.loading_patience_s(self.board[BOT])
            return limit, f"it was not done within {limit:g} s"
        if read_snapshot(self.buffer).hook is None:
            return _STALL_S, f"it made no progress for {_STALL_S:g} s"
        limit = self.job.patience_s
        return limit, f"no answer within {limit:g} s"

    def kill(self) -> None:
        """Stop it and all that it has started, at once."""
        if self.job.isolated:
            end_descendants(self.pid)
        kill_with_group(self.pid)

    def bury(self) -> None:
        """Wait for its end, note how it ended, and let go of everything."""
        self.process.join(2.0)
        if self.process.exitcode is None:
            self.kill()
            self.process.join()
        else:
            kill_group(self.pid)
        self.how = self.overdue or _how(self.process.exitcode)
        for end in (self._orders, self._results):
            end.close()
        self._log.close()
        self.process.close()


def _how(code: int | None) -> str:
    """How a process ended.

    >>> _how(-9), _how(3)
    ('the process was killed by SIGKILL', 'the process ended itself with exit code 3')
    """
    if code == NO_MEMORY:
        return "there was no memory left"
    if code is not None and code < 0:
        name = str(-code)
        with contextlib.suppress(ValueError):
            name = signal.Signals(-code).name
        return f"the process was killed by {name}"
    return f"the process ended itself with exit code {code}"


@contextmanager
def _may_have_children() -> Iterator[None]:
    """Let this process start others even if it is a daemon, as Dask's workers are.

    That rule of multiprocessing is there because daemons are killed without regard for their children; ours
    die with their parent.
    """
    config: dict[str, Any] = getattr(multiprocessing.current_process(), "_config", {})
    daemon = config.get("daemon", False)
    config["daemon"] = False
    try:
        yield
    finally:
        config["daemon"] = daemon
