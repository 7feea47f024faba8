"""The inside of a worker process: loads the bots once, then plays chunk after chunk.

A worker and its supervisor (`arena.runner.supervisor`) share three things: a pair of pipes for chunks and
results, the referee's trail (`arena.referee.move_log`), and a few numbers, the board, that say which unit is being
played and let the supervisor ask for a stop. All messages are plain values, written by marshal.
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
from multiprocessing.connection import Connection
from time import perf_counter
from typing import Any, TypeAlias

from arena.errors import ArenaError
from arena.game.rules import load_rules
from arena.isolation.process import running
from arena.isolation.python.bot import Household, IsolatedBot
from arena.isolation.wire.bot import WireBot
from arena.match.results import Row
from arena.match.tasks import PAIRING_BITS
from arena.players.bot import Actor, TimeLeft
from arena.players.loading import LoadedBot, load_bot
from arena.players.output import BotOutput, redirected
from arena.players.spec import BotSpec
from arena.processes.affinity import pin_to_core
from arena.processes.procfs import has_children, memory_in_use
from arena.processes.rlimits import limit_memory, no_core_dumps
from arena.processes.tree import adopt_orphans, kill_orphans, lead_group
from arena.processes.worker_setup import die_with_parent
from arena.referee.lockstep import Lockstep
from arena.referee.move_log import shared_buffer
from arena.referee.player import Player
from arena.referee.process_state import ProcessState
from arena.referee.referee import Referee
from arena.referee.rows import GameSettings
from arena.runner import logs
from arena.runner.job import Job, unpack_chunk

log = logging.getLogger("arena.worker")

# The board: numbers in shared memory.
STATE, STOP, BOT, BEAT = range(4)
BOARD = 4
# What STATE says.
STARTING, LOADING, WAITING, AT_WORK = range(4)

# First value of a message to the supervisor.
READY, PART, DONE, BROKEN = "ready", "part", "done", "broken"

_PAIRING_GAME = (1 << PAIRING_BITS + 1) - 1  # the low bits of a game's key

NO_MEMORY = 77
"""Exit code of a worker that could not allocate what it needed for itself."""

LOOK_S = 0.02
FLUSH_S = 0.5
FLUSH_ROWS = 4000  # a megabyte: what is packed, sent and stored is still in the caches

Scores: TypeAlias = dict[int, tuple[int, int, int, int]]
"""By pairing: games, and of these won, drawn and lost by its bot `a`."""


def run_worker(
    job: Job,
    orders: Connection[Any, Any],
    results: Connection[Any, Any],
    said: Connection[Any, Any],
    memory: Any,
    board: Any,
    parent: int,
    place: int | None = None,
) -> None:
    """The whole life of a worker; never returns to the code that it was forked from.

    `place` is its number among the workers of this machine, if that is known.
    """
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to answer
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        faulthandler.disable()  # would write through descriptors that are not this process's own
        lead_group()
        die_with_parent(parent, orders)
        no_core_dumps()
        limit_memory(job.limits.memory_bytes(job.workers), beyond=job.limits.memory_mb is not None)
        logs.log_to(said, job.log_level)
        if job.isolated:
            adopt_orphans()
            pin_to_core(place)
        gc.freeze()  # what was inherited by fork is never looked at again
        _Worker(job, orders, results, memory, board).work()
    except (EOFError, BrokenPipeError, ConnectionResetError):
        pass  # the parent has gone
    except MemoryError:
        os._exit(NO_MEMORY)  # to be judged like any other death: a bot at work has taken it all
    except BaseException:
        with contextlib.suppress(OSError):
            results.send_bytes(marshal.dumps((BROKEN, False, traceback.format_exc())))
    finally:
        # no waiting for threads and no exit handlers: both may be a bot's
        os._exit(0)


class _Worker:
    def __init__(
        self, job: Job, orders: Connection[Any, Any], results: Connection[Any, Any], memory: Any, board: Any
    ) -> None:
        self.job = job
        self.orders = orders
        self.results = results
        self.board = board
        self.buffer = shared_buffer(memory)
        self.threads = threading.active_count()
        self.household = Household()
        self.together: Lockstep | None = None

    def work(self) -> None:
        speaker: list[Callable[[], tuple[str, int]]] = [lambda: ("arena", -1)]
        output = BotOutput(lambda: speaker[0]())
        with redirected(output, descriptors=True):
            try:
                referee = self._load()
                speaker[0] = referee.who
            except ArenaError as error:
                self.results.send_bytes(marshal.dumps((BROKEN, True, str(error))))
                return
            self.memory = memory_in_use()
            limit = self.job.limits.memory_bytes(self.job.workers)
            growth = self.job.limits.growth_mb << 20
            # a bot that has filled half of the memory there is must not leave the others without
            self.growth = growth if limit is None else min(growth, limit // 2)
            self.results.send_bytes(marshal.dumps((READY,)))
            while True:
                self.board[STATE] = WAITING
                order = marshal.loads(self.orders.recv_bytes())
                if order is None:
                    return
                self.board[STATE] = AT_WORK
                if not self._play(referee, *order):
                    output.end_lines()
                    return
                output.end_lines()

    # ------------------------------------------------------------ bots

    def _load(self) -> Referee:
        job = self.job
        players = []
        state = ProcessState()
        for number, spec in enumerate(job.bots):
            self.board[BOT] = number
            self.board[STATE] = LOADING
            players.append(self._player(number, spec))
        state.restore()  # one bot's file must not change the world of the others
        self.threads = threading.active_count()
        return Referee(settings_of(job), players, buffer=self.buffer)

    def _player(self, number: int, spec: BotSpec) -> Player:
        job = self.job
        level = job.level(number)
        if level == "none":
            return self._inside(load_bot(spec))
        rules = load_rules(job.rules)

        def remote() -> WireBot | IsolatedBot:
            if spec.command:
                return WireBot(spec, level, job.bot_limits, self.household)
            return IsolatedBot(spec, rules, level, job.bot_limits, self.household)

        one, other = remote(), remote()
        if number < self.household.most // 2:
            one.load()  # a file that cannot be run, a command that does not answer: known before the first game
            if settings_of(job).clock is not None:
                one.stand_by()
        return Player.pair(Player(spec.name, lambda: one), Player(spec.name, lambda: other))

    def _inside(self, loaded: LoadedBot) -> Player:
        return Player(
            loaded.name,
            self._with_threads(loaded.make),
            uses_random=loaded.uses_random,
            uses_numpy=loaded.uses_numpy,
            harmless=loaded.harmless,
        )

    def _with_threads(self, make: Callable[[], Actor]) -> Callable[[], Actor]:
        """Threads that a bot starts when it is made are its tools, made once; later ones outlive a game."""

        def made() -> Actor:
            before = threading.active_count()
            try:
                return make()
            finally:
                self.threads += threading.active_count() - before

        return made

    # ------------------------------------------------------------ games

    def _play(
        self, referee: Referee, packed: tuple[object, ...], cut: list[Row], broken: dict[str, tuple[str, str]]
    ) -> bool:
        """Play a chunk and send it in parts; False if this process should play no more.

        `cut` are rows of games that are not to be played, `broken` bots that cannot be made, with the
        reason: what the supervisor has found out from earlier workers.
        """
        for name, reason in broken.items():
            for player in referee.players[name].per_game_players:
                player.broken = reason
        known = {row[0]: row for row in cut}
        rows: list[Row] = []
        units = 0
        start = perf_counter()
        look = start + LOOK_S
        fresh = True
        if self.job.isolated and self.together is None:
            self.together = Lockstep(referee, self._look)
        together = None if known else self.together
        tasks = unpack_chunk(packed).tasks
        at = 0
        while at < len(tasks):
            done = together.play(tasks, at) if together else []
            if not done:
                done = [referee.play_unit(tasks[at], known)]
            at += len(done)
            units += len(done)
            for played in done:
                rows += played
            if threading.active_count() > self.threads:
                log.info("a bot left threads behind; this process is replaced")
                fresh = False
                break
            if self.board[STOP]:
                break
            now = perf_counter()
            if now >= look or any(row[3] for row in played):
                look = now + LOOK_S
                fresh = self._fresh()
                if not fresh:
                    break
            if now - start >= FLUSH_S or len(rows) >= FLUSH_ROWS:
                self._send(PART, units, rows, now - start)
                rows, units, start = [], 0, now
        self.household.listen()
        fresh = fresh and self._fresh()
        if not fresh:
            limit_memory(None)  # what a bot has left of it may not do to deliver
        self._send(DONE, units, rows, perf_counter() - start, fresh)
        return fresh

    def _look(self) -> bool:
        """Show that this process lives; is it to stop?"""
        self.board[BEAT] += 1
        return bool(self.board[STOP])

    def _send(self, kind: str, units: int, rows: list[Row], seconds: float, fresh: bool = True) -> None:
        self.results.send_bytes(marshal.dumps((kind, units, seconds, fresh, scores_of(rows), rows)))

    def _fresh(self) -> bool:
        """Has this process nothing of old games about it that could disturb the next?"""
        if has_children(running):
            if not self.job.isolated:
                log.info("a bot left processes behind; this process is replaced")
                return False
            kill_orphans(running)
        grown = memory_in_use() - self.memory
        if grown > self.growth:
            log.info("this process has grown by %d MB; it is replaced", grown >> 20)
            return False
        return True


def settings_of(job: Job) -> GameSettings:
    """What all games of a run have in common."""
    clock = None
    if job.clock.move_ms is not None or job.clock.bank_ms is not None:
        clock = TimeLeft(job.clock.move_ms, job.clock.bank_ms)
    return GameSettings(load_rules(job.rules), job.seed, clock)


def scores_of(rows: Sequence[Row]) -> Scores:
    """The sums of some games by pairing."""
    tally: dict[int, int] = {}  # by pairing, who began, and score
    for row in rows:
        what = (row[0] & _PAIRING_GAME) << 2 | row[1]
        tally[what] = tally.get(what, 0) + 1
    sums: dict[int, list[int]] = {}
    for what, games in tally.items():
        score = what & 3
        if what >> 2 & 1:
            score = 2 - score
        total = sums.setdefault(what >> 3, [0, 0, 0, 0])
        total[0] += games
        total[3 - score] += games
    return {pairing: (t[0], t[1], t[2], t[3]) for pairing, t in sums.items()}
