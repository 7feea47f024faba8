"""Rows as images of a table: the same in the store as rows one by one, also when they come twice."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from arena.formats.series import series
from arena.match.results import Row
from arena.match.tasks import Chunk, PairTask
from arena.store.reader import BotEntry
from arena.store.row_batches import Packer, unpack
from arena.store.writer import ConflictingResults, Store, StoreError, open_store
from tests.runner.fake import CONFIG, fake_result, pair_tasks, play_pairs

BOTS = ["ann", "bob", "cid"]


def _open(folder: Path) -> Store:
    return open_store(folder, CONFIG, [BotEntry(name, name, name) for name in BOTS])


def _stored(store: Store) -> list[tuple[Any, ...]]:
    return store._db.execute("SELECT *, points_first, deal FROM games ORDER BY id").fetchall()


def _chunk(*deals: int) -> Chunk:
    return Chunk(0, tuple(pair_tasks(BOTS, deals)))


def test_image_and_rows_give_the_same_store(tmp_path: Path) -> None:
    one, two = _open(tmp_path / "rows"), _open(tmp_path / "images")
    packer = Packer()
    for deals in ((0, 1, 2), (5,), (3, 4)):
        chunk = _chunk(*deals)
        rows = play_pairs(chunk)
        assert one.add(chunk, rows) == two.add_image(chunk, packer.pack(rows)) == 6 * len(deals)
    assert _stored(one) == _stored(two)
    assert one.pairings() == two.pairings()
    assert one.forfeits() == two.forfeits() != []
    assert two._db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    one.close()
    two.close()


def test_a_second_delivery_changes_nothing(tmp_path: Path) -> None:
    store = _open(tmp_path)
    packer = Packer()
    chunk = _chunk(0, 1)
    assert store.add_image(chunk, packer.pack(play_pairs(chunk))) == 12
    before = _stored(store)
    assert store.add_image(chunk, packer.pack(play_pairs(chunk))) == 0
    more = _chunk(1, 2)
    assert store.add_image(more, packer.pack(play_pairs(more))) == 6  # some of it is new
    assert _stored(store)[:12] == before
    assert store.progress().games == 18
    store.close()


def test_another_play_of_a_game_is_loud(tmp_path: Path) -> None:
    store = open_store(tmp_path, {**CONFIG, "clock": {}}, [BotEntry(name, name, name) for name in BOTS])
    chunk = Chunk(0, (PairTask(0, 0, "ann", "bob"),))
    rows = [fake_result(task, faults=False).to_row() for task in chunk.tasks[0].game_tasks()]  # type: ignore[union-attr]
    store.add_image(chunk, Packer().pack(rows))
    other: Row = (*rows[0][:18], "another record", None)
    with pytest.raises(ConflictingResults, match="differs in record"):
        store.add_image(chunk, Packer().pack([other, rows[1]]))
    store.close()


def test_an_image_that_lacks_games_or_holds_others_is_refused(tmp_path: Path) -> None:
    store = _open(tmp_path)
    chunk = _chunk(0, 1)
    rows = play_pairs(chunk)
    for wrong in (rows[:-1], play_pairs(_chunk(0, 2)), [*rows, *play_pairs(_chunk(2))]):
        with pytest.raises(ValueError, match="are not the 12 of chunk 0"):
            store.add_image(chunk, Packer().pack(wrong))
    assert store.progress().games == 0
    store.close()


def test_a_full_disk_is_told_and_nothing_half_stored(tmp_path: Path) -> None:
    store = _open(tmp_path)
    pages = store._db.execute("PRAGMA page_count").fetchone()[0]
    store._db.execute(f"PRAGMA max_page_count = {pages + 2}")
    chunk = _chunk(*range(60))
    with pytest.raises(StoreError, match="the disk is full"):
        store.add_image(chunk, Packer().pack(play_pairs(chunk)))
    assert store.progress().games == 0
    assert store.pairings() == {}
    store._db.execute("PRAGMA max_page_count = 100000")
    assert store.add_image(chunk, Packer().pack(play_pairs(chunk))) == 360
    store.close()


def test_unpacked_rows_stand_in_the_order_of_the_units() -> None:
    """A knockout's extra deals and series are not in the order of the games' keys."""
    chunk = Chunk(0, (PairTask(0, 9, "ann", "bob"), PairTask(1, 7, "ann", "cid")))
    rows = play_pairs(chunk)
    assert unpack(Packer().pack(rows), chunk) == rows


def test_series_come_whole(tmp_path: Path) -> None:
    schedule = series(BOTS, seed=3, matches=2, rounds=3)
    store = _open(tmp_path)
    tasks = tuple(schedule.tasks(store.progress()))
    rows: list[Row] = []
    for task in tasks:
        rows += [fake_result(task.game_task(number, 0)).to_row() for number in range(3)]  # type: ignore[union-attr]
    chunk = Chunk(0, tasks)
    assert store.add_image(chunk, Packer().pack(rows)) == 18
    assert store.add_image(chunk, Packer().pack(rows)) == 0
    store.close()


def test_a_packer_goes_on_after_a_game_that_came_twice() -> None:
    packer = Packer()
    rows = play_pairs(_chunk(0))
    with pytest.raises(sqlite3.IntegrityError):
        packer.pack([*rows, rows[0]])
    assert unpack(packer.pack(rows), _chunk(0)) == rows
