"""Rows on their way into the store: a chunk's rows as an image of a small database.

The process that writes the store is one for all workers, so what it does for each game limits how many
workers pay. A worker puts its rows into a table in memory, of the same shape as the store's, and sends the
table's bytes; SQLite then copies it whole, record by record, without looking into them. That is five times
cheaper than inserting row by row, and what it costs the worker is done in parallel.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from arena.match.results import COLUMNS, Row
from arena.match.tasks import PAIRING_BITS, Chunk, GameId, SeriesTask
from arena.store.schema import SCHEMA
from arena.store.sqlite import connect

_PARTS = [
    part for part in SCHEMA.split(";\n") if part.lstrip().startswith(("CREATE TABLE games", "CREATE INDEX"))
]
_INSERT = f"INSERT INTO games ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))})"
_SELECT = f"SELECT {', '.join(COLUMNS)} FROM games ORDER BY id"
_PAGE = 16384


def _table() -> sqlite3.Connection:
    db = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    db.execute(f"PRAGMA page_size = {_PAGE}")
    db.execute("PRAGMA journal_mode = OFF")  # a table that failed is made anew
    db.execute("PRAGMA cache_size = -65536")
    for part in _PARTS:
        db.execute(part)
    return db


COPY = "INSERT INTO main.games SELECT * FROM delivery.games"
"""Copies an attached image into the store: record by record as bytes, SQLite's way for tables of one shape.

It is for that way that an image has the store's index and its generated columns.
"""
CHECK = f"""SELECT count(*), ifnull(sum(id >> {PAIRING_BITS + 1}), 0),
    ifnull(sum(id & {(1 << PAIRING_BITS + 1) - 1}), 0) FROM delivery.games"""


def attach(db: sqlite3.Connection, image: bytes) -> None:
    """Make the table of an image readable as `delivery.games`, instead of the one before."""
    if not any(name == "delivery" for _, name, _ in db.execute("PRAGMA database_list")):
        db.execute("ATTACH ':memory:' AS delivery")
    db.deserialize(image, name="delivery")


class Packer:
    """Packs rows again and again; keeps its table, whose making costs as much as some hundred rows."""

    def __init__(self) -> None:
        self._db = _table()

    def pack(self, rows: Sequence[Row]) -> bytes:
        """The image of some rows. Each game must come once (sqlite3.IntegrityError)."""
        try:
            self._db.execute("BEGIN")
            self._db.execute("DELETE FROM games")
            self._db.executemany(_INSERT, rows)
            self._db.execute("COMMIT")
        except BaseException:
            self._db.close()
            self._db = _table()
            raise
        return self._db.serialize()


def unpack(image: bytes, chunk: Chunk) -> list[Row]:
    """The rows of an image in the order of the chunk's units, which the image itself does not keep.

    >>> from arena.match.tasks import PairTask
    >>> row = (0, 2, 0, 0, 0, 5, 3, 48, 49, 24, 24, 100, 120, 5, 6, b"", b"", 400, "record", None)
    >>> unpack(Packer().pack([row]), Chunk(0, (PairTask(0, 0, "a", "b", games=(0,)),))) == [row]
    True
    """
    db = connect(":memory:", isolation_level=None)
    try:
        db.deserialize(image)
        rows: list[Row] = db.execute(_SELECT).fetchall()
    finally:
        db.close()
    places: dict[tuple[int, int], int] = {}
    for place, task in enumerate(chunk.tasks):
        deals = task.rule.stride if isinstance(task, SeriesTask) else 1
        places.update(((task.pairing, deal), place) for deal in range(task.deal, task.deal + deals))

    def order(row: Row) -> tuple[int, int]:
        identity = GameId.from_key(row[0])
        return (places.get((identity.pairing, identity.deal), len(places)), row[0])

    return sorted(rows, key=order)
