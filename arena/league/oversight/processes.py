"""Who is working on a league: processes, whether they are alive, and what dead ones have left behind.

A process holds submissions and deals only to keep others from doing the same work. Nothing goes wrong if a living
process is taken for dead: deals are never reserved twice, and a submission that two processes work on is decided once.
"""

from __future__ import annotations

import contextlib
import os
import platform
import shutil
import sys
import time
from collections.abc import Iterator

from arena.bots.processes.procfs import machine_boot, start_time
from arena.league.oversight import budget
from arena.league.oversight.pause import Pause, paused
from arena.league.store import League
from arena.tournament.store.sqlite import PLAYING

BEAT_S = 5.0
LOOK_S = 0.5
"""Seconds between two looks at whether the league is paused."""
STALE_S = 300.0


class LeagueProcess:
    """This process, registered as working on a league; a context manager.

    `pause` is the pause that the league is in, as of the last `beat`, and `work` the piece of work on a submission that
    is going on here, if there is any.
    """

    def __init__(self, league: League, doing: str) -> None:
        """Register it, and clean up after dead processes."""
        self.league = league
        release_dead(league)
        now = time.time()
        with league.change():
            self.number = league.insert(
                "INSERT INTO processes (machine, pid, born, doing, started, seen) VALUES (?, ?, ?, ?, ?, ?)",
                machine_boot(),
                os.getpid(),
                start_time(os.getpid()),
                doing,
                now,
                now,
            )
            budget.begin_counting(league)
        self.pause: Pause | None = paused(league)
        self.work: budget.Work | None = None
        self._looked = self._beaten = time.monotonic()

    @property
    def held(self) -> bool:
        """Is nothing more to be played for now, because of a pause?"""
        return self.pause is not None

    def beat(self) -> None:
        """Record every few seconds that this process is alive, and what it is doing; call it often."""
        now = time.monotonic()
        if now - self._looked >= LOOK_S:
            self.look()
        if now - self._beaten >= BEAT_S:
            self._beaten = now
            with self.league.change():
                self.league.run("UPDATE processes SET seen = ? WHERE process = ?", time.time(), self.number)
            if self.work is not None:
                self.work.note()

    def look(self) -> None:
        """See whether the league is paused."""
        self._looked = time.monotonic()
        self.pause = paused(self.league)

    @contextlib.contextmanager
    def working_on(self, version: int) -> Iterator[budget.Work]:
        """Count the time of work on a submission."""
        self.work = work = budget.Work(self.league, self.number, version)
        try:
            yield work
        finally:
            self.work = None
            work.note()

    def __enter__(self) -> LeagueProcess:
        return self

    def __exit__(self, *error: object) -> None:
        with self.league.change():
            _release(self.league, self.number)


def _release(league: League, process: int) -> None:
    """Release everything that a process holds."""
    now = time.time()
    league.run("UPDATE versions SET holder = NULL WHERE holder = ?", process)
    crews = "SELECT crew FROM crews WHERE process = ?"
    league.run(f"DELETE FROM reserved WHERE crew IN ({crews})", process)
    league.run("UPDATE crews SET ended = ? WHERE process = ? AND ended IS NULL", now, process)
    league.run("UPDATE processes SET ended = ? WHERE process = ?", now, process)


def release_dead(league: League) -> int:
    """Release what dead processes hold and remove the files they have left; the number of such processes."""
    rows = league.query("SELECT process, machine, pid, born, seen FROM processes WHERE ended IS NULL")
    dead = [row for row in rows if not is_alive(*row[1:5])]
    for process, *_ in dead:
        with league.change():
            if league.one("SELECT ended IS NULL FROM processes WHERE process = ?", process):
                _release(league, process)
    _sweep(league)
    return len(dead)


def _sweep(league: League) -> None:
    """Remove the unpacked files of runners that have ended. Their folders are named after their first lineups."""
    folder = league.folder / PLAYING
    if folder.is_symlink() or not folder.is_dir():
        return
    playing = {f"{crew}" for (crew,) in league.query("SELECT crew FROM crews WHERE ended IS NULL")}
    for path in folder.iterdir():
        if path.name not in playing:
            shutil.rmtree(path, ignore_errors=True)
    with contextlib.suppress(OSError):  # other processes have folders there
        folder.rmdir()


def is_alive(where: str, pid: int, when: str, seen: float) -> bool:
    """Is a process still running? For one on another machine only its last sign of life can tell."""
    if where.rpartition("/")[0] != platform.node() or sys.platform == "win32":  # there, asking would kill it
        return time.time() - seen < STALE_S
    if where != machine_boot():
        return False  # the machine has been rebooted since
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass  # another user's
    return start_time(pid) == when
