"""Worker processes on this machine, each supervised by a thread of this process."""

from __future__ import annotations

import queue
import threading
import traceback

from arena.tournament.match.tasks import Chunk
from arena.tournament.runner.executors.base import Drained, Event, Failed
from arena.tournament.runner.job import Job
from arena.tournament.runner.logs import Sink
from arena.tournament.runner.supervisor import Stopped, Supervisor


def local_executor(job: Job, workers: int, scheduler: str | None, sink: Sink) -> LocalExecutor:
    """The factory for the registry; there is no scheduler to find."""
    return LocalExecutor(job, workers, sink)


class LocalExecutor:
    """An `Executor` of `workers` processes. Even a single worker is a process: a hung bot must be killable."""

    def __init__(self, job: Job, workers: int, sink: Sink, method: str | None = None) -> None:
        """`method` is the start method of the processes, by default the one that suits the system."""
        self._workers = max(workers, 1)
        self._events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self._chunks: queue.SimpleQueue[Chunk | None] = queue.SimpleQueue()
        self._supervisors = [Supervisor(job, self._events.put, sink, method, place) for place in range(self._workers)]
        self._draining = False
        self._busy = self._workers  # threads that have not ended
        self._lock = threading.Lock()
        self._threads = [
            threading.Thread(target=self._run, args=(one,), name=f"supervisor {number}", daemon=True)
            for number, one in enumerate(self._supervisors)
        ]
        for thread in self._threads:
            thread.start()

    @property
    def slots(self) -> int:
        return self._workers

    def moves_in_play(self) -> int:
        return sum(one.moves for one in self._supervisors)

    def submit(self, chunk: Chunk) -> None:
        self._chunks.put(chunk)

    def events(self, timeout: float) -> list[Event]:
        found: list[Event] = []
        try:
            found.append(self._events.get(timeout=timeout))
            while True:
                found.append(self._events.get_nowait())
        except queue.Empty:
            return found

    def drain(self) -> None:
        if not self._draining:
            self._draining = True
            for one in self._supervisors:
                one.drain()
                self._chunks.put(None)

    def close(self) -> None:
        self._draining = True
        for one in self._supervisors:
            one.stop()
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
