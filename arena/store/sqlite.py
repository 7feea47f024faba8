"""SQLite databases of this program: opening, tables, and SQLite's errors in plain words.

A run and a league are each a folder with one such database. Many threads and processes may read while one writes.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from weakref import WeakSet

from arena.errors import ArenaError
from arena.processes.forking import fork_lock

_PAGE = 16384  # rows of some 300 bytes: large pages insert a quarter faster
_BATCH = 20_000
_CACHE = "PRAGMA cache_size = -16384"  # KiB; also bounds what a sort keeps in memory


class _Connection(sqlite3.Connection):
    """A connection that a forked child leaves open: closing it there would remove the log that the parent writes."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._owner = os.getpid()
        _connections.add(self)

    def close(self) -> None:
        if os.getpid() == self._owner:
            super().close()


_connections: WeakSet[_Connection] = WeakSet()
_inherited: list[_Connection] = []  # kept for ever, since dropping the last reference would close it, too

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=lambda: _inherited.extend(_connections))


@dataclass(frozen=True)
class Database:
    """A kind of database. `what` it holds ("run"), in which file of its folder, and how its users are spoken to.

    `tables` are the statements that make it. `application` tells it from other programs' databases, `version` is the
    newest form of its tables that is known. `synchronous` is SQLite's setting. `elsewhere`, `again` and `afresh` end
    sentences about a place that does not do, a disk that is full, a file that is damaged.
    """

    what: str
    file: str
    tables: tuple[str, ...]
    application: int
    version: int
    error: type[ArenaError]
    synchronous: str
    wait_s: float
    elsewhere: str
    again: str
    afresh: str

    @contextmanager
    def guard(self, folder: Path, doing: str) -> Iterator[None]:
        """Around all use of a connection, for whole transactions: nobody is forked meanwhile.

        SQLite's and the system's errors become an `error` with a remedy; bugs of ours pass through.
        """
        try:
            with fork_lock:
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

    def open_writer(self, folder: Path) -> sqlite3.Connection:
        """Open it for writing; made, without tables, if it is not there (see `make_tables`)."""
        db = self._connect(folder / self.file)
        try:
            db.execute(f"PRAGMA page_size = {_PAGE}")
            self.is_empty(db, folder)
            # readers work beside the writer, and a killed writer leaves whole transactions
            db.execute("PRAGMA journal_mode = WAL")
            db.execute(f"PRAGMA synchronous = {self.synchronous}")
            db.execute("PRAGMA foreign_keys = ON")
            db.execute(_CACHE)
        except BaseException:
            db.close()
            raise
        return db

    def open_reader(self, folder: Path, tidy: bool = False) -> sqlite3.Connection:
        """Open it for reading only; works beside writers and on read-only media.

        `tidy`: if this is the last one to leave and may write, it takes the files of the log with it.
        """
        path = folder / self.file
        address = path.resolve().as_uri()
        mode = "rw" if tidy and os.access(path, os.W_OK) and os.access(folder, os.W_OK) else "ro"
        db = self._connect(f"{address}?mode={mode}")
        try:
            db.execute("PRAGMA query_only = ON")
            db.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except sqlite3.OperationalError:
            # A WAL database wants to make its shared memory file. Where it cannot, nobody is writing: read as it is.
            db.close()
            if path.with_name(f"{self.file}-wal").exists():
                raise
            db = self._connect(f"{address}?mode=ro&immutable=1")
        try:
            if self.is_empty(db, folder):
                raise self.error(f"there is no {self.what} in {folder} yet: {self.file} is empty")
            db.execute(_CACHE)
        except BaseException:
            db.close()
            raise
        return db

    def _connect(self, place: str | Path) -> sqlite3.Connection:
        return sqlite3.connect(
            place, factory=_Connection, uri=isinstance(place, str), isolation_level=None,
            check_same_thread=False, timeout=self.wait_s,
        )  # fmt: skip

    def is_empty(self, db: sqlite3.Connection, folder: Path) -> bool:
        """Has it no tables yet? An `error` if it is none that this program can use."""
        version = db.execute("PRAGMA user_version").fetchone()[0]
        application = db.execute("PRAGMA application_id").fetchone()[0]
        tables = db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if tables == 0 and application == 0:
            return True
        if application != self.application:
            raise self.error(
                f"{folder / self.file} is a database of another program; it holds no {self.what}. Choose another folder"
            )
        if version > self.version:
            raise self.error(
                f"{folder / self.file} was written by a newer version of this program (format {version}, known up"
                f" to {self.version}). Update the program, or choose another folder"
            )
        return False

    def stream(
        self, db: sqlite3.Connection, folder: Path, sql: str, args: Iterable[object] = ()
    ) -> Iterator[tuple[Any, ...]]:
        """Rows of a query, read some thousand at a time."""
        with self.guard(folder, "read"):
            cursor = db.execute(sql, tuple(args))
            rows = cursor.fetchmany(_BATCH)
        while rows:
            yield from rows
            with self.guard(folder, "read"):
                rows = cursor.fetchmany(_BATCH)

    def make_tables(self, db: sqlite3.Connection) -> None:
        """Make all tables; to be called within a transaction: all or none."""
        for statement in self.tables:
            db.execute(statement)
        db.execute(f"PRAGMA application_id = {self.application}")
        db.execute(f"PRAGMA user_version = {self.version}")
