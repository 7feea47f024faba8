"""A league's folder, open for reading or writing.

What changes the database is one transaction each (`League.change`), begun with the write lock, so that what was
read in it still holds when it is written. A process that is killed leaves whole transactions and no lock.
"""

from __future__ import annotations

import json
import re
import secrets
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, Self

from arena.bots.isolation.levels import ISOLATIONS
from arena.errors import ArenaError, did_you_mean
from arena.league.figures import LeagueFigures, read_league_figures
from arena.league.settings import LeagueError, LeagueSettings, check_author, check_name, stored_settings
from arena.league.submission import check_path
from arena.tournament.match.results import Row
from arena.tournament.match.tasks import PAIRING_BITS
from arena.tournament.store.games import read_games, store_games
from arena.tournament.store.ownership import MARK, is_marked, mark_of
from arena.tournament.store.schema import FORFEITS_INDEX, GAMES, META
from arena.tournament.store.sqlite import PLAYING as PLAYING
from arena.tournament.store.sqlite import Connection, Database
from arena.tournament.store.tables import Table, read_rows

LEAGUES = Path("leagues")
SECRET_BITS = 128
DATABASE = "league.sqlite"
VERSION = 3
_APPLICATION = 0x53544C47  # "STLG", tells our databases from others

AUDIT = Table(
    "audit",
    {
        "entry": "whole",
        "happened": "time",
        "who": "text",
        "what": "text",
        "subject": "text",
        "author": "text?",
        "outcome": "text",
        "detail": "text",
    },
    """CREATE TABLE audit (
    entry INTEGER PRIMARY KEY AUTOINCREMENT, happened REAL NOT NULL, who TEXT NOT NULL, what TEXT NOT NULL,
    subject TEXT NOT NULL, author TEXT, outcome TEXT NOT NULL, detail TEXT NOT NULL{checksum})""",
    since=3,
)
"""The audit log, see `arena.league.oversight.audit`. A league of format 2 has it with the first entry."""
_TABLES = (
    META,
    Table(
        "files",
        {"hash": "text", "content": "bytes"},
        "CREATE TABLE files (hash TEXT PRIMARY KEY, content BLOB NOT NULL{checksum})",
    ),
    Table(
        "bots",
        {"bot": "whole", "name": "text", "author": "text?", "retired": "time?", "reason": "text"},
        """CREATE TABLE bots (
    bot INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE COLLATE NOCASE, author TEXT,
    retired REAL, reason TEXT NOT NULL DEFAULT ''{checksum})""",
    ),
    Table(
        "sessions",
        {"session": "whole", "doing": "text", "started": "time", "lease": "time", "ended": "time?"},
        """CREATE TABLE sessions (
    session INTEGER PRIMARY KEY AUTOINCREMENT, doing TEXT NOT NULL, started REAL NOT NULL, lease REAL NOT NULL,
    ended REAL{checksum})""",
    ),
    Table(
        "versions",
        {
            "version": "whole",
            "bot": "whole",
            "number": "whole",
            "hash": "text",
            "entry": "text",
            "submitted": "time",
            "state": "text",
            "decided": "time?",
            "reason": "text",
            "attempts": "whole",
            "holder": "whole?",
            "last_turn": "time",
        },
        """CREATE TABLE versions (
    version INTEGER PRIMARY KEY AUTOINCREMENT, bot INTEGER NOT NULL REFERENCES bots, number INTEGER NOT NULL,
    hash TEXT NOT NULL UNIQUE, entry TEXT NOT NULL, submitted REAL NOT NULL, state TEXT NOT NULL,
    decided REAL, reason TEXT NOT NULL DEFAULT '', attempts INTEGER NOT NULL DEFAULT 0,
    holder INTEGER REFERENCES sessions, last_turn REAL NOT NULL DEFAULT 0{checksum}, UNIQUE (bot, number))""",
        refers={"bot": "bots", "holder": "sessions"},
    ),
    Table(
        "version_files",
        {"version": "whole", "path": "text", "hash": "text", "executable": "whole"},
        """CREATE TABLE version_files (
    version INTEGER NOT NULL REFERENCES versions, path TEXT NOT NULL, hash TEXT NOT NULL REFERENCES files,
    executable INTEGER NOT NULL{checksum}, PRIMARY KEY (version, path)) WITHOUT ROWID""",
        key=2,
        refers={"version": "versions"},
    ),
    Table(
        "lineups",
        {
            "lineup": "whole",
            "session": "whole",
            "started": "time",
            "ended": "time?",
            "games": "whole",
            "isolation": "text",
        },
        """CREATE TABLE lineups (
    lineup INTEGER PRIMARY KEY AUTOINCREMENT, session INTEGER NOT NULL REFERENCES sessions,
    started REAL NOT NULL, ended REAL, games INTEGER NOT NULL DEFAULT 0, isolation TEXT NOT NULL{checksum})""",
        refers={"session": "sessions"},
    ),
    Table(
        "pairings",
        {"pairing": "whole", "a": "whole", "b": "whole"},
        """CREATE TABLE pairings (
    pairing INTEGER PRIMARY KEY, a INTEGER NOT NULL REFERENCES versions,
    b INTEGER NOT NULL REFERENCES versions{checksum}, UNIQUE (a, b), CHECK (a < b))""",
        refers={"a": "versions", "b": "versions"},
    ),
    Table(
        "reserved",
        {"deal": "whole", "pairing": "whole", "lineup": "whole"},
        """CREATE TABLE reserved (
    deal INTEGER PRIMARY KEY, pairing INTEGER NOT NULL REFERENCES pairings,
    lineup INTEGER NOT NULL REFERENCES lineups{checksum})""",
        refers={"pairing": "pairings", "lineup": "lineups"},
    ),
    Table(
        "events",
        {
            "event": "whole",
            "happened": "time",
            "kind": "text",
            "version": "whole?",
            "session": "whole?",
            "games": "whole",
            "total": "whole",
            "note": "text",
        },
        """CREATE TABLE events (
    event INTEGER PRIMARY KEY AUTOINCREMENT, happened REAL NOT NULL, kind TEXT NOT NULL,
    version INTEGER REFERENCES versions, session INTEGER REFERENCES sessions, games INTEGER NOT NULL,
    total INTEGER NOT NULL, note TEXT NOT NULL DEFAULT ''{checksum})""",
        refers={"version": "versions", "session": "sessions"},
    ),
    Table(
        "ratings",
        {
            "event": "whole",
            "version": "whole",
            "rank": "whole",
            "elo": "real?",
            "error": "real?",
            "games": "whole",
            "wins": "whole",
            "draws": "whole",
            "losses": "whole",
        },
        """CREATE TABLE ratings (
    event INTEGER NOT NULL REFERENCES events, version INTEGER NOT NULL REFERENCES versions,
    rank INTEGER NOT NULL, elo REAL, error REAL, games INTEGER NOT NULL, wins INTEGER NOT NULL,
    draws INTEGER NOT NULL, losses INTEGER NOT NULL{checksum}, PRIMARY KEY (event, version)) WITHOUT ROWID""",
        key=2,
        refers={"event": "events", "version": "versions"},
    ),
    AUDIT,
)

