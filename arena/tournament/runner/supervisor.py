"""Supervises a worker process: gives it chunks, and replaces it when it hangs or dies.

A bot that hangs in C code cannot be interrupted from inside, and a process cannot report its own death. The referee's
move log in shared memory says which game was being played, whose turn it was and which moves had been made, so the
supervisor can tell what a hang or a death means:

* A call of a bot lasts longer than the job allows: the worker is killed, and the bot forfeits the game by `timeout`.
* The worker dies while a bot that lives in it is at work: the game is played again, since the cause may have come from
  outside. If the worker dies again in the same game, the bot forfeits it by `crash`.
* The worker dies while a bot that has a process of its own is at work: the game is played again. Such a bot cannot
  crash the worker by accident, and in the sandbox it can signal nobody, so after `MOST_DEATHS` deaths in the same game
  the run stops with a message that names both bots.
* The worker dies twice while it loads a bot: the run stops, because the bot's file cannot be run.
* The worker dies while no bot is at work: the units that were not delivered are played again.
"""

from __future__ import annotations

import multiprocessing
import sys
from collections import Counter
from collections.abc import Callable
from multiprocessing.context import BaseContext

from arena.endings import ForfeitKind
from arena.tournament.match.results import Row
from arena.tournament.match.tasks import Chunk, GameId, Task
from arena.tournament.referee.rows import cut_row, find_game
from arena.tournament.runner.executors import Event, Failed, Lost, Played
from arena.tournament.runner.job import Job
from arena.tournament.runner.logs import Sink
from arena.tournament.runner.worker_process import WorkerDied, WorkerProcess, WorkerRefused

MOST_DEATHS = 5


class Stopped(Exception):
    """The supervisor was told to stop at once."""


class Supervisor:
    """Plays chunks in a worker process, which is replaced as often as necessary.

    `play` and `close` are called from one thread, which must live as long as the supervisor is in use;
    `stop` and `drain` from any.
    """

    def __init__(
        self,
        job: Job,
        report: Callable[[Event], None],
        sink: Sink,
        method: str | None = None,
        number: int | None = None,
    ) -> None:
        self.job = job
        self.report = report
        self.sink = sink
        # fork is much faster, and safe on Linux
        default = "fork" if sys.platform == "linux" else "spawn"
        self.context: BaseContext = multiprocessing.get_context(method or default)
        self._place = number
        self._settings = job.game_settings
        self._worker: WorkerProcess | None = None
        self._draining = False
        self._stopped = False
        self._deaths: Counter[int] = Counter()  # of workers, by the key of the game
        self._broken: dict[str, tuple[str, str]] = {}

    def drain(self) -> None:
        """Let `play` return after the unit in hand."""
        self._draining = True
        if (worker := self._worker) is not None:
            worker.ask_to_stop()

    def stop(self) -> None:
        """Kill the worker; `play` raises Stopped."""
        self._stopped = True
        if (worker := self._worker) is not None:
            worker.kill()

    def close(self) -> None:
        """End the worker if there is one."""
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.kill()
            worker.release()

    @property
    def moves(self) -> int:
        """Moves made in the game that is being played; for display, read from any thread."""
        worker = self._worker
        return 0 if worker is None else len(worker.snapshot().moves)

    def load(self) -> Failed | None:
        """Load the bots and play nothing; what would end the run, or None."""
        deaths = 0
        while True:
            worker = self._living_worker()
            try:
                worker.await_ready()
                return None
            except WorkerRefused as refused:
                self.close()
                return refused.failed
            except WorkerDied:
                worker.release()
                self._worker = None
                deaths += 1
                failed = self._judge(worker, (), [], deaths)
                if failed is not None:
                    return failed

    def play(self, chunk: Chunk) -> None:
        """Play a chunk, reporting its units as they are done: all of them, unless draining or `Failed`."""
        tasks = chunk.tasks
        known: list[Row] = []
        deaths = 0
        while tasks and not self._draining:
            worker = self._living_worker()
            try:
                worker.await_ready()
                worker.play(tasks, known, self._broken)
                last = False
                while not last:
                    last, reusable, units, seconds, scores, rows = worker.receive()
                    if units:
                        self.report(Played(Chunk(chunk.number, tasks[:units]), seconds, scores, rows))
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
                worker.release()
                self._worker = None
                if self._stopped:
                    raise Stopped from None
                deaths += 1
                failed = self._judge(worker, tasks, known, deaths)
                if failed is not None:
                    self.report(failed)
                    return

    def _living_worker(self) -> WorkerProcess:
        if self._worker is None:
            self._worker = WorkerProcess(self.job, self.context, self.sink, self._place)
        if self._draining:
            self._worker.ask_to_stop()
        if self._stopped:  # perhaps since `play` began
            self.close()
            raise Stopped
        return self._worker

    # ------------------------------------------------------------ why did it die?

    def _judge(self, worker: WorkerProcess, tasks: tuple[Task, ...], known: list[Row], deaths: int) -> Failed | None:
        """Decide what a hang or a death means: adds the row of a forfeited game to `known`; Failed ends the run."""
        if worker.loading is not None:
            return self._judge_loading(worker, worker.loading, deaths)
        snapshot = worker.snapshot()
        game = next((game for task in tasks if (game := find_game(task, snapshot.key))), None)
        if snapshot.hook is None or game is None:
            self._report(worker, "replaying its games")
            if deaths < MOST_DEATHS:
                return None
            return Failed(f"workers keep dying with no bot at work: {worker.how}", ours=not self.job.isolated)
        name = f"game {GameId.from_key(game.key)}"
        row = None
        if snapshot.hook == "__init__":
            bot = game.first if snapshot.role == 1 else game.second
        else:
            kind = ForfeitKind.CRASH if worker.overdue is None else ForfeitKind.TIMEOUT
            row = cut_row(self._settings, game, snapshot, kind, worker.how)
            if row is None:
                self._report(worker, f"replaying {name}")
                return None
            bot = game.first if row.forfeit_by == 1 else game.second
        if worker.overdue is None:
            self._deaths[game.key] += 1
            if self.job.level_of(bot).own_process and self._deaths[game.key] >= MOST_DEATHS:
                text = f"workers keep dying in games of {game.first} against {game.second}: {worker.how}"
                return Failed(text, ours=False, pair=(game.first, game.second))
            if self.job.level_of(bot).own_process or self._deaths[game.key] < 2:
                self._report(worker, f"replaying {name} ({game.first} against {game.second})")
                return None
        if row is None:
            self._broken[bot] = (
                ForfeitKind.CRASH if worker.overdue is None else ForfeitKind.TIMEOUT,
                f"in __init__: {worker.how}",
            )
            self._report(worker, f"{bot} cannot be created and forfeits its games")
        else:
            did = "forfeits" if row.forfeit else "has failed after"
            self._report(worker, f"{bot} {did} {name} ({kind})")
            known.append(row)
        return None

    def _judge_loading(self, worker: WorkerProcess, number: int, deaths: int) -> Failed | None:
        """A bot's file that cannot be run is a mistake in what was asked for, not the loss of a game."""
        bot = self.job.bots[number]
        if worker.overdue is None and deaths < 2:
            self._report(worker, "starting another one")
            return None
        return Failed(f"the bot {bot.target} cannot be loaded: {worker.how}", ours=False, bot=bot.name)

    def _report(self, worker: WorkerProcess, then: str) -> None:
        self.report(Lost(f"worker {worker.pid}: {worker.how}; {then}"))
