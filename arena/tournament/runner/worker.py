"""Run in a worker process: load the bots once, then play chunk after chunk.

A worker and its supervisor (`arena.tournament.runner.supervisor`) share three things: a pair of pipes for chunks and
results, the referee's move log (`arena.tournament.move_log`), and a few numbers, the status, that say what the worker
is doing and let the supervisor ask for a stop. Results are plain values, written by marshal: what comes from a
process that bots live in is never unpickled.
"""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import logging
import marshal
import os
import signal
import threading
import traceback
from collections.abc import Callable, Sequence
from dataclasses import replace
from multiprocessing.connection import Connection
from time import perf_counter
from typing import Any

from arena.bots.bot import Actor, BotFault
from arena.bots.cores import pin_to_core
from arena.bots.faults import BotError, author_traceback
from arena.bots.isolation.process import BotProcess, own_children, watch_bots
from arena.bots.isolation.remote_bot import ProcessPool, RemoteBot
from arena.bots.limits import WORKER_OOM_SCORE, Launch, limit_memory, memory_in_use, no_core_dumps, set_oom_score
from arena.bots.loading import load_bot
from arena.bots.output import BotOutput, redirected
from arena.bots.processes import (
    adopt_orphans,
    die_with_parent,
    forget_descriptors,
    has_children,
    keep_from_forks,
    kill_orphans,
    lead_group,
)
from arena.endings import ForfeitKind
from arena.errors import ArenaError
from arena.stats import other_side
from arena.tournament.games import PAIRING_BITS, Row, Task
from arena.tournament.move_log import shared_buffer
from arena.tournament.process_state import ProcessState
from arena.tournament.referee import Player, Referee
from arena.tournament.runner.job import Job, bot_limits
from arena.tournament.runner.logs import log_to

_log = logging.getLogger("arena.worker")

# The status: numbers in shared memory. LOADING is the place of the bot that is being loaded, from 1, else 0.
STOP, LOADING, BEAT = range(3)
STATUS_SIZE = 3

# The first value of a message to the supervisor.
READY, PART, UNITS_DONE, CHUNK_REFUSED = "ready", "part", "done", "refused"

_PAIRING_GAME = (1 << PAIRING_BITS + 1) - 1  # the low bits of a game's key

NO_MEMORY = 77
"""Exit code of a worker that could not allocate what it needed for itself."""

_exit = os._exit  # a bot may replace that name
_CHECK_S = 0.02
_SEND_S = 0.5
_SEND_ROWS = 4000  # a megabyte: what is packed, sent and stored is still in the caches


def run_worker(
    job: Job,
    chunks: Connection[Any, Any],
    results: Connection[Any, Any],
    records: Connection[Any, Any],
    move_log: Any,
    status: Any,
    parent: int,
    worker_number: int | None = None,
) -> None:
    """Run a worker from beginning to end; never return to the code that it was forked from.

    `worker_number` is its number among the workers of this machine, if that is known.
    """
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to answer
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        if hasattr(signal, "SIGHUP"):
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
        faulthandler.disable()  # would write through descriptors that are not this process's own
        lead_group()
        forget_descriptors(chunks.fileno(), results.fileno(), records.fileno())
        die_with_parent(parent)
        keep_from_forks(move_log)
        no_core_dumps()
        set_oom_score(WORKER_OOM_SCORE)
        limit_memory(job.limits.memory_bytes(job.workers))
        log_to(records)
        if job.isolated:
            adopt_orphans()
            pin_to_core(worker_number)
        gc.freeze()  # what was inherited by fork is never garbage
        _Worker(job, chunks, results, move_log, status).work()
    except (EOFError, BrokenPipeError, ConnectionResetError):
        pass  # the parent has ended
    except MemoryError:
        _exit(NO_MEMORY)  # to be judged like any other death: a bot at work has taken it all
    except BaseException:
        with contextlib.suppress(OSError):
            results.send_bytes(marshal.dumps((CHUNK_REFUSED, False, traceback.format_exc())))
    finally:
        # no waiting for threads and no exit handlers: both may be a bot's
        _exit(0)


