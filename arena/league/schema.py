"""The database of a league: its tables. That of games is a run's, so that what reads the one reads the other."""

from __future__ import annotations

from arena.league.settings import LeagueError
from arena.store.schema import FORFEITS_INDEX, GAMES
from arena.store.sqlite import Database

DATABASE = "league.sqlite"
VERSION = 1
_APPLICATION = 0x53544C47  # "STLG", tells our databases from others

_TABLES = (
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