LEAGUE = Database(
    what="league",
    file=DATABASE,
    tables=_TABLES,
    games=GAMES,
    others=(
        FORFEITS_INDEX,
        "CREATE INDEX by_pairing ON games (pairing)",
        "CREATE UNIQUE INDEX one_active ON versions (bot) WHERE state = 'active'",
    ),
    application=_APPLICATION,
    version=VERSION,
    error=LeagueError,
    synchronous="FULL",  # also after a power cut all is there that was said to be stored; commits are few
    wait_s=60,  # for another process's transaction; ours take milliseconds
    elsewhere="Only standings, history and show can be used",
    again="give the command again",
    afresh="",
    salvage="",
)


_CHECKED = tuple(table.name for table in _TABLES if table.name not in ("files", "ratings"))
"""Tables that are small: all their rows are checked when a league is opened."""
_STATES = ("pending", "placing", "active", "replaced", "refused")


class League:
    """A league. Use as a context manager, or call `close`."""

    def __init__(self, folder: Path, db: Connection) -> None:
        """LeagueError if anything in it is not what this program has written, or could have."""
        self.folder = folder
        self._db = db
        self._figures: tuple[object, LeagueFigures] | None = None
        self._has_checked_ratings = False
        with self.snapshot():
            rows = LEAGUE.check_rows(db, folder, *_CHECKED)
            if (fault := _fault(rows)) is not None:
                raise self.damaged(fault)
        self.settings: LeagueSettings = self.stored_settings()

    def stored_settings(self) -> LeagueSettings:
        """The settings as they are now: another process may have changed the budget."""
        try:
            return stored_settings(json.loads(self.meta("settings")), f"settings stored in {self.folder}")
        except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as error:
            raise self.damaged("its settings cannot be read") from error

    def damaged(self, place: str) -> ArenaError:
        """The error for a league that does not hold what was written into it; `place` says where."""
        return LEAGUE.damaged(self.folder, place)

    def is_ours(self) -> bool:
        """Was the league created by this user, as it is?"""
        rows = dict(self.query("SELECT key, value FROM meta"))
        return is_marked(rows.get(MARK), _marked_text(rows))

    def claim(self) -> None:
        """Note that this user has created the league, or takes it over as it is."""
        mark = mark_of(_marked_text(dict(self.query("SELECT key, value FROM meta"))))
        if mark is not None:
            with self.change():
                self.run("DELETE FROM meta WHERE key = ?", MARK)
                self.run("INSERT INTO meta (key, value) VALUES (?, ?)", MARK, mark)

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

    # ------------------------------------------------------------ games and ratings

    def figures(self) -> LeagueFigures:
        """The results of all games, each checked; read again when there are more."""
        with self.snapshot():
            total = LEAGUE.stamp(self._db, self.folder)
            if self._figures is None or self._figures[0] != total:
                with LEAGUE.guard(self.folder, "read"):
                    self._figures = total, read_league_figures(self._db, self._db.sealed)
            return self._figures[1]

    def games(self, where: str = "", *args: object) -> Iterator[Row]:
        """Whole games in order of identity, each checked."""
        return LEAGUE.checked(self.folder, read_games(self._db, self._db.sealed, where, *args))

    def count_games(self) -> int:
        """The number of games stored."""
        return LEAGUE.stamp(self._db, self.folder)[0]

    def insert_games(self, rows: Sequence[Row]) -> int:
        """Store games, within `change`, leaving those already there as they are; how many were new."""
        assert self._db.in_transaction
        with LEAGUE.guard(self.folder, "write to"):
            return store_games(self._db, rows, self._db.sealed)

    def check_ratings(self) -> None:
        """LeagueError if the standings after some event are not what was written; looks once."""
        if not self._has_checked_ratings:
            with self.snapshot():
                LEAGUE.check_rows(self._db, self.folder, *_CHECKED, "ratings")
            self._has_checked_ratings = True

    def side_of(self, sides: Mapping[int, tuple[int, int]], pairing: int, is_a: bool) -> int:
        """The version that was `a` or `b` in a game. LeagueError for a pairing that is not there."""
        if pairing not in sides:
            raise self.damaged(f"there are games of the pairing {pairing}, but no such pairing")
        return sides[pairing][0 if is_a else 1]

    # ------------------------------------------------------------ SQL

    def query(self, sql: str, *args: object) -> list[tuple[Any, ...]]:
        """All rows of a query."""
        with LEAGUE.guard(self.folder, "read"):
            return self._db.execute(sql, args).fetchall()

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
        with LEAGUE.guard(self.folder, "write to"), self._db.transaction():
            yield

    @property
    def changing(self) -> bool:
        """Is this within `change`?"""
        return self._db.in_transaction

    def have(self, table: Table) -> None:
        """Make a table that leagues of earlier formats may lack, which have no checksums in it."""
        if table.since > self._db.version:
            self.run(table.statement(sealed=False).replace("CREATE TABLE", "CREATE TABLE IF NOT EXISTS", 1))

    def more_rows(self, table: Table, where: str = "", *args: object) -> list[Any]:
        """The rows of such a table (or of those `where` something holds), each checked; none if it is not there."""
        if not self.one("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", table.name):
            return []
        with LEAGUE.guard(self.folder, "read"):
            return read_rows(self._db, table, table.since <= self._db.version, where, *args)

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Put several questions to one state of the database, which a change does anyway."""
        with LEAGUE.guard(self.folder, "read"), self._db.snapshot():
            yield

    def meta(self, key: str) -> str:
        """A value that was stored when the league was created."""
        value = self.one("SELECT value FROM meta WHERE key = ?", key)
        if value is None:
            raise LeagueError(f"the league in {self.folder} is incomplete: its database holds no {key}")
        return str(value)


def _marked_text(meta: Mapping[str, str]) -> str:
    """What decides how a league's bots are run, and which league it is. Other settings may change."""
    try:
        isolation = json.loads(meta["settings"])["isolation"]
    except (KeyError, RecursionError, TypeError, ValueError):
        isolation = None
    return json.dumps(["league", isolation, meta.get("secret")])


