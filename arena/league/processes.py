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

from arena.league.store import League
from arena.processes.procfs import machine_boot, start_time

BEAT_S = 5.0
STALE_S = 300.0
PLAYING = ".playing"
"""Folder in the league's for the files of bots that are playing; within it a folder for each `MatchRunner`."""


class LeagueProcess:
    """This process, registered as working on a league; a context manager."""

    def __init__(self, league: League, doing: str) -> None:
        """Register it, and clean up after dead processes."""
        self.league = league
        release_dead(league)
        now = time.time()
        with league.change():
            self.number = league.insert(
                "INSERT INTO processes (machine, pid, born, doing, started, seen) VALUES (?, ?, ?, ?, ?, ?)",
                machine_boot(), os.getpid(), start_time(os.getpid()), doing, now, now,
            )  # fmt: skip
        self._beaten = time.monotonic()

    def beat(self) -> None:
        """Record every few seconds that this process is alive; call it often."""
        if time.monotonic() - self._beaten >= BEAT_S:
            self._beaten = time.monotonic()
            with self.league.change():
                self.league.run("UPDATE processes SET seen = ? WHERE process = ?", time.time(), self.number)

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
    dead = [row[0] for row in rows if not is_alive(*row[1:])]
    if dead:
        with league.change():
            for process in dead:
                _release(league, process)
    _sweep(league)
    return len(dead)


def _sweep(league: League) -> None:
    """Remove the unpacked files of runners that have ended. Their folders are named after their first lineups."""
    folder = league.folder / PLAYING
    if not folder.is_dir():
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
