"""A league's folder, open for reading or writing.

Every change of the database is one transaction (`League.change`) that begins with the write lock, so that what it has
read still holds when it writes. A killed process leaves whole transactions and no lock.
"""

from __future__ import annotations

import json
import secrets
import shlex
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, Self

from arena.errors import did_you_mean
from arena.league.league_settings import LeagueError, LeagueSettings, check_name, stored_settings
from arena.tournament.games import DEAL_BITS
from arena.tournament.store.reader import Reader
from arena.tournament.store.sqlite import GAMES_TABLE, META, SESSIONS_TABLE, Connection, Database
from arena.tournament.store.writer import insert_games

LEAGUES = Path("leagues")
SECRET_BITS = 128
LEAGUE_DATABASE = "league.sqlite"

# A league's versions and meetings as the bots and pairings of a run: `arena.tournament.store.reader` reads both. The
# tables of a run show the versions that count for the table: those that are, or were, accepted of bots in the league.
_SHOWN = """CREATE VIEW shown AS
    SELECT v.version, row_number() OVER (ORDER BY v.version) - 1 AS place FROM versions v JOIN names b ON b.bot = v.bot
    WHERE v.state IN ('active', 'replaced') AND b.retired IS NULL"""
_BOTS = """CREATE VIEW bots AS
    SELECT v.version AS bot, s.place, b.name || ' v' || v.number AS name, v.entry AS spec, v.hash AS source,
        '{}' AS params, '' AS isolation
    FROM versions v JOIN names b ON b.bot = v.bot LEFT JOIN shown s ON s.version = v.version"""
_PAIRINGS = """CREATE VIEW pairings AS
    SELECT pairing, CASE WHEN a IN (SELECT version FROM shown) AND b IN (SELECT version FROM shown) THEN pairing END
        AS number, 0 AS round, a, b, seed, '' AS design
    FROM meetings"""

LEAGUE = Database(
    what="league",
    file=LEAGUE_DATABASE,
    statements=(
        META,
        "CREATE TABLE files (hash TEXT PRIMARY KEY, content BLOB NOT NULL)",
        """CREATE TABLE names (
    bot INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE COLLATE NOCASE, author TEXT,
    retired REAL, reason TEXT NOT NULL DEFAULT '')""",
        """CREATE TABLE versions (
    version INTEGER PRIMARY KEY AUTOINCREMENT, bot INTEGER NOT NULL REFERENCES names, number INTEGER NOT NULL,
    hash TEXT NOT NULL UNIQUE, entry TEXT NOT NULL, submitted REAL NOT NULL, state TEXT NOT NULL,
    decided REAL, reason TEXT NOT NULL DEFAULT '', attempts INTEGER NOT NULL DEFAULT 0, UNIQUE (bot, number))""",
        """CREATE TABLE version_files (
    version INTEGER NOT NULL REFERENCES versions, path TEXT NOT NULL, hash TEXT NOT NULL REFERENCES files,
    executable INTEGER NOT NULL, PRIMARY KEY (version, path)) WITHOUT ROWID""",
        """CREATE TABLE meetings (
    pairing INTEGER PRIMARY KEY, a INTEGER NOT NULL REFERENCES versions,
    b INTEGER NOT NULL REFERENCES versions, seed INTEGER NOT NULL, UNIQUE (a, b), CHECK (a < b))""",
        """CREATE TABLE events (
    event INTEGER PRIMARY KEY AUTOINCREMENT, happened REAL NOT NULL, kind TEXT NOT NULL,
    version INTEGER REFERENCES versions, games INTEGER NOT NULL, total INTEGER NOT NULL,
    note TEXT NOT NULL DEFAULT '')""",
        """CREATE TABLE ratings (
    event INTEGER NOT NULL REFERENCES events, version INTEGER NOT NULL REFERENCES versions,
    rank INTEGER NOT NULL, elo REAL, minus REAL, plus REAL, games INTEGER NOT NULL, wins INTEGER NOT NULL,
    draws INTEGER NOT NULL, losses INTEGER NOT NULL, PRIMARY KEY (event, version)) WITHOUT ROWID""",
        """CREATE TABLE audit (
    entry INTEGER PRIMARY KEY AUTOINCREMENT, happened REAL NOT NULL, who TEXT NOT NULL, what TEXT NOT NULL,
    subject TEXT NOT NULL, author TEXT, outcome TEXT NOT NULL, detail TEXT NOT NULL)""",
        SESSIONS_TABLE,
        GAMES_TABLE,
        _SHOWN,
        _BOTS,
        _PAIRINGS,
        "CREATE INDEX faults ON games (forfeit_by) WHERE forfeit_by > 0",
        "CREATE INDEX by_pairing ON games (pairing)",
        "CREATE UNIQUE INDEX one_active ON versions (bot) WHERE state = 'active'",
    ),
    application=0x53544C47,  # "STLG"
    version=9,
    error=LeagueError,
    synchronous="FULL",  # what was reported as stored survives a power cut; commits are few
    wait_s=60,  # for another process's transaction; ours take milliseconds
    if_read_only="Only standings, history and show can be used",
    if_older="Create a new league, and submit the bots to it again; the earlier version writes their files:"
    " arena standings LEAGUE BOT --files DIR",
)