class _Worker:
    """Plays chunks with the bots of a job, which it loads once.

    Where bots share a process with it, a worker is replaced when they leave something behind that could disturb the
    next game: threads, processes, too much memory.
    """

    def __init__(
        self,
        job: Job,
        chunks: Connection[Any, Any],
        results: Connection[Any, Any],
        move_log: Any,
        status: Any,
    ) -> None:
        self.job = job
        self.chunks = chunks
        self.results = results
        self.status = status
        self.move_log = shared_buffer(move_log)
        self.threads = threading.active_count()
        self.pool = ProcessPool()  # of bots in processes of their own

    def work(self) -> None:
        """Load the bots and play chunks until the process has to be replaced."""
        referee: Referee | None = None

        def speaker() -> tuple[str, str]:
            return ("arena", "") if referee is None else referee.who()

        with redirected(BotOutput(speaker), descriptors=True) as output:
            try:
                referee = self._load()
            except ArenaError as error:
                self._send(CHUNK_REFUSED, True, str(error))
                return
            self.memory = memory_in_use()
            limit = self.job.limits.memory_bytes(self.job.workers)
            growth = self.job.limits.growth_mb << 20
            # a bot that has filled half of the available memory must not leave the others without any
            self.growth = growth if limit is None else min(growth, limit // 2)
            self._send(READY)
            reusable = True
            try:
                while reusable:
                    task_type, plain_tasks, cut = self.chunks.recv()
                    tasks = [task_type._make(plain) for plain in plain_tasks]
                    reusable = self._play(referee, tasks, {row.id: row for row in cut})
                    output.end_lines()
            finally:
                self.pool.close()

    # ------------------------------------------------------------ bots

    def _load(self) -> Referee:
        players = []
        state = ProcessState()
        for number in range(len(self.job.bots)):
            self.status[LOADING] = number + 1
            players.append(self._player(number))
            if self.job.is_trial:
                self._try(players[-1], number)
            if not self.job.level(number).own_process:
                state.restore()  # one bot's file must not change the world of the others
        self.status[LOADING] = 0
        self.threads = threading.active_count()
        return Referee(self.job.game, players, buffer=self.move_log)

    def _try(self, player: Player, number: int) -> None:
        """Make a bot for the first time; BotError if that fails."""
        try:
            player.prepare(True)
        except BaseException as error:
            why = error.detail.removeprefix("in __init__: ") if isinstance(error, BotFault) else author_traceback(error)
            what = "raises an exception when it is made:\n" if "\n" in why else "cannot be made: "
            raise BotError(f"the bot {self.job.bots[number].target} {what}{why}") from error

    def _player(self, number: int) -> Player:
        job, spec = self.job, self.job.bots[number]
        if job.level(number).own_process:
            remote = RemoteBot(spec, job.game.rules, job.level(number), bot_limits(job.limits), self.pool, self._start)
            if 2 * number < self.pool.most:
                remote.load()  # a file that cannot be run, a command that does not answer: known before the first game
                remote.suspend()
            return Player(spec.name, lambda: remote)
        bot = load_bot(spec)

        def make() -> Actor:
            """Make the bot; threads that it starts meanwhile are its tools, later ones outlive a game."""
            before = threading.active_count()
            try:
                return bot.make()
            finally:
                self.threads += threading.active_count() - before

        return Player.of(bot, make)

    def _start(self, launch: Launch, hear: Callable[[bytes], object]) -> BotProcess:
        environment = {**launch.environment, "PYTHONHASHSEED": "1" if self.job.backwards else "0"}
        return BotProcess(replace(launch, environment=environment), hear, self._beat)

    # ------------------------------------------------------------ games

    def _play(self, referee: Referee, tasks: Sequence[Task], known: dict[int, Row]) -> bool:
        """Play units and send them in parts, up to the first in which, without a clock, a bot gave no answer in time.

        Return False if this process must be replaced.

        `known` are rows, by key, of games that must not be played: forfeits for the deaths of earlier workers.
        """
        rows: list[Row] = []
        units = done = 0
        reusable, silent = True, False
        sent_at = perf_counter()
        next_check = sent_at + _CHECK_S
        while done < len(tasks):
            fresh = referee.play_unit(tasks[done], known)
            done += 1
            units += 1
            rows += fresh
            failures = [row.forfeit for row in fresh if row.forfeit_by]
            silent = ForfeitKind.TIMEOUT.code in failures and not self.job.clocked
            if threading.active_count() > self.threads:
                task = tasks[done - 1]
                _log.warning("%s or %s left threads behind; replacing this process", task.a, task.b)
                reusable = False
                break
            if silent or self._is_stopping():  # the supervisor hands back what else a silent bot would play
                break
            now = perf_counter()
            if now >= next_check or failures:
                next_check = now + _CHECK_S
                reusable = self._is_clean()
                if not reusable:
                    break
            # the last ones are sent below, after everything printed: who has all games may end this process
            if done < len(tasks) and (now - sent_at >= _SEND_S or len(rows) >= _SEND_ROWS):
                self._send_rows(PART, units, True, False, rows)
                rows, units, sent_at = [], 0, now
        self.pool.log_output()
        reusable = reusable and self._is_clean()
        if not reusable:
            limit_memory(None)  # a bot may have left too little memory to send the rows
        self._send_rows(UNITS_DONE, units, reusable, silent, rows)
        return reusable

    def _send_rows(self, kind: str, units: int, reusable: bool, silent: bool, rows: Sequence[Row]) -> None:
        plain = list(map(tuple, rows))  # marshal knows no named tuples
        self._send(kind, units, reusable, silent, scores_of(rows), plain)

    def _send(self, kind: str, *values: Any) -> None:
        self.results.send_bytes(marshal.dumps((kind, *values)))

    def _beat(self) -> None:
        """Show the supervisor that this process lives."""
        self.status[BEAT] += 1

    def _is_stopping(self) -> bool:
        """Return whether the supervisor has asked for a stop."""
        return bool(self.status[STOP])

    def _is_clean(self) -> bool:
        """Return whether nothing of earlier games is left that could disturb the next one."""
        if self.job.isolated:  # end bots that use more than they may, and what they have left behind
            watch_bots()
            kill_orphans(own_children())
        elif has_children():
            _log.info("a bot left processes behind; replacing this process")
            return False
        grown = memory_in_use() - self.memory
        if grown > self.growth:
            _log.info("this process has grown by %d MB; replacing it", grown >> 20)
            return False
        return True


def scores_of(rows: Sequence[Row]) -> dict[int, list[int]]:
    """Count by pairing: games, wins, draws and losses of its bot `a`, forfeits of `a` and of `b`."""
    sums: dict[int, list[int]] = {}
    for row in rows:
        pairing, swapped = divmod(row.id & _PAIRING_GAME, 2)
        score = other_side(row.score, total=2) if swapped else row.score
        total = sums.setdefault(pairing, [0, 0, 0, 0, 0, 0])
        total[0] += 1
        total[3 - score] += 1
        if row.forfeit:
            total[4 if row.forfeit_by == 1 + swapped else 5] += 1
    return sums
