"""The database of a league: tables and connections."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from arena.league.settings import LeagueError
from arena.store.schema import SCHEMA as RUN_SCHEMA
from arena.store.sqlite import Database, connect

DATABASE = "league.sqlite"
VERSION = 1
_APPLICATION = 0x53544C47  # "STLG", tells our databases from others
_PAGE = 16384

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


LEAGUE = Database(
    what="league",
    file=DATABASE,
    application=_APPLICATION,
    version=VERSION,
    error=LeagueError,
    wait_s=60,  # for another process's transaction; ours take milliseconds
    elsewhere="Only standings, history and show can be used",
    again="give the command again",
    afresh="",
)
plain_errors = LEAGUE.plain_errors


def connect_writer(folder: Path) -> sqlite3.Connection:
    """Open the database for writing; made, without tables, if it is not there."""
    db = connect(folder / DATABASE, isolation_level=None, timeout=LEAGUE.wait_s)
    try:
        db.execute(f"PRAGMA page_size = {_PAGE}")
        LEAGUE.check(db, folder, may_be_empty=True)
        # Readers work beside writers, and a killed writer leaves whole transactions. FULL: also after a power
        # cut everything is there that was said to be stored; commits are few.
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = FULL")
        db.execute("PRAGMA foreign_keys = ON")
    except BaseException:
        db.close()
        raise
    return db


def connect_reader(folder: Path) -> sqlite3.Connection:
    """Open the database for reading only; works beside writers and on read-only media."""
    return LEAGUE.read(folder, tidy=True)
