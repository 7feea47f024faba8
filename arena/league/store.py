"""A league's folder, open for reading or writing.

What changes the database is one transaction each (`League.change`), begun with the write lock, so that what was
read in it still holds when it is written. A process that is killed leaves whole transactions and no lock.
"""

from __future__ import annotations

import json
import secrets
import sqlite3
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, Self

from arena.errors import did_you_mean
from arena.league.settings import LeagueError, LeagueSettings, check_name, stored_settings
from arena.store.schema import FORFEITS_INDEX, GAMES
from arena.store.sqlite import Database

LEAGUES = Path("leagues")
SECRET_BITS = 128
DATABASE = "league.sqlite"
VERSION = 1
_APPLICATION = 0x53544C47  # "STLG", tells our databases from others

_TABLES = (  # that of games is a run's, so that what reads the one reads the other
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE files (hash TEXT PRIMARY KEY, content BLOB NOT NULL)",
    """CREATE TABLE bots (
    bot INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE COLLATE NOCASE, author TEXT,
    retired REAL, reason TEXT NOT NULL DEFAULT '')""",
    """CREATE TABLE processes (
    process INTEGER PRIMARY KEY AUTOINCREMENT, machine TEXT NOT NULL, pid INTEGER NOT NULL, born TEXT NOT NULL,
    doing TEXT NOT NULL, started REAL NOT NULL, seen REAL NOT NULL, ended REAL)""",
    """CREATE TABLE versions (
    version INTEGER PRIMARY KEY AUTOINCREMENT, bot INTEGER NOT NULL REFERENCES bots, number INTEGER NOT NULL,
    hash TEXT NOT NULL UNIQUE, entry TEXT NOT NULL, submitted REAL NOT NULL, state TEXT NOT NULL,
    decided REAL, reason TEXT NOT NULL DEFAULT '', attempts INTEGER NOT NULL DEFAULT 0,
    holder INTEGER REFERENCES processes, UNIQUE (bot, number))""",
    "CREATE UNIQUE INDEX one_active ON versions (bot) WHERE state = 'active'",
    """CREATE TABLE version_files (
    version INTEGER NOT NULL REFERENCES versions, path TEXT NOT NULL, hash TEXT NOT NULL REFERENCES files,
    executable INTEGER NOT NULL, PRIMARY KEY (version, path)) WITHOUT ROWID""",
    """CREATE TABLE crews (
    crew INTEGER PRIMARY KEY AUTOINCREMENT, process INTEGER NOT NULL REFERENCES processes,
    started REAL NOT NULL, ended REAL, games INTEGER NOT NULL DEFAULT 0, isolation TEXT NOT NULL)""",
    """CREATE TABLE pairings (
    pairing INTEGER PRIMARY KEY, a INTEGER NOT NULL REFERENCES versions, b INTEGER NOT NULL REFERENCES versions,
    UNIQUE (a, b), CHECK (a < b))""",
    """CREATE TABLE reserved (
    deal INTEGER PRIMARY KEY, pairing INTEGER NOT NULL REFERENCES pairings,
    crew INTEGER NOT NULL REFERENCES crews)""",
    GAMES,
    FORFEITS_INDEX,
    "CREATE INDEX by_pairing ON games (pairing)",
    """CREATE TABLE events (
    event INTEGER PRIMARY KEY AUTOINCREMENT, happened REAL NOT NULL, kind TEXT NOT NULL,
    version INTEGER REFERENCES versions, process INTEGER REFERENCES processes, games INTEGER NOT NULL,
    total INTEGER NOT NULL, note TEXT NOT NULL DEFAULT '')""",
    """CREATE TABLE ratings (
    event INTEGER NOT NULL REFERENCES events, version INTEGER NOT NULL REFERENCES versions,
    rank INTEGER NOT NULL, elo REAL, error REAL, games INTEGER NOT NULL, wins INTEGER NOT NULL,
    draws INTEGER NOT NULL, losses INTEGER NOT NULL, PRIMARY KEY (event, version)) WITHOUT ROWID""",
)

LEAGUE = Database(
    what="league",
    file=DATABASE,
    tables=_TABLES,
    application=_APPLICATION,
    version=VERSION,
    error=LeagueError,
    synchronous="FULL",  # also after a power cut all is there that was said to be stored; commits are few
    wait_s=60,  # for another process's transaction; ours take milliseconds
    elsewhere="Only standings, history and show can be used",
    again="give the command again",
    afresh="",
)


