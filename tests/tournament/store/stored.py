"""A store of games between made-up bots, for the tests of the store."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.tournament.games import Chunk, GameTask, Row
from arena.tournament.store.reader import BotEntry, Reader
from arena.tournament.store.sqlite import DATABASE
from arena.tournament.store.writer import Store, open_store
from tests.tournament.runner.fake import CONFIG, fake_result, pair_tasks, play_pairs, row_of
from tests.tournament.store.writer import BOTS

ENTRIES = [BotEntry(name, name, f"hash of {name}", {"depth": 2}) for name in BOTS]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "run", CONFIG, ENTRIES) as opened:
        yield opened


def query(store: Reader, sql: str) -> list[Any]:
    """Return the rows that another program reads from the database."""
    with closing(sqlite3.connect(store.folder / DATABASE)) as db:
        return db.execute(sql).fetchall()


def change_database(database: Path, *statements: str) -> None:
    """Change a database by hand, as another program could."""
    with closing(sqlite3.connect(database, isolation_level=None)) as db:
        for sql in statements:
            db.execute(sql)


def chunk_of(deals: range, number: int = 0) -> Chunk:
    return Chunk(number, tuple(pair_tasks(BOTS, deals)))


def expected(deals: range) -> list[Row]:
    return sorted(play_pairs(chunk_of(deals)))


def game(task: GameTask, **changes: Any) -> Row:
    return row_of(replace(fake_result(task, faults=False), **changes))
