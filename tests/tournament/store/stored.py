"""A store of games between made-up bots, for the tests of the store."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from arena.tournament.games import Chunk, Row
from arena.tournament.store.columns import StoredPairing
from arena.tournament.store.reader import BotEntry, Reader
from arena.tournament.store.sqlite import DATABASE
from arena.tournament.store.writer import Store, Wanted, open_store
from tests.tournament.runner.fake import CONFIG, pair_tasks, play_pairs

BOTS = ["ann", "bob", "cid"]
ENTRIES = [BotEntry(name, name, f"hash of {name}", {"depth": 2}) for name in BOTS]
MANY = 1 << 20


def bring_up(
    store: Store,
    config: Mapping[str, Any] = CONFIG,
    entries: Sequence[BotEntry] = ENTRIES,
    settings: Mapping[str, Any] | None = None,
    deals: int = MANY,
    design: str = "pairs",
    left_out: Mapping[str, str] | None = None,
) -> None:
    """Let a store show these bots, all pairings of every two of them, and so many deals."""
    known = {entry.identity: number for number, entry in store.entries().items()}
    new = [entry for entry in entries if entry.identity not in known]
    known |= {entry.identity: number for number, entry in enumerate(new, len(known))}
    place = {entry.name: known[entry.identity] for entry in entries}
    meetings = pair_tasks([*place], [0])
    pairings = [StoredPairing(task.pairing, 0, place[task.a], place[task.b], 7, design) for task in meetings]
    config = {**config, "bots": [{"name": entry.name, "spec": entry.spec} for entry in entries]}
    field = [known[entry.identity] for entry in entries]
    store.bring_up(Wanted(config, settings or {}, {}, field, new, pairings, deals, left_out or {}))


def begin(folder: Path) -> Store:
    """Open a store in which every two of BOTS may meet."""
    store = open_store(folder)
    bring_up(store)
    return store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with begin(tmp_path / "run") as opened:
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


def chunk_of(deals: range) -> Chunk:
    return Chunk(0, tuple(pair_tasks(BOTS, deals)))


def expected(deals: range) -> list[Row]:
    return sorted(play_pairs(chunk_of(deals)))
