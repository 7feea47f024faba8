"""The arena's end in a process of a Dask cluster: plays chunks there, each thread with a worker of its own.

A bot that hangs or kills its process must not take a worker of the cluster with it, so also here the games are
played in a child process under a `Supervisor`, by the same code as on one machine.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TypeAlias

from arena.match.results import Row
from arena.match.tasks import Chunk
from arena.runner.executors.base import Event, Failed, Lost, Played
from arena.runner.job import Job
from arena.runner.logs import PlainRecord
from arena.runner.supervisor import Stopped, Supervisor

Part: TypeAlias = tuple[int, float, dict[int, tuple[int, ...]], list[Row]]
"""A `Played` as plain values: units, seconds, scores, rows."""


@dataclass
class Delivery:
    """What comes back for a chunk: its units in parts, what was lost on the way, what was logged."""

    parts: list[Part] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    failed: tuple[str, bool, str | None] | None = None
    records: list[PlainRecord] = field(default_factory=list)


class _Station:
    """The supervisor of one thread, for one run."""

    def __init__(self, run: str, job: Job) -> None:
        self.run = run
        self.delivery = Delivery()
        # a Dask worker has threads, and a process that has them cannot be forked safely
        self.supervisor = Supervisor(job, self._note, self._hear, method="spawn")

    def _note(self, event: Event) -> None:
        match event:
            case Played():
                scores = {pairing: tuple(score) for pairing, score in event.scores.items()}
                self.delivery.parts.append((len(event.chunk), event.seconds, scores, list(event.rows)))
            case Lost():
                self.delivery.lost.append(event.text)
            case Failed():
                self.delivery.failed = (event.text, event.ours, event.bot)

    def _hear(self, record: PlainRecord) -> None:
        self.delivery.records.append(record)

    def play(self, chunk: Chunk) -> Delivery:
        self.delivery = Delivery()
        self.supervisor.play(chunk)
        return self.delivery


_mine = threading.local()
_stations: set[_Station] = set()
_ended: set[str] = set()
_lock = threading.Lock()


def play_chunk(run: str, job: Job, chunk: Chunk) -> Delivery:
    """Play a chunk in this thread's station; an incomplete delivery if the run was told to end."""
    station: _Station | None = getattr(_mine, "station", None)
    if station is not None and station.run != run:
        _close(station)
        station = None
    if station is None:
        station = _mine.station = _Station(run, job)
    with _lock:
        _stations.add(station)
        if run in _ended:
            return Delivery()
    try:
        return station.play(chunk)
    except Stopped:
        return Delivery()


def _close(station: _Station) -> None:
    station.supervisor.close()
    with _lock:
        _stations.discard(station)


def end_run(run: str, at_once: bool) -> None:
    """In every process of the cluster: begin no more of a run. `at_once`: and stop what is being played."""
    with _lock:
        _ended.add(run)
        stations = [station for station in _stations if station.run == run]
    for station in stations:
        if at_once:
            station.supervisor.stop()
        else:
            station.supervisor.drain()
