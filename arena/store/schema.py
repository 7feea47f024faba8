"""The database of a run: tables and connections."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from arena.errors import ArenaError
from arena.match.results import COLUMNS, ENDINGS, FORFEITS, WIN_POINTS
from arena.match.tasks import PAIRING_BITS
from arena.store.sqlite import Database, connect, make_tables

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


RUN = Database(
    what="run",
    file=DATABASE,
    application=_APPLICATION,
    version=VERSION,
    error=StoreError,
    wait_s=30,
    elsewhere="Choose another folder with --out",
    again="resume the run",
    afresh=" or start the run afresh",
)
plain_errors = RUN.plain_errors


def connect_writer(folder: Path) -> sqlite3.Connection:
    """Open the database for writing; made if it is not there."""
    db = connect(
        folder / DATABASE, isolation_level=None, check_same_thread=False, timeout=RUN.wait_s
    )
    try:
        db.execute(f"PRAGMA page_size = {_PAGE}")
        fresh = RUN.check(db, folder, may_be_empty=True)
        # readers work beside the writer, and a killed writer leaves whole transactions
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = NORMAL")
        db.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
        if fresh:
            db.execute("BEGIN IMMEDIATE")
            make_tables(db, SCHEMA)
            db.execute("COMMIT")
    except BaseException:
        db.close()
        raise
    return db


def connect_reader(folder: Path) -> sqlite3.Connection:
    """Open the database for reading only; works beside a run and on read-only media."""
    if not (folder / DATABASE).is_file():
        raise StoreError(f"there is no run in {folder}: it holds no {DATABASE}")
    db = RUN.read(folder)
    db.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
    return db
