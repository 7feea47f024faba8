"""SQLite databases of this program: opening, transactions, and SQLite's errors in plain words.

A run and a league are each a folder with one such database. Many threads and processes may read while one writes.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar
from weakref import WeakSet

from arena.bots.processes import fork_lock
from arena.endings import ENDING_CODES, FORFEIT_CODES, WIN_POINTS
from arena.errors import ArenaError
from arena.text import one_line
from arena.tournament.games import PAIRING_BITS, ROW_COLUMNS

_PAGE_BYTES = 16384  # rows have some 300 bytes: large pages insert a quarter faster
_CACHE = "PRAGMA cache_size = -16384"  # KiB; also bounds what a sort keeps in memory
_ROWS_PER_BATCH = 2_000

_T = TypeVar("_T")


class Damage(Exception):
    """The database holds something that this program did not write; the text says which part."""


class Connection(sqlite3.Connection):
    """A connection that a forked child does not close: that would remove the log that the parent writes."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._owner = os.getpid()
        _connections.add(self)

    @contextmanager
    def transaction(self, kind: str = "IMMEDIATE") -> Iterator[None]:
        """Run the block as one transaction, or as a part of the one around it: all it writes is stored, or nothing."""
        if self.in_transaction:
            yield
            return
        self.execute(f"BEGIN {kind}")
        try:
            yield
            self.execute("COMMIT")
        except BaseException:
            if self.in_transaction:  # some errors have rolled back by themselves
                self.execute("ROLLBACK")
            raise

    def snapshot(self) -> AbstractContextManager[None]:
        """Read one state of the database in several queries, inside a transaction or outside."""
        return self.transaction("DEFERRED")

    def close(self) -> None:
        """Close the connection, unless a forked child has inherited it."""
        if os.getpid() == self._owner:
            super().close()


_connections: WeakSet[Connection] = WeakSet()
_inherited: list[Connection] = []  # kept for ever: dropping the last reference would also close it

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=lambda: _inherited.extend(_connections))