def _fault(rows: Mapping[str, list[Any]]) -> str | None:
    """What no program of ours would have written into a league, None if there is nothing of the kind."""
    meta = dict(rows["meta"])
    if not re.fullmatch(r"[0-9]{1,15}", meta.get("deals", "")):
        return "its number of deals is none"
    try:
        for _, name, author, _, _ in rows["bots"]:
            check_name(name, "bot")
            if check_author(author) != author:
                return f"the author {author!a} is none"
        for _, path, _, _ in rows["version_files"]:
            check_path(path)
    except LeagueError as error:
        return str(error)
    for version, _, number, hash_, *_, state, _, _, _, _, _ in rows["versions"]:
        if state not in _STATES or number < 1 or not re.fullmatch(r"[0-9a-f]{64}", hash_):
            return f"version {version} has a state, number or hash that there is not"
    if any(row[-1] not in ISOLATIONS for row in rows["lineups"]):
        return "its bots have played in an isolation that there is not"
    if any(number >> PAIRING_BITS or a >= b for number, a, b in rows["pairings"]):
        return "a pairing is not valid"
    return None


# ---------------------------------------------------------------- making and finding


def create_league(folder: Path, settings: LeagueSettings, secret: str | None = None) -> League:
    """Make a league. LeagueError if the folder has one, or cannot hold one.

    `secret` is what all deals follow from, default 128 random bits; it is for tests to give one.
    """
    check_name(settings.name, "league")
    with LEAGUE.guard(folder, "write to"):
        folder.mkdir(parents=True, exist_ok=True)
        LEAGUE.check_files(folder, write=True)
        (folder / DATABASE).touch(mode=0o600)  # it holds the deals to come, and everybody's bots
        db = LEAGUE.open_writer(folder)
        try:
            db.execute("BEGIN IMMEDIATE")
            if not LEAGUE.is_empty(db, folder):
                raise LeagueError(f"{folder} already holds a league; look at it with: arena league show {folder}")
            LEAGUE.make_tables(db)  # all tables and the settings, or nothing
            values = {
                "settings": json.dumps(asdict(settings), sort_keys=True),
                "secret": secret or f"{secrets.randbits(SECRET_BITS):032x}",
                "created": repr(time.time()),
                "deals": "0",
            }
            if (mark := mark_of(_marked_text(values))) is not None:
                values[MARK] = mark
            db.executemany("INSERT INTO meta (key, value) VALUES (?, ?)", values.items())
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
        LEAGUE.check_files(folder, write)
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


def league_names() -> list[str]:
    """The names of all leagues in leagues/."""
    return sorted(path.parent.name for path in LEAGUES.glob(f"*/{DATABASE}"))
