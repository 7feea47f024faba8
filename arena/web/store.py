"""What only the web knows of a league: accounts, tokens, sessions, uploads, kept games; a database beside the league's.

It holds no secret in the clear: of tokens and sessions only hashes are stored.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from arena.bots.processes.forking import fork_lock
from arena.league.settings import LeagueError

FILE = "web.sqlite"
_APPLICATION, _VERSION = 0x53545742, 1  # "STWB"
_WAIT_S = 30.0
_SCHEMA = (
    """CREATE TABLE accounts (
    account INTEGER PRIMARY KEY, author TEXT NOT NULL UNIQUE COLLATE NOCASE, admin INTEGER NOT NULL,
    created REAL NOT NULL)""",
    """CREATE TABLE tokens (
    token INTEGER PRIMARY KEY, account INTEGER NOT NULL REFERENCES accounts, hash TEXT NOT NULL UNIQUE,
    created REAL NOT NULL, expires REAL NOT NULL, used REAL, revoked REAL)""",
    """CREATE TABLE sessions (
    hash TEXT PRIMARY KEY, token INTEGER NOT NULL REFERENCES tokens, created REAL NOT NULL,
    expires REAL NOT NULL) WITHOUT ROWID""",
    """CREATE TABLE uploads (
    upload INTEGER PRIMARY KEY AUTOINCREMENT, account INTEGER NOT NULL REFERENCES accounts, received REAL NOT NULL,
    file TEXT NOT NULL, version INTEGER, outcome TEXT NOT NULL, text TEXT NOT NULL)""",
    "CREATE INDEX uploads_by_account ON uploads (account, received)",
)
_LATER = (
    """CREATE TABLE IF NOT EXISTS kept_games (
    game INTEGER PRIMARY KEY AUTOINCREMENT, account INTEGER NOT NULL REFERENCES accounts, kept REAL NOT NULL,
    bot TEXT NOT NULL, result TEXT NOT NULL, record TEXT NOT NULL)""",
    "CREATE INDEX IF NOT EXISTS kept_games_by_account ON kept_games (account)",
)
"""Tables that a database of the same version may lack: what does not know them does without."""


class WebStore:
    """The database, open for reading and writing; for one thread."""

    def __init__(self, folder: Path) -> None:
        """Open it in a league's folder; made if it is not there. LeagueError if it cannot be used."""
        self.path = folder / FILE
        if self.path.is_symlink() or (self.path.exists() and not self.path.is_file()):
            raise LeagueError(f"{self.path} is not a regular file, so nothing was done. Move it away")
        with self._guard("open"):
            self.path.touch(mode=0o600)
            self._db = sqlite3.connect(self.path, isolation_level=None, timeout=_WAIT_S, check_same_thread=False)
            try:
                self._db.execute("PRAGMA trusted_schema = OFF")
                self._db.execute("PRAGMA journal_mode = WAL")
                self._db.execute("PRAGMA synchronous = FULL")
                self._db.execute("PRAGMA foreign_keys = ON")
                self._make_tables()
            except BaseException:
                self._db.close()
                raise

    def _make_tables(self) -> None:
        with self.change():
            known = self.one("PRAGMA application_id"), self.one("PRAGMA user_version")
            if known == (0, 0) and not self.one("SELECT count(*) FROM sqlite_master"):
                for statement in _SCHEMA:
                    self._db.execute(statement)
                self._db.execute(f"PRAGMA application_id = {_APPLICATION}")
                self._db.execute(f"PRAGMA user_version = {_VERSION}")
            elif known != (_APPLICATION, _VERSION):
                raise LeagueError(f"{self.path} was not written by this version of the program. Move it away")
            for statement in _LATER:
                self._db.execute(statement)

    @contextmanager
    def _guard(self, doing: str) -> Iterator[None]:
        try:
            with fork_lock:
                yield
        except (sqlite3.IntegrityError, sqlite3.ProgrammingError):
            raise
        except (sqlite3.Error, OSError) as error:
            raise LeagueError(f"cannot {doing} {self.path}: {error}") from error

    def query(self, sql: str, *args: object) -> list[tuple[Any, ...]]:
        """All rows of a query."""
        with self._guard("read"):
            return self._db.execute(sql, args).fetchall()

    def one(self, sql: str, *args: object) -> Any:
        """The first value of the first row, None if there is no row."""
        rows = self.query(sql, *args)
        return rows[0][0] if rows else None

    def run(self, sql: str, *args: object) -> int:
        """Change something; how many rows."""
        with self._guard("write to"):
            return self._db.execute(sql, args).rowcount

    def insert(self, sql: str, *args: object) -> int:
        """Insert a row; its number."""
        with self._guard("write to"):
            number = self._db.execute(sql, args).lastrowid
        assert number is not None
        return number

    @contextmanager
    def change(self) -> Iterator[None]:
        """One transaction that writes: all of it is stored when the block has ended, or nothing."""
        with fork_lock:  # for all of it: who waits for SQLite's lock with this one held would hold up who has it
            self.run("BEGIN IMMEDIATE")
            try:
                yield
                self.run("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise

    def close(self) -> None:
        """Let go of the database."""
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
