"""The database of a league: tables, connections, and SQLite's errors in plain words."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from arena.league.settings import LeagueError
from arena.match.schema import SCHEMA as RUN_SCHEMA

DATABASE = "league.sqlite"
VERSION = 1
_APPLICATION = 0x53544C47  # "STLG", tells our databases from others
_PAGE = 16384
_WAIT_S = 60  # for another process's transaction; ours take milliseconds

_GAMES = next(part for part in RUN_SCHEMA.split(";\n") if part.startswith("CREATE TABLE games"))
"""The table of games is that of a run, so that what reads the one reads the other."""

SCHEMA = f"""
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE files (hash TEXT PRIMARY KEY, content BLOB NOT NULL);
CREATE TABLE bots (
    bot INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE COLLATE NOCASE, author TEXT,
    retired REAL, reason TEXT NOT NULL DEFAULT '');
CREATE TABLE processes (
    process INTEGER PRIMARY KEY AUTOINCREMENT, machine TEXT NOT NULL, pid INTEGER NOT NULL, born TEXT NOT NULL,
    doing TEXT NOT NULL, started REAL NOT NULL, seen REAL NOT NULL, ended REAL);
CREATE TABLE versions (
    version INTEGER PRIMARY KEY AUTOINCREMENT, bot INTEGER NOT NULL REFERENCES bots, number INTEGER NOT NULL,
    hash TEXT NOT NULL UNIQUE, entry TEXT NOT NULL, submitted REAL NOT NULL, state TEXT NOT NULL,
    decided REAL, reason TEXT NOT NULL DEFAULT '', attempts INTEGER NOT NULL DEFAULT 0,
    holder INTEGER REFERENCES processes, UNIQUE (bot, number));
CREATE UNIQUE INDEX one_active ON versions (bot) WHERE state = 'active';
CREATE TABLE version_files (
    version INTEGER NOT NULL REFERENCES versions, path TEXT NOT NULL, hash TEXT NOT NULL REFERENCES files,
    executable INTEGER NOT NULL, PRIMARY KEY (version, path)) WITHOUT ROWID;
CREATE TABLE crews (
    crew INTEGER PRIMARY KEY AUTOINCREMENT, process INTEGER NOT NULL REFERENCES processes,
    started REAL NOT NULL, ended REAL, games INTEGER NOT NULL DEFAULT 0, isolation TEXT NOT NULL);
CREATE TABLE pairings (
    pairing INTEGER PRIMARY KEY, a INTEGER NOT NULL REFERENCES versions, b INTEGER NOT NULL REFERENCES versions,
    UNIQUE (a, b), CHECK (a < b));
CREATE TABLE reserved (
    deal INTEGER PRIMARY KEY, pairing INTEGER NOT NULL REFERENCES pairings,
    crew INTEGER NOT NULL REFERENCES crews);
{_GAMES};
CREATE INDEX forfeits ON games (forfeit) WHERE forfeit > 0;
CREATE INDEX by_pairing ON games (pairing);
CREATE TABLE events (
    event INTEGER PRIMARY KEY AUTOINCREMENT, happened REAL NOT NULL, kind TEXT NOT NULL,
    version INTEGER REFERENCES versions, process INTEGER REFERENCES processes, games INTEGER NOT NULL,
    total INTEGER NOT NULL, note TEXT NOT NULL DEFAULT '');
CREATE TABLE ratings (
    event INTEGER NOT NULL REFERENCES events, version INTEGER NOT NULL REFERENCES versions,
    rank INTEGER NOT NULL, elo REAL, error REAL, games INTEGER NOT NULL, wins INTEGER NOT NULL,
    draws INTEGER NOT NULL, losses INTEGER NOT NULL, PRIMARY KEY (event, version)) WITHOUT ROWID;
