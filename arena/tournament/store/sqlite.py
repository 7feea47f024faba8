"""SQLite databases of this program: opening, tables, and SQLite's errors in plain words.

A run and a league are each a folder with one such database. Many threads and processes may read while one writes.
A folder may come from a stranger: its tables must be ours to the letter, and nothing that a database can hold besides
rows (views, triggers, functions) is ever run.
"""

from __future__ import annotations

import os
import re
import shlex
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any
from weakref import WeakSet

from arena.bots.processes.tree import fork_lock
from arena.errors import ArenaError
from arena.text import one_line
from arena.tournament.store.tables import (
    TOTALS_TABLE,
    Damage,
    Table,
    begin_totals,
    check_references,
    keep_checksums,
    read_rows,
    stored_total,
)

_PAGE = 16384  # rows of some 300 bytes: large pages insert a quarter faster
_BATCH = 2_000
_CACHE = "PRAGMA cache_size = -16384"  # KiB; also bounds what a sort keeps in memory
_LONGEST_VALUE = 64 << 20  # bytes; a file of a bot has at most 32 MiB
_BESIDE = ("-wal", "-shm", "-journal")
PLAYING = ".playing"
"""Folder in a league's for the files of bots that are playing; within it a folder for each `MatchRunner`."""
_WRITTEN = (".lock", "run.log", "run.log.1", PLAYING)
_SUPER_JOURNAL = bytes.fromhex("d9d505f920a163d7")  # at the end of a journal that names another file, to be deleted


class Connection(sqlite3.Connection):
    """A connection that a forked child leaves open: closing it there would remove the log that the parent writes."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._owner = os.getpid()
        self.version = 0  # format of the database
        self.has_blocks = False
        _connections.add(self)

    @property
    def sealed(self) -> bool:
        """Have its rows checksums?"""
        return self.version > 1

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """One transaction that writes: all of it is stored when the block has ended, or nothing."""
        self.execute("BEGIN IMMEDIATE")
        try:
            yield
            self.execute("COMMIT")
        except BaseException:
            if self.in_transaction:  # some errors have rolled back by themselves
                self.execute("ROLLBACK")
            raise

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Put several questions to one state of the database, which a transaction does anyway."""
        if self.in_transaction:
            yield
            return
        self.execute("BEGIN")
        try:
            yield
        finally:
            if self.in_transaction:
                self.execute("ROLLBACK")

    def close(self) -> None:
        if os.getpid() == self._owner:
            super().close()


_connections: WeakSet[Connection] = WeakSet()
_inherited: list[Connection] = []  # kept for ever, since dropping the last reference would close it, too

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=lambda: _inherited.extend(_connections))