class LeagueStore:
    """A database in a league's folder. Use it as a context manager, or call `close`."""

    def __init__(self, kind: Database, folder: Path, db: Connection) -> None:
        self.folder = folder
        self._kind = kind
        self._db = db

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the database."""
        with self._kind.guard(self.folder, "close"):
            self._db.close()

    def query(self, sql: str, *args: object) -> list[tuple[Any, ...]]:
        """Return all rows of a query."""
        with self._kind.guard(self.folder, "read"):
            return self._db.execute(sql, args).fetchall()

    def value(self, sql: str, *args: object) -> Any:
        """Return the first value of the first row; None if there is no row."""
        with self._kind.guard(self.folder, "read"):
            row = self._db.execute(sql, args).fetchone()
        return None if row is None else row[0]

    def run(self, sql: str, *args: object) -> int:
        """Run a statement within `change`; return the number of rows changed."""
        assert self._db.in_transaction
        with self._kind.guard(self.folder, "write to"):
            return self._db.execute(sql, args).rowcount

    def insert(self, sql: str, *args: object) -> int:
        """Insert a row within `change`; return its number."""
        assert self._db.in_transaction
        with self._kind.guard(self.folder, "write to"):
            number = self._db.execute(sql, args).lastrowid
        assert number is not None
        return number

    def run_many(self, sql: str, rows: Iterable[tuple[Any, ...]]) -> int:
        """Run a statement within `change` for each of many rows; return the number of rows changed."""
        assert self._db.in_transaction
        with self._kind.guard(self.folder, "write to"):
            return self._db.executemany(sql, rows).rowcount

    @contextmanager
    def change(self) -> Iterator[None]:
        """Open a transaction for writing: when the block has ended, all of it is stored, or nothing.

        Within another change it is a part of that one.
        """
        with self._kind.guard(self.folder, "write to"), self._db.transaction():
            yield

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Read from one state of the database throughout the block, as within `change`."""
        with self._kind.guard(self.folder, "read"), self._db.snapshot():
            yield


class League(LeagueStore):
    """A league: its settings, its games and everything else in its database."""

    def __init__(self, folder: Path, db: Connection) -> None:
        super().__init__(LEAGUE, folder, db)
        self._session: int | None = None

    @property
    def settings(self) -> LeagueSettings:
        """The current settings: another process may have changed the limits."""
        try:
            return stored_settings(json.loads(self.meta("settings")), f"settings stored in {self.folder}")
        except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as error:
            raise LEAGUE.damaged(self.folder, "its settings cannot be read") from error

    @property
    def name(self) -> str:
        """The league's name."""
        return self.settings.name

    # ------------------------------------------------------------ games

    def reader(self, hidden: bool = True) -> Reader:
        """Return a reader of the games, as a run has one; its bots are versions, by their labels.

        Without the `hidden` games, it yields those that count for the table.
        """
        return Reader(self.folder, LEAGUE, self._db, hidden)

    def count_games(self, version: int | None = None) -> int:
        """Return the number of games stored, or of those of a version."""
        where = "" if version is None else " WHERE pairing IN (SELECT pairing FROM meetings WHERE ? IN (a, b))"
        return int(self.value(f"SELECT count(*) FROM games{where}", *(() if version is None else (version,))))

    def insert_games(self, rows: Sequence[tuple[Any, ...]]) -> int:
        """Store games, leaving those already there as they are; return how many were new."""
        if self._session is None:
            self.begin_session({})
        with self.change(), LEAGUE.guard(self.folder, "write to"):
            new = insert_games(self._db, rows)
            put = "UPDATE sessions SET ended = ?, games = games + ? WHERE session = ?"
            self.run(put, time.time(), new, self._session)
        return new

    def begin_session(self, info: Mapping[str, Any]) -> None:
        """Record the start of a session of play, with remarks such as the number of workers."""
        now = time.time()
        with self.change():
            put = "INSERT INTO sessions (started, ended, games, info) VALUES (?, ?, 0, ?)"
            self._session = self.insert(put, now, now, json.dumps(info, sort_keys=True))

    def meta(self, key: str) -> str:
        """Return a value that was stored when the league was created; raise LeagueError if it is missing."""
        value = self.value("SELECT value FROM meta WHERE key = ?", key)
        if value is None:
            raise LeagueError(f"the league in {self.folder} is incomplete: its database holds no {key}")
        return str(value)


