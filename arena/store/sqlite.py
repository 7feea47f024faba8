"""SQLite databases of this program: is one ours, how is it read, and SQLite's errors in plain words.

A run and a league are each a folder with one such database.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.errors import ArenaError

_LONGEST_S = 5.0


class _AtWork:
    """Held by any number of threads while SQLite works for them; nobody is forked meanwhile.

    A child that is forked in the middle of it inherits locks of SQLite's own that nobody will ever release, and waits
    for them when it uses SQLite itself.
    """

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """With no users: at first, and in a child, whose only thread is none."""
        self._change = threading.Condition(threading.Lock())
        self._users = 0

    def __enter__(self) -> None:
        with self._change:
            self._users += 1

    def __exit__(self, *error: object) -> None:
        with self._change:
            self._users -= 1
            self._change.notify_all()

    def before_fork(self) -> None:
        """Wait until nobody uses SQLite, but not for long: one may wait there for another process."""
        self._change.acquire()
        self._change.wait_for(lambda: self._users == 0, _LONGEST_S)

    def in_parent(self) -> None:
        self._change.release()


_at_work = _AtWork()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_at_work.before_fork, after_in_parent=_at_work.in_parent, after_in_child=_at_work.begin
    )


class _Cursor(sqlite3.Cursor):
    """A cursor during whose calls nobody is forked."""

    def execute(self, *args: Any) -> _Cursor:
        with _at_work:
            return super().execute(*args)

    def executemany(self, *args: Any) -> _Cursor:
        with _at_work:
            return super().executemany(*args)

    def fetchone(self) -> Any:
        with _at_work:
            return super().fetchone()

    def fetchmany(self, *args: Any) -> list[Any]:
        with _at_work:
            return super().fetchmany(*args)

    def fetchall(self) -> list[Any]:
        with _at_work:
            return super().fetchall()

    def __next__(self) -> Any:
        with _at_work:
            return super().__next__()


class _Connection(sqlite3.Connection):
    """A connection during whose calls nobody is forked."""

    def cursor(self, factory: Any = _Cursor) -> Any:
        return super().cursor(factory)

    def execute(self, *args: Any) -> sqlite3.Cursor:
        found: sqlite3.Cursor = self.cursor().execute(*args)
        return found

    def executemany(self, *args: Any) -> sqlite3.Cursor:
        found: sqlite3.Cursor = self.cursor().executemany(*args)
        return found

    def close(self) -> None:
        with _at_work:
            super().close()


def connect(place: str | Path, **options: Any) -> sqlite3.Connection:
    """`sqlite3.connect` for a process that forks workers from other threads meanwhile."""
    with _at_work:
        return sqlite3.connect(place, factory=_Connection, **options)


@dataclass(frozen=True)
class Database:
    """A kind of database. `what` it holds ("run"), in which file of its folder, and how its users are spoken to.

    `application` tells it from other programs' databases, `version` is the newest form of its tables that is known.
    `elsewhere`, `again` and `afresh` end sentences about a place that does not do, a disk that is full, a file that is
    damaged.
    """

    what: str
    file: str
    application: int
    version: int
    error: type[ArenaError]
    wait_s: float
    elsewhere: str
    again: str
    afresh: str

    @contextmanager
    def plain_errors(self, folder: Path, doing: str) -> Iterator[None]:
        """Turn SQLite's and the system's errors into one of `error` with a remedy; bugs of ours pass through."""
        try:
            yield
        except (sqlite3.IntegrityError, sqlite3.ProgrammingError):
            raise
        except sqlite3.Error as error:
            raise self.error(f"cannot {doing} {folder / self.file}: {self._reason(error)}") from error
        except OSError as error:
            raise self.error(f"cannot {doing} {folder}: {error.strerror or error}") from error

    def _reason(self, error: sqlite3.Error) -> str:
        name = getattr(error, "sqlite_errorname", "") or ""
        if name == "SQLITE_FULL":
            return f"the disk is full. What was stored before is safe; make room and {self.again}"
        if name.startswith("SQLITE_READONLY"):
            return f"the folder or the file is read-only. {self.elsewhere}"
        if name.startswith("SQLITE_CANTOPEN"):
            return "the file cannot be opened or created there; look at the folder's permissions"
        if name == "SQLITE_NOTADB":
            return "this is not a database. Move the file away or choose another folder"
        if name.startswith("SQLITE_CORRUPT"):
            return f"the database is damaged ({error}). Restore it from a copy{self.afresh}"
        if name.startswith("SQLITE_BUSY") or name == "SQLITE_LOCKED":
            return f"another program has held the database locked for {self.wait_s:g} s. Close it and try again"
        if name.startswith("SQLITE_IOERR"):
            return f"the disk reports an error ({error}; is it full?). What was stored before is safe"
        return str(error)

    def read(self, folder: Path, tidy: bool = False) -> sqlite3.Connection:
        """Open it for reading only; works beside writers and on read-only media.

        `tidy`: if this is the last one to leave and may write, it takes the files of the log with it.
        """
        path = folder / self.file
        address = path.resolve().as_uri()
        mode = "rw" if tidy and os.access(path, os.W_OK) and os.access(folder, os.W_OK) else "ro"
        db = connect(f"{address}?mode={mode}", uri=True, isolation_level=None, timeout=self.wait_s)
        try:
            db.execute("PRAGMA query_only = ON")
            db.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except sqlite3.OperationalError:
            # A WAL database wants to make its shared memory file. Where it cannot, nobody is writing: read as it is.
            db.close()
            if path.with_name(f"{self.file}-wal").exists():
                raise
            db = connect(f"{address}?mode=ro&immutable=1", uri=True, isolation_level=None)
        try:
            self.check(db, folder)
        except BaseException:
            db.close()
            raise
        return db

    def check(self, db: sqlite3.Connection, folder: Path, may_be_empty: bool = False) -> bool:
        """True if it has no tables yet; an `error` if it is none that this program can use."""
        version = db.execute("PRAGMA user_version").fetchone()[0]
        application = db.execute("PRAGMA application_id").fetchone()[0]
        tables = db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if tables == 0 and application == 0:
            if may_be_empty:
                return True
            raise self.error(f"there is no {self.what} in {folder} yet: {self.file} is empty")
        if application != self.application:
            raise self.error(
                f"{folder / self.file} is a database of another program; it holds no {self.what}. "
                "Choose another folder"
            )
        if version > self.version:
            raise self.error(
                f"{folder / self.file} was written by a newer version of this program (format {version}, known up"
                f" to {self.version}). Update the program, or choose another folder"
            )
        return False


def make_tables(db: sqlite3.Connection, schema: str) -> None:
    """Make all tables; to be called within a transaction: all or none."""
    for statement in schema.split(";\n"):
        if statement.strip():
            db.execute(statement)
