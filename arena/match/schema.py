"""The database of a run: tables, connections, and SQLite's errors in plain words."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from arena.errors import ArenaError
from arena.match.results import COLUMNS, ENDINGS, FORFEITS, WIN_POINTS
from arena.match.tasks import PAIRING_BITS

DATABASE = "games.sqlite"
VERSION = 1
_APPLICATION = 0x53544F54  # "STOT", tells our databases from others
_PAGE = 16384  # rows of some 300 bytes: large pages insert a quarter faster
_CACHE_KIB = 16384  # also bounds what a sort keeps in memory


class StoreError(ArenaError):
    """The folder of a run cannot be used as asked. What was stored before is unharmed."""


def _names(column: str, words: tuple[str | None, ...]) -> str:
    cases = " ".join(f"WHEN {at} THEN '{word}'" for at, word in enumerate(words) if word is not None)
    return f"CASE g.{column} {cases} END"


_TYPES = {"hist_first": "BLOB", "hist_second": "BLOB", "record": "TEXT", "detail": "TEXT"}
_GAME_COLUMNS = ",\n    ".join(f"{name} {_TYPES.get(name, 'INTEGER')}" for name in COLUMNS[1:])

SCHEMA = f"""
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE bots (
    bot INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, spec TEXT NOT NULL, source TEXT NOT NULL,
    params TEXT NOT NULL);
CREATE TABLE pairings (
    pairing INTEGER PRIMARY KEY, round INTEGER NOT NULL,
    a INTEGER NOT NULL REFERENCES bots, b INTEGER NOT NULL REFERENCES bots);
CREATE TABLE sessions (
    session INTEGER PRIMARY KEY, started REAL NOT NULL, ended REAL NOT NULL, games INTEGER NOT NULL,
    info TEXT NOT NULL);
CREATE TABLE games (
    id INTEGER PRIMARY KEY,
    {_GAME_COLUMNS},
    deal INTEGER AS (id >> {PAIRING_BITS + 1}),
    pairing INTEGER AS (id >> 1 & {(1 << PAIRING_BITS) - 1}),
    game INTEGER AS (id & 1),
    points_first INTEGER AS (CASE score WHEN 2 THEN {WIN_POINTS} ELSE stones_first END),
    points_second INTEGER AS (CASE score WHEN 0 THEN {WIN_POINTS} ELSE stones_second END));
CREATE INDEX forfeits ON games (forfeit) WHERE forfeit > 0;
CREATE VIEW game_list AS
    SELECT g.pairing, g.deal, g.game, p.round,
        CASE g.game WHEN 0 THEN a.name ELSE b.name END AS first,
        CASE g.game WHEN 0 THEN b.name ELSE a.name END AS second,
        g.score / 2.0 AS score, g.stones_first, g.stones_second, g.points_first, g.points_second,
        g.turns, g.plies, {_names("ending", ENDINGS)} AS ending,
        {_names("forfeit", FORFEITS)} AS forfeit,
        CASE g.forfeit_by WHEN 0 THEN NULL WHEN 1 + g.game THEN a.name ELSE b.name END AS forfeit_by,
        g.us_first / 1000.0 AS ms_first, g.us_second / 1000.0 AS ms_second,
        g.decisions_first, g.decisions_second, g.record, g.detail
    FROM games g JOIN pairings p ON p.pairing = g.pairing
        JOIN bots a ON a.bot = p.a JOIN bots b ON b.bot = p.b
    ORDER BY g.id;
PRAGMA application_id = {_APPLICATION};
PRAGMA user_version = {VERSION};
"""


@contextmanager
def plain_errors(folder: Path, doing: str) -> Iterator[None]:
    """Turn SQLite's and the system's errors into a StoreError with a remedy; bugs of ours pass through."""
    try:
        yield
    except (sqlite3.IntegrityError, sqlite3.ProgrammingError):
        raise
    except sqlite3.Error as error:
        raise StoreError(f"cannot {doing} {folder / DATABASE}: {_reason(error)}") from error
    except OSError as error:
        raise StoreError(f"cannot {doing} {folder}: {error.strerror or error}") from error


def _reason(error: sqlite3.Error) -> str:
    name = getattr(error, "sqlite_errorname", "") or ""
    if name == "SQLITE_FULL":
        return "the disk is full. Games stored before are safe; make room and resume the run"
    if name.startswith("SQLITE_READONLY"):
        return "the folder or the file is read-only. Choose another folder with --out"
    if name.startswith("SQLITE_CANTOPEN"):
        return "the file cannot be opened or created there; look at the folder's permissions"
    if name == "SQLITE_NOTADB":
        return "this is not a database. Move the file away or choose another folder"
    if name.startswith("SQLITE_CORRUPT"):
        return f"the database is damaged ({error}). Restore it from a copy or start the run afresh"
    if name.startswith("SQLITE_BUSY") or name == "SQLITE_LOCKED":
        return "another program holds the database locked. Close it and try again"
    if name.startswith("SQLITE_IOERR"):
        return f"the disk reports an error ({error}; is it full?). Games stored before are safe"
    return str(error)


def connect_writer(folder: Path) -> sqlite3.Connection:
    """Open the database for writing; made if it is not there."""
    db = sqlite3.connect(folder / DATABASE, isolation_level=None, check_same_thread=False, timeout=30)
    try:
        db.execute(f"PRAGMA page_size = {_PAGE}")
        fresh = _check_version(db, folder, may_be_empty=True)
        # readers work beside the writer, and a killed writer leaves whole transactions
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = NORMAL")
        db.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
        if fresh:
            db.execute("BEGIN IMMEDIATE")  # as one transaction: all tables or none
            for statement in SCHEMA.split(";\n"):
                if statement.strip():
                    db.execute(statement)
            db.execute("COMMIT")
    except BaseException:
        db.close()
        raise
    return db


def connect_reader(folder: Path) -> sqlite3.Connection:
    """Open the database for reading only; works beside a run and on read-only media."""
    path = folder / DATABASE
    if not path.is_file():
        raise StoreError(f"there is no run in {folder}: it holds no {DATABASE}")
    address = path.resolve().as_uri()
    db = sqlite3.connect(f"{address}?mode=ro", uri=True, isolation_level=None, timeout=30)
    try:
        db.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.OperationalError:
        # A WAL database wants to make its shared memory file. Where it cannot, nobody is writing: read as
        # it is.
        db.close()
        if path.with_name(DATABASE + "-wal").exists():
            raise
        db = sqlite3.connect(f"{address}?mode=ro&immutable=1", uri=True, isolation_level=None)
    try:
        db.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
        _check_version(db, folder)
    except BaseException:
        db.close()
        raise
    return db


def _check_version(db: sqlite3.Connection, folder: Path, may_be_empty: bool = False) -> bool:
    """True if the database is empty; StoreError if it is not one this program can use."""
    version = db.execute("PRAGMA user_version").fetchone()[0]
    application = db.execute("PRAGMA application_id").fetchone()[0]
    tables = db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if tables == 0 and application == 0:
        if may_be_empty:
            return True
        raise StoreError(f"there is no run in {folder} yet: {DATABASE} is empty")
    if application != _APPLICATION:
        raise StoreError(f"{folder / DATABASE} is a database of another program. Choose another folder")
    if version > VERSION:
        raise StoreError(
            f"{folder / DATABASE} was written by a newer version of this program (format {version}, known up"
            f" to {VERSION}). Update the program, or choose another folder"
        )
    return False