PRAGMA application_id = {_APPLICATION};
PRAGMA user_version = {VERSION};
"""


@contextmanager
def plain_errors(folder: Path, doing: str) -> Iterator[None]:
    """Turn SQLite's and the system's errors into a LeagueError with a remedy; bugs of ours pass through."""
    try:
        yield
    except (sqlite3.IntegrityError, sqlite3.ProgrammingError):
        raise
    except sqlite3.Error as error:
        raise LeagueError(f"cannot {doing} {folder / DATABASE}: {_reason(error)}") from error
    except OSError as error:
        raise LeagueError(f"cannot {doing} {folder}: {error.strerror or error}") from error


def _reason(error: sqlite3.Error) -> str:
    name = getattr(error, "sqlite_errorname", "") or ""
    if name == "SQLITE_FULL":
        return "the disk is full. What was stored before is safe; make room and give the command again"
    if name.startswith("SQLITE_READONLY"):
        return "the folder or the file is read-only; only standings, history and show can be used"
    if name.startswith("SQLITE_CANTOPEN"):
        return "the file cannot be opened or created there; look at the folder's permissions"
    if name == "SQLITE_NOTADB":
        return "this is not a database. Move the file away or choose another folder with --dir"
    if name.startswith("SQLITE_CORRUPT"):
        return f"the database is damaged ({error}). Restore it from a copy"
    if name.startswith("SQLITE_BUSY") or name == "SQLITE_LOCKED":
        return f"another program has held the database locked for {_WAIT_S} s. Close it and try again"
    if name.startswith("SQLITE_IOERR"):
        return f"the disk reports an error ({error}; is it full?). What was stored before is safe"
    return str(error)


def connect_writer(folder: Path) -> sqlite3.Connection:
    """Open the database for writing; made, empty, if it is not there. Its tables are made by `make_tables`."""
    db = sqlite3.connect(folder / DATABASE, isolation_level=None, timeout=_WAIT_S)
    try:
        db.execute(f"PRAGMA page_size = {_PAGE}")
        check_version(db, folder, may_be_empty=True)
        # Readers work beside writers, and a killed writer leaves whole transactions. FULL: also after a power
        # cut everything is there that was said to be stored; commits are few.
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = FULL")
        db.execute("PRAGMA foreign_keys = ON")
    except BaseException:
        db.close()
        raise
    return db


def make_tables(db: sqlite3.Connection) -> None:
    """Make all tables; to be called within a transaction."""
    for statement in SCHEMA.split(";\n"):
        if statement.strip():
            db.execute(statement)


def connect_reader(folder: Path) -> sqlite3.Connection:
    """Open the database for reading only; works beside writers and on read-only media."""
    path = folder / DATABASE
    address = path.resolve().as_uri()
    # Who may write opens it so that the last one to leave takes the log's files with it.
    mode = "rw" if os.access(path, os.W_OK) and os.access(folder, os.W_OK) else "ro"
    db = sqlite3.connect(f"{address}?mode={mode}", uri=True, isolation_level=None, timeout=_WAIT_S)
    try:
        db.execute("PRAGMA query_only = ON")
        db.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.OperationalError:
        # A WAL database wants to make its shared memory file. Where it cannot, nobody is writing: read as it is.
        db.close()
        if path.with_name(f"{DATABASE}-wal").exists():
            raise
        db = sqlite3.connect(f"{address}?mode=ro&immutable=1", uri=True, isolation_level=None)
    try:
        check_version(db, folder)
    except BaseException:
        db.close()
        raise
    return db


def check_version(db: sqlite3.Connection, folder: Path, may_be_empty: bool = False) -> bool:
    """True if the database has no tables yet; LeagueError if it is none that this program can use."""
    version = db.execute("PRAGMA user_version").fetchone()[0]
    application = db.execute("PRAGMA application_id").fetchone()[0]
    tables = db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if tables == 0 and application == 0:
        if may_be_empty:
            return True
        raise LeagueError(f"there is no league in {folder} yet: {DATABASE} is empty. Create it once more")
    if application != _APPLICATION:
        raise LeagueError(f"{folder / DATABASE} is a database of another program; it holds no league")
    if version > VERSION:
        raise LeagueError(
            f"{folder / DATABASE} was written by a newer version of this program (format {version}, known up"
            f" to {VERSION}). Update the program"
        )
    return False
