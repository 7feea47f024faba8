"""Supervises a worker process: gives it chunks, replaces it when it hangs or dies, and judges why it did.

A bot cannot be told from inside that it hangs in C code, and a process cannot report its own death. The
supervisor can do both: the referee's move log in shared memory says which game was being played, whose turn it was
and which moves had been made. So a hang or a death is that bot's forfeit of that game, and everything else is
played as if nothing had happened:

* A call of a bot lasts longer than the job allows: the process is killed, the game ends as `timeout`.
* The process dies, and bots have processes of their own: which of those at work did it, is found out by trials
  (`arena.tournament.runner.blame`).
* The process dies while a bot is being asked that lives in it. That may have come from outside, so the game is
  replayed. If the process dies again at the same place, it was the bot: the game ends as `crash`.
* The process, or this one, was stopped for a while, and a bot has lost by that: the games are played again, a few
  times, since a bot may have stopped the process that it plays in.
* The process dies while a bot is loaded: the bots that it had loaded by then are loaded alone. If none kills there,
  too, another process loads them.
* What the process sends is no message: a bot that lives in it has written to its pipe, and is found by trials, too.
* The process dies while no bot is being asked: the units that were not delivered are replayed.
"""

from __future__ import annotations

import multiprocessing
import sys
import time
from collections import Counter
from collections.abc import Callable
from multiprocessing.context import BaseContext

from arena.tournament.match.results import Row
from arena.tournament.match.tasks import Chunk, GameId, GameTask, Task
from arena.tournament.referee.move_log import LogSnapshot
from arena.tournament.referee.rows import cut_row, find_game
from arena.tournament.runner.blame import MOST_DEATHS, Deaths, kills_alone, kills_at_loading
from arena.tournament.runner.executors.base import Event, Failed, Lost, Played
from arena.tournament.runner.job import Job
from arena.tournament.runner.logs import Sink
from arena.tournament.runner.worker_process import WorkerDied, WorkerProcess, WorkerRefused

_MOST_NAMES = 12
_MAX_DEATHS = 5  # of workers one after the other, with nothing played and no bot to blame
_MOST_PAUSES = 3  # of workers that were playing the same unit


class Stopped(Exception):
    """The supervisor was told to stop at once."""


def _list(bots: set[str]) -> str:
    names = sorted(bots)
    return ", ".join(names[:_MOST_NAMES]) + f" and {len(names) - _MOST_NAMES} more" * (len(names) > _MOST_NAMES)


