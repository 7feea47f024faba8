"""One writer at a time: the lock on the folder of a run or a league."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from arena.tournament.store.sqlite import Connection

_LOCK = ".lock"


def take_lock(folder: Path) -> Connection | None:
    """Lock the folder until this process ends, however it ends; return None if another process has the lock.

    The lock is SQLite's exclusive lock on an empty file: the system releases it when the process dies, forked
    children do not hold it, and it works on every system.
    """
    lock = sqlite3.connect(
        folder / _LOCK,
        factory=Connection,
        isolation_level=None,
        timeout=0.5,  # `is_in_use` locks the file for a moment
        check_same_thread=False,
    )
    try:
        lock.execute("BEGIN EXCLUSIVE")
    except BaseException as error:
        lock.close()
        if isinstance(error, sqlite3.OperationalError) and _is_locked(error):
            return None
        raise
    return lock


def is_in_use(folder: Path) -> bool:
    """Return whether a process has locked the folder."""
    if not (folder / _LOCK).exists():
        return False
    try:
        with closing(sqlite3.connect(f"{(folder / _LOCK).resolve().as_uri()}?mode=ro", uri=True, timeout=0)) as lock:
            lock.execute("SELECT count(*) FROM sqlite_master")
    except sqlite3.Error as error:
        return _is_locked(error)
    return False


def _is_locked(error: sqlite3.Error) -> bool:
    return error.sqlite_errorname.startswith("SQLITE_BUSY")