# ---------------------------------------------------------------- making and finding


def create_league(folder: Path, settings: LeagueSettings, secret: str | None = None) -> League:
    """Create a league and return it. Raise LeagueError if the folder already has one, or cannot hold one.

    All deals follow from `secret`, by default 128 random bits; only tests pass one.
    """
    check_name(settings.name, "league")
    with LEAGUE.guard(folder, "write to"):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / LEAGUE_DATABASE).touch(mode=0o600)  # it holds the deals to come, and everybody's bots
        db = LEAGUE.open_writer(folder)
        try:
            with db.transaction():  # all tables and the settings, or nothing
                if LEAGUE.has_tables(db, folder):
                    look = f"arena standings {shlex.quote(str(folder))}"
                    raise LeagueError(f"{folder} already holds a league; look at it with: {look}")
                LEAGUE.make_tables(db)
                values = {
                    "settings": json.dumps(asdict(settings), sort_keys=True),
                    "secret": secret or f"{secrets.randbits(SECRET_BITS):032x}",
                    "created": repr(time.time()),
                    "deals": str((1 << DEAL_BITS) - 1),  # the games on all deals are shown
                }
                db.executemany("INSERT INTO meta (key, value) VALUES (?, ?)", values.items())
                put = "INSERT INTO events (happened, kind, games, total) VALUES (?, 'created', 0, 0)"
                db.execute(put, (time.time(),))
            return League(folder, db)
        except BaseException:
            db.close()
            raise


def open_league(text: str | Path, write: bool = True) -> League:
    """Open a league by its name in leagues/ or by its folder. Raise LeagueError if there is none."""
    folder = league_folder(text)
    with LEAGUE.guard(folder, "open"):
        db = LEAGUE.open_writer(folder) if write else LEAGUE.open_reader(folder)
        try:
            if not LEAGUE.has_tables(db, folder):
                raise LeagueError(f"there is no league in {folder} yet: {LEAGUE_DATABASE} is empty")
            return League(folder, db)
        except BaseException:
            db.close()
            raise


def league_folder(text: str | Path) -> Path:
    """Return the folder of a league, given by its path or its name in leagues/; raise LeagueError if there is none."""
    if (path := Path(text)).name == LEAGUE_DATABASE:
        path = path.parent
    for folder in (LEAGUES / path, path):
        if (folder / LEAGUE_DATABASE).is_file():
            return folder
    names = league_names()
    more = "All in leagues/: arena league" if names else f"Create one with: arena league create {path.name}"
    raise LeagueError(f"there is no league '{text}'{did_you_mean(path.name, names)}. {more}")


def sole_league(command: str) -> Path:
    """Return the folder of the only league in leagues/ and the current folder, for a command that names none.

    Raise LeagueError, which completes the command, if there is none or several.
    """
    found = [LEAGUES / name for name in league_names()]
    if Path(LEAGUE_DATABASE).is_file():
        found.append(Path())
    if len(found) == 1:
        return found[0]
    if not found:
        raise LeagueError(
            "there is no league in leagues/. Create one with: arena league create NAME, or name the folder of a league:"
            f" {command} FOLDER. A league on the web: arena submit BOT --server URL"
        )
    name = shlex.quote(found[0].name or ".")
    raise LeagueError(f"there are {len(found)} leagues here. Name one of them, such as: {command} {name}")


def league_names() -> list[str]:
    """Return the names of all leagues in leagues/."""
    return sorted(path.parent.name for path in LEAGUES.glob(f"*/{LEAGUE_DATABASE}"))
