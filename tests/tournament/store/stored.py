"""A store of games between made-up bots, for the tests of the store."""

from __future__ import annotations

import sqlite3
import struct
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.league.store import LEAGUE
from arena.tournament.match.results import COLUMNS, Row
from arena.tournament.match.tasks import Chunk, GameTask
from arena.tournament.store.games import sealed_rows
from arena.tournament.store.reader import BotEntry, Reader
from arena.tournament.store.schema import DATABASE, RUN
from arena.tournament.store.tables import SUM_MASK, row_checksum
from arena.tournament.store.writer import Store, open_store
from tests.tournament.runner.fake import CONFIG, fake_result, pair_tasks, play_pairs
from tests.tournament.store.writer import BOTS

ENTRIES = [BotEntry(name, name, f"hash of {name}", {"depth": 2}) for name in BOTS]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "run", CONFIG, ENTRIES) as opened:
        yield opened


def query(store: Reader, sql: str) -> list[Any]:
    """The rows that another program reads from the database."""
    with closing(sqlite3.connect(store.folder / DATABASE)) as db:
        return db.execute(sql).fetchall()


def forged(database: Path, *changes: str) -> None:
    """Change a database by hand, with checksums as if that had been written by this program."""
    with closing(sqlite3.connect(database, isolation_level=None)) as db:
        changed = sum(db.execute(sql).rowcount for sql in changes)
        assert changed > 0
        for table in (RUN if database.name == DATABASE else LEAGUE).tables:
            db.create_function("row_checksum", -1, row_checksum)
            columns = ", ".join(table.sealed_columns)
            db.execute(f"UPDATE {table.name} SET checksum = row_checksum('{table.name}', {columns})")
        for row in db.execute(f"SELECT {', '.join(COLUMNS)} FROM games").fetchall():
            with suppress(AttributeError, TypeError, struct.error):  # of values that no program of ours could seal
                (sealed,) = sealed_rows([row])
                db.execute("UPDATE games SET text_crc = ?, checksum = ? WHERE id = ?", (*sealed[-2:], row[0]))
        for (name,) in db.execute("SELECT what FROM totals").fetchall():
            sums = [one for (one,) in db.execute(f"SELECT checksum FROM {name}")]
            total = sum(sums) & SUM_MASK
            values = (len(sums), total, row_checksum("totals", name, len(sums), total), name)
            db.execute("UPDATE totals SET rows = ?, total = ?, checksum = ? WHERE what = ?", values)


def chunk_of(deals: range, number: int = 0) -> Chunk:
    return Chunk(number, tuple(pair_tasks(BOTS, deals)))


def expected(deals: range) -> list[Row]:
    return sorted(play_pairs(chunk_of(deals)))


def game(task: GameTask, **changes: Any) -> Row:
    return replace(fake_result(task, faults=False), **changes).to_row()