@dataclass(frozen=True)
class Database:
    """A kind of database.

    what          what it holds, such as "run"
    file          its name in the folder
    statements    the SQL that makes its tables, indexes and views
    application   SQLite's application_id, which marks the databases of this program
    version       SQLite's user_version: the only version that is read
    error         raised when the database cannot be used
    synchronous   SQLite's setting of that name
    wait_s        seconds to wait for another process's transaction
    if_read_only, if_older   remedies, as the end of a message
    """

    what: str
    file: str
    statements: tuple[str, ...]
    application: int
    version: int
    error: type[ArenaError]
    synchronous: str
    wait_s: float
    if_read_only: str
    if_older: str

    @contextmanager
    def guard(self, folder: Path, doing: str) -> Iterator[None]:
        """Turn errors of SQLite and of the system into an `error` with a remedy; let others pass.

        Use it around all work with a connection, for whole transactions: no process is forked in the meantime.
        """
        try:
            with fork_lock:
                yield
        except (sqlite3.IntegrityError, sqlite3.ProgrammingError):
            raise
        except sqlite3.Error as error:
            raise self.error(f"cannot {doing} {folder / self.file}: {self._reason(error)}") from error
        except Damage as error:
            raise self.damaged(folder, str(error)) from error
        except UnicodeDecodeError as error:  # from a message in which SQLite quotes what it has read
            raise self.damaged(folder, "it holds text that is not UTF-8") from error
        except OSError as error:
            raise self.error(f"cannot {doing} {folder}: {error.strerror or error}") from error

    def damaged(self, folder: Path, fault: str) -> ArenaError:
        """Return the error for a database that does not hold what was written into it."""
        return self.error(f"{folder / self.file} is damaged: {fault}. {self._if_damaged}")

    @property
    def _if_damaged(self) -> str:
        return "Restore it from a copy, or recover what can be read (docs/reference/database.md)"

    def _reason(self, error: sqlite3.Error) -> str:
        name = getattr(error, "sqlite_errorname", "") or ""
        if name == "SQLITE_FULL":
            return "the disk is full. Everything stored so far is safe; make room and give the command again"
        if name.startswith("SQLITE_READONLY"):
            return f"the folder or the file is read-only. {self.if_read_only}"
        if name.startswith("SQLITE_CANTOPEN"):
            return "the file cannot be opened or created; check the permissions of the folder"
        if name == "SQLITE_NOTADB":
            return "this is not a database. Move the file away or choose another folder"
        if name.startswith("SQLITE_CORRUPT") or name == "SQLITE_TOOBIG" or "decode to UTF-8" in str(error):
            return f"the database is damaged ({one_line(str(error), 200)}). {self._if_damaged}"
        if name.startswith("SQLITE_BUSY") or name == "SQLITE_LOCKED":
            return f"another program has kept the database locked for {self.wait_s:g} s. Close it and try again"
        if name.startswith("SQLITE_IOERR"):
            return f"the disk reports an error ({error}; is it full?). Everything stored so far is safe"
        return str(error)

    # ------------------------------------------------------------ opening

    def open_writer(self, folder: Path) -> Connection:
        """Open the database for writing; create it, without tables, if there is none (see `make_tables`)."""
        db = self._connect(folder / self.file)
        try:
            db.execute(f"PRAGMA page_size = {_PAGE_BYTES}")
            self.has_tables(db, folder)
            # readers work beside the writer, and a killed writer leaves whole transactions
            db.execute("PRAGMA journal_mode = WAL")
            db.execute(f"PRAGMA synchronous = {self.synchronous}")
            db.execute("PRAGMA foreign_keys = ON")
            db.execute(_CACHE)
        except BaseException:
            db.close()
            raise
        return db

    def open_reader(self, folder: Path) -> Connection:
        """Open the database for reading only. It works beside writers and on read-only media.

        The last connection to close removes the files of the log, if it may write.
        """
        path = folder / self.file
        address = path.resolve().as_uri()
        mode = "rw" if os.access(path, os.W_OK) and os.access(folder, os.W_OK) else "ro"
        db = self._connect(f"{address}?mode={mode}")
        try:
            db.execute("PRAGMA query_only = ON")
            db.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except sqlite3.OperationalError:
            # SQLite wants to create its shared memory file. Where it cannot, no process is writing: read the file.
            db.close()
            if path.with_name(f"{self.file}-wal").exists():
                raise
            db = self._connect(f"{address}?mode=ro&immutable=1")
        try:
            if not self.has_tables(db, folder):
                raise self.error(f"there is no {self.what} in {folder} yet: {self.file} is empty")
            db.execute(_CACHE)
        except BaseException:
            db.close()
            raise
        return db

    def _connect(self, database: str | Path) -> Connection:
        db = sqlite3.connect(
            database,
            factory=Connection,
            uri=isinstance(database, str),
            isolation_level=None,
            check_same_thread=False,
            timeout=self.wait_s,
        )
        db.execute("PRAGMA trusted_schema = OFF")  # views in a foreign file must not call functions with side effects
        return db

    def has_tables(self, db: Connection, folder: Path) -> bool:
        """Return whether the tables exist. Raise an `error` for a database that this program cannot use."""
        (version,) = db.execute("PRAGMA user_version").fetchone()
        (application,) = db.execute("PRAGMA application_id").fetchone()
        (tables,) = db.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if tables == 0 and application == 0:
            return False
        path = folder / self.file
        if application != self.application:
            raise self.error(f"{path} is a database of another program, not a {self.what}. Choose another folder")
        if version < self.version:
            raise self.error(
                f"{path} was stored by an older version of the arena and cannot be read by this one. {self.if_older}"
            )
        if version > self.version:
            raise self.error(f"{path} was stored by a newer version of the arena. Update the program to read it")
        return True

    def make_tables(self, db: Connection) -> None:
        """Make all tables; call it within a transaction."""
        for statement in self.statements:
            db.execute(statement)
        db.execute(f"PRAGMA application_id = {self.application}")
        db.execute(f"PRAGMA user_version = {self.version}")

    # ------------------------------------------------------------ reading

    def in_batches(self, folder: Path, rows: Iterator[_T]) -> Iterator[_T]:
        """Yield what `rows` yields, reading some thousand rows at a time with `guard` around each batch."""
        while True:
            with self.guard(folder, "read"):
                batch = list(islice(rows, _ROWS_PER_BATCH))
            if not batch:
                return
            yield from batch

    def faults(self, db: Connection, folder: Path) -> list[str]:
        """Return what SQLite finds wrong with the file and with the references between its rows."""
        with self.guard(folder, "read"):
            lines = [str(text) for (text,) in db.execute("PRAGMA quick_check") if text != "ok"]
            if not lines:
                for table, row, parent, _ in db.execute("PRAGMA foreign_key_check"):
                    lines.append(f"row {row} of {table} refers to a row of {parent} that does not exist")
        return lines


# ---------------------------------------------------------------- one writer at a time


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


