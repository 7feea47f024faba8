"""Who is working on a league: processes, whether they still live, and what dead ones have left behind.

What a process has taken in hand (a submission, deals) it holds only to spare others the same work. Nothing goes
wrong if a living process is taken for dead: deals are never set apart twice, and a submission that two processes
work on ends as one.
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
"""Folder below the league's for the files of bots that are playing, one folder a crew."""


class LeagueProcess:
    """This process in the list of those that work on a league; a context manager."""

    def __init__(self, league: League, doing: str) -> None:
        """Enter it, and clear away what dead ones have left."""
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
        """Say every few seconds that it is alive; call it often."""
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
    """Let go of all that a process holds."""
    now = time.time()
    league.run("UPDATE versions SET holder = NULL WHERE holder = ?", process)
    crews = "SELECT crew FROM crews WHERE process = ?"
    league.run(f"DELETE FROM reserved WHERE crew IN ({crews})", process)
    league.run("UPDATE crews SET ended = ? WHERE process = ? AND ended IS NULL", now, process)
    league.run("UPDATE processes SET ended = ? WHERE process = ?", now, process)


def release_dead(league: League) -> int:
    """Release what dead processes hold and remove the files they have left; how many were found."""
    rows = league.query("SELECT process, machine, pid, born, seen FROM processes WHERE ended IS NULL")
    dead = [row[0] for row in rows if not is_alive(*row[1:])]
    if dead:
        with league.change():
            for process in dead:
                _release(league, process)
    _sweep(league)
    return len(dead)


def _sweep(league: League) -> None:
    """Remove the bots' files of crews that have ended."""
    folder = league.folder / PLAYING
    if not folder.is_dir():
        return
    playing = {f"{crew}" for (crew,) in league.query("SELECT crew FROM crews WHERE ended IS NULL")}
    for path in folder.iterdir():
        if path.name not in playing:
            shutil.rmtree(path, ignore_errors=True)
    with contextlib.suppress(OSError):  # there are others
        folder.rmdir()


# ---------------------------------------------------------------- is it alive?


def is_alive(where: str, pid: int, when: str, seen: float) -> bool:
    """Does a process still work? On another machine only its last sign of life can tell."""
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
