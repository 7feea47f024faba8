"""The database of a run: its tables, and the table of games that runs and leagues share."""

from __future__ import annotations

from collections.abc import Mapping

from arena.endings import ENDING_CODES, FORFEIT_CODES
from arena.errors import ArenaError
from arena.tournament.match.results import COLUMNS, WIN_POINTS
from arena.tournament.match.tasks import PAIRING_BITS
from arena.tournament.store.sqlite import Database

DATABASE = "games.sqlite"


class StoreError(ArenaError):
    """The folder of a run cannot be used as asked. Everything stored so far is safe."""


def _words(column: str, codes: Mapping[str, int] | Mapping[str | None, int]) -> str:
    """SQL that turns the code in a column of games into its word."""
    cases = " ".join(f"WHEN {code} THEN '{word}'" for word, code in codes.items() if word is not None)
    return f"CASE g.{column} {cases} END"


_TYPES = {"hist_first": "BLOB", "hist_second": "BLOB", "record": "TEXT", "detail": "TEXT"}
_GAME_COLUMNS = ",\n    ".join(f"{name} {_TYPES.get(name, 'INTEGER')}" for name in COLUMNS[1:])

GAMES = f"""CREATE TABLE games (
    id INTEGER PRIMARY KEY,
    {_GAME_COLUMNS},
    deal INTEGER AS (id >> {PAIRING_BITS + 1}),
    pairing INTEGER AS (id >> 1 & {(1 << PAIRING_BITS) - 1}),
    game INTEGER AS (id & 1),
    points_first INTEGER AS (CASE score WHEN 2 THEN {WIN_POINTS} ELSE stones_first END),
    points_second INTEGER AS (CASE score WHEN 0 THEN {WIN_POINTS} ELSE stones_second END))"""
FORFEITS_INDEX = "CREATE INDEX forfeits ON games (forfeit) WHERE forfeit > 0"
META = "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID"

# For people and other programs; this one does not read it.
_GAME_LIST = f"""CREATE VIEW game_list AS
    SELECT g.pairing, g.deal, g.game, p.round,
        CASE g.game WHEN 0 THEN a.name ELSE b.name END AS first,
        CASE g.game WHEN 0 THEN b.name ELSE a.name END AS second,
        g.score / 2.0 AS score, g.stones_first, g.stones_second, g.points_first, g.points_second,
        g.turns, g.plies, {_words("ending", ENDING_CODES)} AS ending,
        {_words("forfeit", FORFEIT_CODES)} AS forfeit,
        CASE g.forfeit_by WHEN 0 THEN NULL WHEN 1 + g.game THEN a.name ELSE b.name END AS forfeit_by,
        g.us_first / 1000.0 AS ms_first, g.us_second / 1000.0 AS ms_second,
        g.decisions_first, g.decisions_second, g.record, g.detail
    FROM games g JOIN pairings p ON p.pairing = g.pairing
        JOIN bots a ON a.bot = p.a JOIN bots b ON b.bot = p.b
    ORDER BY g.id"""

RUN = Database(
    what="run",
    file=DATABASE,
    statements=(
        META,
        """CREATE TABLE bots (
    bot INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, spec TEXT NOT NULL, source TEXT NOT NULL,
    params TEXT NOT NULL)""",
        """CREATE TABLE pairings (
    pairing INTEGER PRIMARY KEY, round INTEGER NOT NULL,
    a INTEGER NOT NULL REFERENCES bots, b INTEGER NOT NULL REFERENCES bots)""",
        """CREATE TABLE sessions (
    session INTEGER PRIMARY KEY, started REAL NOT NULL, ended REAL NOT NULL, games INTEGER NOT NULL,
    info TEXT NOT NULL)""",
        GAMES,
        FORFEITS_INDEX,
        "CREATE INDEX failed_after ON games (forfeit_by) WHERE forfeit_by > 0",
        _GAME_LIST,
    ),
    application=0x53544F54,  # "STOT"
    version=4,
    error=StoreError,
    synchronous="NORMAL",
    wait_s=30,
    if_read_only="Choose another folder with --out",
    if_full="resume the run",
)