# ---------------------------------------------------------------- the database of a run


DATABASE = "games.sqlite"


class StoreError(ArenaError):
    """The folder of a run cannot be used as asked. Everything stored so far is safe."""


def _words(column: str, codes: Mapping[str, int] | Mapping[str | None, int]) -> str:
    """Return the SQL that turns the code in a column of games into its word."""
    cases = " ".join(f"WHEN {code} THEN '{word}'" for word, code in codes.items() if word is not None)
    return f"CASE g.{column} {cases} END"


_TYPES = {"hist_first": "BLOB", "hist_second": "BLOB", "record": "TEXT", "detail": "TEXT"}
_GAME_COLUMNS = ",\n    ".join(f"{name} {_TYPES.get(name, 'INTEGER')}" for name in ROW_COLUMNS[1:])

GAMES_TABLE = f"""CREATE TABLE games (
    id INTEGER PRIMARY KEY,
    {_GAME_COLUMNS},
    deal INTEGER AS (id >> {PAIRING_BITS + 1}),
    pairing INTEGER AS (id >> 1 & {(1 << PAIRING_BITS) - 1}),
    game INTEGER AS (id & 1),
    points_first INTEGER AS (CASE score WHEN 2 THEN {WIN_POINTS} ELSE stones_first END),
    points_second INTEGER AS (CASE score WHEN 0 THEN {WIN_POINTS} ELSE stones_second END))"""
FORFEITS_INDEX = "CREATE INDEX forfeits ON games (forfeit) WHERE forfeit > 0"
SESSIONS_TABLE = """CREATE TABLE sessions (
    session INTEGER PRIMARY KEY, started REAL NOT NULL, ended REAL NOT NULL, games INTEGER NOT NULL,
    info TEXT NOT NULL)"""
META = "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID"

# For users and other programs; this program does not read it. It shows the games that the tables count.
_GAME_LIST = f"""CREATE VIEW game_list AS
    SELECT p.number AS pairing, p.seed AS deal_seed, g.deal, g.game, p.round,
        CASE g.game WHEN 0 THEN a.name ELSE b.name END AS first,
        CASE g.game WHEN 0 THEN b.name ELSE a.name END AS second,
        g.score / 2.0 AS score, g.stones_first, g.stones_second, g.points_first, g.points_second,
        g.turns, g.plies, {_words("ending", ENDING_CODES)} AS ending,
        {_words("forfeit", FORFEIT_CODES)} AS forfeit,
        CASE WHEN g.forfeit = 0 THEN NULL WHEN g.forfeit_by = 1 + g.game THEN a.name ELSE b.name END AS forfeit_by,
        g.us_first / 1000.0 AS ms_first, g.us_second / 1000.0 AS ms_second,
        g.decisions_first, g.decisions_second, g.record, g.detail
    FROM games g JOIN pairings p ON p.pairing = g.pairing
        JOIN bots a ON a.bot = p.a JOIN bots b ON b.bot = p.b
    WHERE p.number IS NOT NULL AND g.deal < (SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'deals')
    ORDER BY g.deal, p.number, g.game"""

# A run only adds rows to bots and pairings, until a user deletes what no table shows. Games belong to a pairing, so
# they stay true when the field changes. `place` and `number` are what the tables show now: the place of a bot in the
# field, the number of a pairing in the schedule. NULL: not shown.
RUN_SCHEMA = Database(
    what="run",
    file=DATABASE,
    statements=(
        META,
        """CREATE TABLE bots (
    bot INTEGER PRIMARY KEY, place INTEGER, name TEXT NOT NULL, spec TEXT NOT NULL, source TEXT NOT NULL,
    params TEXT NOT NULL, isolation TEXT NOT NULL)""",
        """CREATE TABLE pairings (
    pairing INTEGER PRIMARY KEY, number INTEGER, round INTEGER NOT NULL,
    a INTEGER NOT NULL REFERENCES bots, b INTEGER NOT NULL REFERENCES bots,
    seed INTEGER NOT NULL, design TEXT NOT NULL)""",
        SESSIONS_TABLE,
        GAMES_TABLE,
        FORFEITS_INDEX,
        "CREATE INDEX failed_after ON games (forfeit_by) WHERE forfeit_by > 0",
        _GAME_LIST,
    ),
    application=0x53544F54,  # "STOT"
    version=6,
    error=StoreError,
    synchronous="NORMAL",
    wait_s=30,
    if_read_only="Choose another folder with --out",
    if_older="Play it anew, in another folder",
)