class League:
    """A league. Use as a context manager, or call `close`."""

    def __init__(self, folder: Path, db: sqlite3.Connection) -> None:
        self.folder = folder
        self._db = db
        self.settings: LeagueSettings = stored_settings(json.loads(self.meta("settings")))

    @property
    def name(self) -> str:
        return self.settings.name

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the database."""
        with LEAGUE.guard(self.folder, "close"):
            self._db.close()

    # ------------------------------------------------------------ SQL

    def query(self, sql: str, *args: object) -> list[tuple[Any, ...]]:
        """All rows of a query."""
        with LEAGUE.guard(self.folder, "read"):
            return self._db.execute(sql, args).fetchall()

    def stream(self, sql: str, *args: object) -> Iterator[tuple[Any, ...]]:
        """The rows of a query one by one."""
        return LEAGUE.stream(self._db, self.folder, sql, args)

    def one(self, sql: str, *args: object) -> Any:
        """The first value of the first row, None if there is no row."""
        with LEAGUE.guard(self.folder, "read"):
            row = self._db.execute(sql, args).fetchone()
        return None if row is None else row[0]

    def run(self, sql: str, *args: object) -> int:
        """Change something, within `change`; the number of rows changed."""
        assert self._db.in_transaction
        with LEAGUE.guard(self.folder, "write to"):
            return self._db.execute(sql, args).rowcount

    def insert(self, sql: str, *args: object) -> int:
        """Insert a row, within `change`; its number."""
        assert self._db.in_transaction
        with LEAGUE.guard(self.folder, "write to"):
            number = self._db.execute(sql, args).lastrowid
        assert number is not None
        return number

    def run_many(self, sql: str, rows: Iterable[tuple[Any, ...]]) -> int:
        """As `run`, for many rows."""
        assert self._db.in_transaction
        with LEAGUE.guard(self.folder, "write to"):
            return self._db.executemany(sql, rows).rowcount

    @contextmanager
    def change(self) -> Iterator[None]:
        """One transaction that writes: all of it is stored when the block has ended, or nothing."""
        with LEAGUE.guard(self.folder, "write to"):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:  # some errors have rolled back by themselves
                    self._db.execute("ROLLBACK")
                raise

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Put several questions to one state of the database, which a change does anyway."""
        if self._db.in_transaction:
            yield
            return
        with LEAGUE.guard(self.folder, "read"):
            self._db.execute("BEGIN")
            try:
                yield
            finally:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")

    def meta(self, key: str) -> str:
        """A value that was stored when the league was created."""
        value = self.one("SELECT value FROM meta WHERE key = ?", key)
        if value is None:
            raise LeagueError(f"the league in {self.folder} is incomplete: its database holds no {key}")
        return str(value)


# ---------------------------------------------------------------- making and finding


def create_league(folder: Path, settings: LeagueSettings, secret: str | None = None) -> League:
    """Make a league. LeagueError if the folder has one, or cannot hold one.

    `secret` is what all deals follow from, default 128 random bits; it is for tests to give one.
    """
    check_name(settings.name, "league")
    with LEAGUE.guard(folder, "write to"):
        folder.mkdir(parents=True, exist_ok=True)
        db = LEAGUE.open_writer(folder)
        try:
            db.execute("BEGIN IMMEDIATE")
            if not LEAGUE.is_empty(db, folder):
                raise LeagueError(
                    f"there is a league in {folder} already; look at it with: arena league standings {folder}"
                )
            LEAGUE.make_tables(db)  # all tables and the settings, or nothing
            values = {
                "settings": json.dumps(asdict(settings), sort_keys=True),
                "secret": secret or f"{secrets.randbits(SECRET_BITS):032x}",
                "created": repr(time.time()),
                "deals": "0",
            }
            db.executemany("INSERT INTO meta VALUES (?, ?)", values.items())
            db.execute("INSERT INTO events (happened, kind, games, total) VALUES (?, 'created', 0, 0)", (time.time(),))
            db.execute("COMMIT")
            return League(folder, db)
        except BaseException:
            db.close()
            raise


def open_league(text: str | Path, write: bool = True) -> League:
    """Open a league by its name in leagues/ or by its folder. LeagueError if there is none."""
    folder = league_folder(text)
    with LEAGUE.guard(folder, "open"):
        db = LEAGUE.open_writer(folder) if write else LEAGUE.open_reader(folder, tidy=True)
        try:
            if LEAGUE.is_empty(db, folder):
                raise LeagueError(f"there is no league in {folder} yet: {DATABASE} is empty")
            return League(folder, db)
        except BaseException:
            db.close()
            raise


def league_folder(text: str | Path) -> Path:
    """The folder of an existing league, by its path or by its name in leagues/."""
    if (path := Path(text)).name == DATABASE:
        path = path.parent
    for folder in (LEAGUES / path, path):
        if (folder / DATABASE).is_file():
            return folder
    names = league_names()
    near = did_you_mean(path.name, names)
    known = f" (in leagues/: {', '.join(names[:10])}{', ...' if len(names) > 10 else ''})" if names else ""
    make = "" if names else f". Create one with: arena league create {path.name}"
    raise LeagueError(f"there is no league '{text}'{near}{known}{make}")


def league_names(root: Path = LEAGUES) -> list[str]:
    """The names of all leagues in leagues/."""
    return sorted(path.parent.name for path in root.glob(f"*/{DATABASE}"))