@dataclass(frozen=True)
class Database:
    """A kind of database. `what` it holds ("run"), in which file of its folder, and how its users are spoken to.

    `tables` are its tables but that of games, which the statement `games` makes; `others` make indexes and views.
    `application` tells it from other programs' databases, `version` is the newest form of its tables that is known.
    `synchronous` is SQLite's setting. `elsewhere`, `again`, `afresh` and `salvage` are for sentences about a place that
    does not do, a disk that is full, a file that is damaged.
    """

    what: str
    file: str
    tables: tuple[Table, ...]
    games: str
    others: tuple[str, ...]
    application: int
    version: int
    error: type[ArenaError]
    synchronous: str
    wait_s: float
    elsewhere: str
    again: str
    afresh: str
    salvage: str

    def statements(self, version: int | None = None) -> list[str]:
        """What makes all tables of a format (default: the present one)."""
        version = self.version if version is None else version
        sealed = version > 1
        checksums = ", text_crc INTEGER, checksum INTEGER" if sealed else ""
        made = [table.statement(sealed) for table in self.tables_of(version)] + [self.games.format(checksum=checksums)]
        return [*made, *[TOTALS_TABLE] * sealed, *self.others]

    def tables_of(self, version: int) -> tuple[Table, ...]:
        """The tables of a format but that of games."""
        return tuple(table for table in self.tables if table.since <= version)

    def _know(self, db: Connection, version: int) -> None:
        db.version, db.has_blocks = version, any(table.name == "blocks" for table in self.tables_of(version))

    @cached_property
    def by_name(self) -> dict[str, Table]:
        """The tables but that of games, by name."""
        return {table.name: table for table in self.tables}

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
            raise self.error(f"cannot {doing} {folder / self.file}: {self._reason(error, folder)}") from error
        except Damage as damage:
            raise self.damaged(folder, str(damage)) from damage
        except UnicodeDecodeError as error:  # of a message of SQLite's that quotes what it has found
            raise self.damaged(folder, "a text in it is not UTF-8") from error
        except OSError as error:
            raise self.error(f"cannot {doing} {folder}: {error.strerror or error}") from error

    def damaged(self, folder: Path, place: str) -> ArenaError:
        """The error for a database that does not hold what was written into it; `place` says where."""
        return self.error(f"{folder / self.file} is damaged: {place}. {self._cure(folder)}")

    def _cure(self, folder: Path) -> str:
        salvage = f". {self.salvage.format(folder=shlex.quote(str(folder)))}" if self.salvage else ""
        return f"Restore it from a copy{self.afresh}{salvage}"

    def _reason(self, error: sqlite3.Error, folder: Path) -> str:
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
            return f"the database is damaged ({error}). {self._cure(folder)}"
        if "decode to UTF-8" in str(error) or name == "SQLITE_TOOBIG":
            return f"the database is damaged ({one_line(str(error), 200)}). {self._cure(folder)}"
        if name.startswith("SQLITE_BUSY") or name == "SQLITE_LOCKED":
            return f"another program has held the database locked for {self.wait_s:g} s. Close it and try again"
        if name.startswith("SQLITE_IOERR"):
            return f"the disk reports an error ({error}; is it full?). What was stored before is safe"
        return str(error)

    def open_writer(self, folder: Path) -> Connection:
        """Open it for writing; made, without tables, if it is not there (see `make_tables`)."""
        db = self._connect(folder / self.file)
        try:
            db.execute(f"PRAGMA page_size = {_PAGE}")
            empty = self.is_empty(db, folder)
            # readers work beside the writer, and a killed writer leaves whole transactions
            db.execute("PRAGMA journal_mode = WAL")
            db.execute(f"PRAGMA synchronous = {self.synchronous}")
            db.execute("PRAGMA foreign_keys = ON")
            db.execute(_CACHE)
            if not empty and db.sealed:
                keep_checksums(db, self.tables_of(db.version))
        except BaseException:
            db.close()
            raise
        return db

    def open_reader(self, folder: Path, tidy: bool = False) -> Connection:
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

    def _connect(self, place: str | Path) -> Connection:
        db = sqlite3.connect(
            place,
            factory=Connection,
            uri=isinstance(place, str),
            isolation_level=None,
            check_same_thread=False,
            timeout=self.wait_s,
        )
        db.execute("PRAGMA trusted_schema = OFF")  # of functions in a stranger's tables only harmless ones are run
        db.execute("PRAGMA cell_size_check = ON")
        db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE)
        return db

    def check_files(self, folder: Path, write: bool = False) -> None:
        """An `error` for a database, or a file that is opened with it, that is a device, a pipe or a link.

        With `write` also for what is written into its folder: a link there could lead to any file.
        """
        names = [self.file, *(f"{self.file}{end}" for end in _BESIDE), *_WRITTEN * write]
        for path in (folder / name for name in names):
            try:
                mode = path.stat().st_mode if path.name == self.file else path.lstat().st_mode
                if not stat.S_ISREG(mode) and not (path.name == PLAYING and stat.S_ISDIR(mode)):
                    raise self.error(f"{path} is not a regular file, so nothing was done. Move it away")
                if path.name.endswith("-journal"):
                    with open(path, "rb") as file:
                        file.seek(-min(8, path.stat().st_size), os.SEEK_END)
                        if file.read() == _SUPER_JOURNAL:
                            raise self.error(f"{path} was not written by this program. Move it away")
            except FileNotFoundError:
                continue

    def is_empty(self, db: Connection, folder: Path) -> bool:
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
        self._know(db, version)
        self._check_schema(db, folder)
        return False

    def _check_schema(self, db: Connection, folder: Path) -> None:
        """An `error` unless the tables are exactly ours."""
        wanted = {_name_of(sql): sql for sql in self.statements(db.version)}
        found = db.execute("SELECT type, name, tbl_name, sql FROM sqlite_master").fetchall()
        there = {
            name: _plain(sql) for kind, name, _, sql in found if kind in ("table", "index") and isinstance(sql, str)
        }
        for name, sql in wanted.items():
            if sql.startswith(("CREATE TABLE", "CREATE UNIQUE INDEX")) and there.get(name) != _plain(sql):
                raise self.damaged(folder, f"its table {name} is {'another one' if name in there else 'missing'}")
        for kind, name, table, sql in found:
            ours = kind == "view" and name == "game_list"
            if kind in ("view", "trigger") and not ours:
                raise self._foreign(folder, f"a {kind}")
            if kind == "index" and sql is not None and table in wanted and _plain(sql) != _plain(wanted.get(name, "")):
                raise self._foreign(folder, "an index")

    def _foreign(self, folder: Path, what: str) -> ArenaError:
        return self.error(
            f"{folder / self.file} holds {what} that this program has not made, so it is not used. Remove it, or"
            " restore the file from a copy"
        )

    # ------------------------------------------------------------ rows

    def read(self, db: Connection, folder: Path, table: str, where: str = "", *args: object) -> list[Any]:
        """The rows of a table (or of those `where` something holds), each checked."""
        with self.guard(folder, "read"):
            return read_rows(db, self.by_name[table], db.sealed, where, *args)

    def check_rows(self, db: Connection, folder: Path, *names: str) -> dict[str, list[Any]]:
        """The rows of these tables, each checked, as are the references between them."""
        with self.guard(folder, "read"):
            rows = {name: read_rows(db, self.by_name[name], db.sealed) for name in names}
            check_references(rows, self.by_name)
        return rows

    def stamp(self, db: Connection, folder: Path) -> tuple[int, int]:
        """The number of games, and what else tells these games from others."""
        with self.guard(folder, "read"):
            if db.sealed:
                return stored_total(db, "games")
            return int(db.execute("SELECT count(*) FROM games NOT INDEXED").fetchone()[0]), 0

    def checked(self, folder: Path, rows: Iterator[Any]) -> Iterator[Any]:
        """What `rows` yields, asked for some thousand at a time, with its errors in plain words."""
        while True:
            with self.guard(folder, "read"):
                batch = list(islice(rows, _BATCH))
            if not batch:
                return
            yield from batch

    def make_tables(self, db: Connection) -> None:
        """Make all tables; to be called within a transaction: all or none."""
        for statement in self.statements():
            db.execute(statement)
        begin_totals(db, [*self.by_name, "games"])
        keep_checksums(db, self.tables)
        self._know(db, self.version)
        db.execute(f"PRAGMA application_id = {self.application}")
        db.execute(f"PRAGMA user_version = {self.version}")


def _plain(sql: str) -> str:
    """A statement with single spaces: older versions broke their lines elsewhere."""
    return re.sub(r"\s+", " ", sql).strip()


def _name_of(sql: str) -> str:
    """The name of what a statement makes."""
    return sql.split("(")[0].split(" ON ")[0].split(" AS")[0].split()[-1]