class Supervisor:
    """Plays chunks in a worker process, which is replaced as often as necessary.

    `play` and `close` are called from one thread, which must live as long as the supervisor is in use;
    `stop` and `drain` from any.
    """

    def __init__(
        self, job: Job, report: Callable[[Event], None], sink: Sink, method: str | None = None, place: int | None = None
    ) -> None:
        self.job = job
        self.report = report
        self.sink = sink
        # fork is much faster, and safe on Linux
        default = "fork" if sys.platform == "linux" else "spawn"
        self.context: BaseContext = multiprocessing.get_context(method or default)
        self._place = place
        self._settings = job.game_settings
        self._worker: WorkerProcess | None = None
        self._draining = False
        self._stopped = False
        self._suspects: Counter[LogSnapshot] = Counter()
        self._pauses: Counter[Task] = Counter()
        self._broken: dict[str, tuple[str, str]] = {}
        self._deaths = Deaths()

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
        apart = False
        while tasks and not self._draining:
            worker = self._living_worker(self._pauses[tasks[0]] < _MOST_PAUSES)
            try:
                worker.await_ready()
                worker.play(tasks, known, self._broken, apart)
                last = False
                while not last:
                    last, reusable, units, seconds, scores, rows = worker.receive()
                    if units:
                        self.report(Played(Chunk(chunk.number, tasks[:units]), seconds, scores, rows))
                        tasks = tasks[units:]
                        known = [row for row in known if any(find_game(task, row[0]) for task in tasks)]
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
                if worker.paused:
                    self._pauses[tasks[0]] += 1
                    self._report(worker, "replaying its games")
                    continue
                deaths += 1
                apart = True  # then it is seen in which game
                failed = self._judge(worker, tasks, known, deaths)
                if failed is not None:
                    self.report(failed)
                    return

    def _living_worker(self, excuses: bool = True) -> WorkerProcess:
        if self._worker is None:
            self._worker = WorkerProcess(self.job, self.context, self.sink, self._place)
        self._worker.excuses = excuses
        if self._draining:
            self._worker.ask_to_stop()
        if self._stopped:  # perhaps since `play` began
            self.close()
            raise Stopped
        return self._worker

    # ------------------------------------------------------------ why did it die?

    def _judge(self, worker: WorkerProcess, tasks: tuple[Task, ...], known: list[Row], deaths: int) -> Failed | None:
        """Find out what a death means. Adds the row of a game that a bot has forfeited by it to `known`."""
        if worker.loading is not None:
            return self._judge_loading(worker, worker.loading, deaths)
        snapshot = worker.snapshot()
        game = next((game for task in tasks if (game := find_game(task, snapshot.key))), None)
        if worker.garbled:  # noticed a moment after it was done, perhaps between two games
            return self._judge_by_trial(worker, tasks, game, snapshot, deaths)
        if worker.overdue is None and self.job.isolated:
            return self._judge_by_trial(worker, tasks, None if snapshot.hook is None else game, snapshot, deaths)
        if snapshot.hook is None or game is None:
            self._report(worker, "replaying its games")
            if deaths >= _MAX_DEATHS:
                return Failed(f"workers keep dying with no bot at work: {worker.how}", ours=True)
            return None
        self._suspects[snapshot] += 1
        if worker.overdue is None and self._suspects[snapshot] < 2:
            self._report(worker, f"a bot was at work, replaying game {GameId.from_key(game.key)}")
            return None
        del self._suspects[snapshot]
        kind = "crash" if worker.overdue is None else "timeout"
        if snapshot.hook == "__init__":
            name = game.first if snapshot.role == 1 else game.second
            self._broken[name] = (kind, f"in __init__: {worker.how}")
            self._report(worker, f"{name} cannot be created and forfeits its games")
            return None
        row = cut_row(self._settings, game, snapshot, kind, worker.how)
        if row is None:
            self._report(worker, "replaying its games")
        else:
            name = game.first if row[4] == 1 else game.second
            did = "forfeits" if row[3] else "has failed after"
            self._report(worker, f"{name} {did} game {GameId.from_key(game.key)} ({kind})")
            known.append(row)
        return None

    def _judge_by_trial(
        self, worker: WorkerProcess, tasks: tuple[Task, ...], game: GameTask | None, snapshot: LogSnapshot, deaths: int
    ) -> Failed | None:
        """Find out which of the bots at work has killed a worker that nobody was asked in, by processes of their own
        or, without one, by what it wrote to the worker's pipe."""
        bots = {name for task in tasks for name in (task.a, task.b)} if game is None else {game.first, game.second}
        died = self._deaths.add(None if game is None else game.key, bots)
        at_work = f"at work: {_list(bots)}"
        if (game is None and deaths < MOST_DEATHS) or (game is not None and died < 2):
            what = "its games" if game is None else f"game {GameId.from_key(game.key)}"
            self._report(worker, f"{at_work}; replaying {what}")
            return None
        capable = {
            bot.name
            for number, bot in enumerate(self.job.bots)
            if self.job.level(number).own_process is not worker.garbled
        }
        for name in sorted(bots & capable):
            if game is not None and name not in self._broken:
                how = kills_alone(self._start, self.job, game, snapshot, name)
                self._worker = None
                if self._stopped:
                    raise Stopped
                if how is not None:
                    self._suspend(worker, name, f"its worker dies when it plays alone, too: {how}")
                    return None
        if deaths < MOST_DEATHS:
            self._report(worker, f"{at_work}; none of them does it alone; replaying")
            return None
        found = self._deaths.most(bots)
        if found is not None:
            self._suspend(worker, found, f"it was at work at {self._deaths.bots[found]} deaths of workers")
            return None
        pairs = {(task.a, task.b) for task in tasks} if game is None else {(game.first, game.second)}
        text = f"workers keep dying, and it cannot be told by whom ({at_work}): {worker.how}"
        return Failed(text, ours=False, pairs=tuple(sorted(pairs)))

    def _suspend(self, worker: WorkerProcess, name: str, why: str) -> None:
        self._broken[name] = ("crash", f"suspended for killing workers: {why}")
        self.report(Lost(f"worker {worker.pid}: {worker.how}; {name} is suspended: {why}", bot=name))

    def _start(self, job: Job) -> WorkerProcess:
        if self._stopped:
            raise Stopped
        self._worker = worker = WorkerProcess(job, self.context, self.sink, self._place)
        return worker

    def _judge_loading(self, worker: WorkerProcess, number: int, deaths: int) -> Failed | None:
        """A bot's file that cannot be run is a mistake in what was asked for, not the loss of a game."""
        bot = self.job.bots[number]
        if worker.overdue is not None:
            return Failed(f"the bot {bot.target} cannot be loaded: {worker.how}", ours=False, bot=bot.name)
        if deaths < 2:
            self._report(worker, "starting another one")
            return None
        found = kills_at_loading(self._start, self.job, number, time.monotonic() - worker.started)
        self._worker = None
        if self._stopped:
            raise Stopped
        if found is not None:
            name, how = found
            target = next(one.target for one in self.job.bots if one.name == name)
            return Failed(f"the bot {target} cannot be loaded: {how}", ours=False, bot=name)
        if deaths < MOST_DEATHS:
            self._report(worker, f"it was loading {bot.name}, and none of the bots does it alone; starting another one")
            return None
        names = _list({one.name for one in self.job.bots[: number + 1]})
        text = f"workers keep dying while they load bots, and it cannot be told by whom ({names}): {worker.how}"
        return Failed(text, ours=False)

    def _report(self, worker: WorkerProcess, then: str) -> None:
        self.report(Lost(f"worker {worker.pid}: {worker.how}; {then}"))
