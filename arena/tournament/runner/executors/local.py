"""Worker processes on this machine, each supervised by a thread of this process."""

from __future__ import annotations

import queue
import threading
import traceback

from arena.tournament.match.tasks import Chunk
from arena.tournament.runner.executors import Drained, Event, Failed
from arena.tournament.runner.job import Job
from arena.tournament.runner.logs import Sink
from arena.tournament.runner.supervisor import Stopped, Supervisor


class LocalExecutor:
    """An `Executor` of `job.workers` processes. Even a single worker is a process: a hung bot must be killable."""

    def __init__(self, job: Job, scheduler: str | None, sink: Sink, method: str | None = None) -> None:
        """`method` is the start method of the processes, by default the one that suits the system."""
        self._workers = job.workers
        self._events: queue.SimpleQueue[Event] = queue.SimpleQueue()
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
        return self._workers

    def moves_in_play(self) -> int:
        return sum(supervisor.moves for supervisor in self._supervisors)

    def submit(self, chunk: Chunk) -> None:
        self._chunks.put(chunk)

    def events(self, timeout: float) -> list[Event]:
        events: list[Event] = []
        try:
            events.append(self._events.get(timeout=timeout))
            while True:
                events.append(self._events.get_nowait())
        except queue.Empty:
            return events

    def drain(self) -> None:
        if not self._draining:
            self._draining = True
            for supervisor in self._supervisors:
                supervisor.drain()
                self._chunks.put(None)

    def close(self) -> None:
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
