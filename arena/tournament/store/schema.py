"""The database of a run: its tables."""

from __future__ import annotations

from collections.abc import Mapping

from arena.endings import ENDING_CODES, FORFEIT_CODES
from arena.errors import ArenaError
from arena.tournament.match.results import COLUMNS, WIN_POINTS
from arena.tournament.match.tasks import PAIRING_BITS
from arena.tournament.store.blocks import BLOCKS
from arena.tournament.store.sqlite import Database
from arena.tournament.store.tables import Table

DATABASE = "games.sqlite"
VERSION = 3
"""Format 2 has checksums (`tables`), format 3 also blocks (`blocks`). Runs of earlier formats
are read and continued without."""
_APPLICATION = 0x53544F54  # "STOT", tells our databases from others


class StoreError(ArenaError):
    """The folder of a run cannot be used as asked. What was stored before is unharmed."""


def _names(column: str, codes: Mapping[str, int] | Mapping[str | None, int]) -> str:
    cases = " ".join(f"WHEN {code} THEN '{word}'" for word, code in codes.items() if word is not None)
    return f"CASE g.{column} {cases} END"


_TYPES = {"hist_first": "BLOB", "hist_second": "BLOB", "record": "TEXT", "detail": "TEXT"}
_GAME_COLUMNS = ",\n    ".join(f"{name} {_TYPES.get(name, 'INTEGER')}" for name in COLUMNS[1:])

GAMES = f"""CREATE TABLE games (
    id INTEGER PRIMARY KEY,
    {_GAME_COLUMNS}{{checksum}},
    deal INTEGER AS (id >> {PAIRING_BITS + 1}),
    pairing INTEGER AS (id >> 1 & {(1 << PAIRING_BITS) - 1}),
    game INTEGER AS (id & 1),
    points_first INTEGER AS (CASE score WHEN 2 THEN {WIN_POINTS} ELSE stones_first END),
    points_second INTEGER AS (CASE score WHEN 0 THEN {WIN_POINTS} ELSE stones_second END))"""
"""The table of games, also of a league. Only the columns that are stored are ever read."""
FORFEITS_INDEX = "CREATE INDEX forfeits ON games (forfeit) WHERE forfeit > 0"
AFTER_INDEX = "CREATE INDEX failed_after ON games (forfeit_by) WHERE forfeit_by > 0"

META = Table(
    "meta",
    {"key": "text", "value": "text"},
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL{checksum}) WITHOUT ROWID",
)
_TABLES = (
    META,
    Table(
        "bots",
        {"bot": "whole", "name": "text", "spec": "text", "source": "text", "params": "json"},
        """CREATE TABLE bots (
    bot INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, spec TEXT NOT NULL, source TEXT NOT NULL,
    params TEXT NOT NULL{checksum})""",
    ),
    Table(
        "pairings",
        {"pairing": "whole", "round": "whole", "a": "whole", "b": "whole"},
        """CREATE TABLE pairings (
    pairing INTEGER PRIMARY KEY, round INTEGER NOT NULL,
    a INTEGER NOT NULL REFERENCES bots, b INTEGER NOT NULL REFERENCES bots{checksum})""",
        refers={"a": "bots", "b": "bots"},
    ),
    Table(
        "sessions",
        {"session": "whole", "started": "time", "ended": "time", "games": "whole", "info": "json"},
        """CREATE TABLE sessions (
    session INTEGER PRIMARY KEY, started REAL NOT NULL, ended REAL NOT NULL, games INTEGER NOT NULL,
    info TEXT NOT NULL{checksum})""",
    ),
    BLOCKS,
)
_GAME_LIST = f"""CREATE VIEW game_list AS
    SELECT g.pairing, g.deal, g.game, p.round,
        CASE g.game WHEN 0 THEN a.name ELSE b.name END AS first,
        CASE g.game WHEN 0 THEN b.name ELSE a.name END AS second,
        g.score / 2.0 AS score, g.stones_first, g.stones_second, g.points_first, g.points_second,
        g.turns, g.plies, {_names("ending", ENDING_CODES)} AS ending,
        {_names("forfeit", FORFEIT_CODES)} AS forfeit,
        CASE g.forfeit_by WHEN 0 THEN NULL WHEN 1 + g.game THEN a.name ELSE b.name END AS forfeit_by,
        g.us_first / 1000.0 AS ms_first, g.us_second / 1000.0 AS ms_second,
        g.decisions_first, g.decisions_second, g.record, g.detail
    FROM games g JOIN pairings p ON p.pairing = g.pairing
        JOIN bots a ON a.bot = p.a JOIN bots b ON b.bot = p.b
    ORDER BY g.id"""
"""For people and other programs; what a stored database says of it is never read here."""


RUN = Database(
    what="run",
    file=DATABASE,
    tables=_TABLES,
    games=GAMES,
    others=(FORFEITS_INDEX, AFTER_INDEX, _GAME_LIST),
    application=_APPLICATION,
    version=VERSION,
    error=StoreError,
    synchronous="NORMAL",
    wait_s=30,
    elsewhere="Choose another folder with --out",
    again="resume the run",
    afresh=" or start the run afresh",
    salvage="'arena verify {folder} --salvage NEW' writes the sound games to a new run, which can be resumed",
)
