"""Blocks say what the rows of their games do, and a run without them, or with some, is read just so."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from arena.results.reading.game import game_faults
from arena.tournament.store import writer
from arena.tournament.store.blocks import pack, unpack
from arena.tournament.store.figures import Figures
from arena.tournament.store.games import sealed_rows
from arena.tournament.store.reader import Reader
from arena.tournament.store.schema import DATABASE, StoreError
from arena.tournament.store.writer import open_store, reopen_store
from tests.tournament.runner.fake import CONFIG, play_pairs
from tests.tournament.store.stored import ENTRIES, chunk_of, expected


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "GAMES_IN_BLOCK", 20)


def stored(folder: Path, *deals: range) -> Path:
    """A run with the games on some deals, each range delivered at once."""
    with open_store(folder, CONFIG, ENTRIES) as store:
        for number, part in enumerate(deals):
            store.add(chunk_of(part, number), play_pairs(chunk_of(part, number)))
    return folder


def blocks(folder: Path) -> list[int]:
    """How many games each block holds."""
    with closing(sqlite3.connect(folder / DATABASE)) as db:
        return [games for (games,) in db.execute("SELECT games FROM blocks ORDER BY block")]


def change(folder: Path, sql: str, *args: object) -> None:
    with closing(sqlite3.connect(folder / DATABASE, isolation_level=None)) as db:
        assert db.execute(sql, args).rowcount > 0


def same(one: Figures, two: Figures) -> bool:
    return (one.times == two.times).all() and all((one.columns[n] == two.columns[n]).all() for n in two.columns)


def figures(folder: Path) -> Figures:
    with Reader(folder) as reader:
        return reader.figures()


def test_figures_of_blocks_are_those_of_the_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parts = (range(8, 12), range(4), range(4, 8), range(12, 13))  # out of order, as workers deliver
    found = stored(tmp_path / "blocks", *parts)
    assert blocks(found) == [24, 24, 24, 6]  # the last ones on closing
    monkeypatch.setattr(writer, "GAMES_IN_BLOCK", 1000)
    plain = stored(tmp_path / "rows", *parts)
    assert blocks(plain) == []
    assert same(figures(found), figures(plain))
    with Reader(found) as one, Reader(plain) as two:
        assert one.scores() == two.scores()
        assert one.frame().equals(two.frame())


def test_games_in_no_block_are_read_from_their_rows(tmp_path: Path) -> None:
    folder = stored(tmp_path / "run", range(4), range(8, 12), range(4, 8))
    whole = figures(folder)
    with reopen_store(folder) as store:  # as if the process had been killed before the last two blocks
        store._db.execute("DELETE FROM blocks WHERE block > 1")
    assert blocks(folder) == [24]
    assert same(figures(folder), whole)
    with reopen_store(folder) as store:
        store._db.execute("DELETE FROM blocks")
    assert same(figures(folder), whole)


def test_games_that_are_dropped_leave_their_blocks(tmp_path: Path) -> None:
    folder = stored(tmp_path / "run", range(4), range(4, 8))
    with reopen_store(folder) as store:
        store.add(chunk_of(range(8, 9)), play_pairs(chunk_of(range(8, 9))))
        assert store.drop_from(6) == 18
        assert len(store.figures()) == 36
    assert blocks(folder) == [24]
    assert same(figures(folder), figures(stored(tmp_path / "other", range(6))))


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE blocks SET data = zeroblob(40) WHERE block = 1",
        "UPDATE blocks SET games = games + 1 WHERE block = 1",
        "UPDATE blocks SET total = total + 1 WHERE block = 1",
        "DELETE FROM blocks WHERE block = 1",
        "UPDATE blocks SET crc = 0",
    ],
)
def test_a_damaged_block_is_an_error(tmp_path: Path, sql: str) -> None:
    folder = stored(tmp_path / "run", range(4), range(4, 8))
    change(folder, sql)
    with Reader(folder) as reader, pytest.raises(StoreError, match=r"is damaged: .*block"):
        reader.figures()


def test_verify_notices_blocks_that_say_something_else(tmp_path: Path) -> None:
    folder = stored(tmp_path / "run", range(4))
    rows = [(*row[:1], 2 - row[1], *row[2:]) for row in expected(range(4))]
    data = pack(list(sealed_rows(rows)))
    with reopen_store(folder) as store:
        store._db.execute("UPDATE blocks SET data = ?, crc = ?", (data, zlib.crc32(data)))
    with Reader(folder) as reader:
        assert len(reader.figures()) == 24
        with pytest.raises(StoreError, match="blocks do not say what the rows"):
            list(game_faults(reader))


def cut(data: bytes) -> bytes:
    return data[: len(data) // 2]


@pytest.mark.parametrize("spoil", [cut, lambda data: b"", lambda data: data + data])
def test_what_is_no_block_is_refused(spoil: Callable[[bytes], bytes]) -> None:
    rows = list(sealed_rows(expected(range(3))))
    raw = zlib.decompress(pack(rows))
    numbers, first, _ = unpack(zlib.compress(raw), len(rows))
    assert numbers["id"].tolist() == [row[0] for row in rows]
    assert first.data == b"".join(row[15] for row in rows)
    for games, data in ((len(rows), spoil(raw)), (len(rows) + 1, raw), (0, raw), (10**9, raw)):
        with pytest.raises(ValueError, match="not a block"):
            unpack(zlib.compress(data), games)


def test_large_numbers_are_kept() -> None:
    row = list(next(iter(sealed_rows(expected(range(1))))))
    row[0], row[11] = 1 << 60, 10**12
    numbers, _, _ = unpack(pack([tuple(row)]), 1)
    assert numbers["id"][0] == 1 << 60
    assert numbers["us_first"][0] == 10**12
    assert numbers["id"].dtype == np.int64
