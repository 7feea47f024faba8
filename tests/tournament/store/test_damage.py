"""Rows that are not what was stored: noticed by every reader, and what is sound is saved."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from arena.tournament.match.results import COLUMNS
from arena.tournament.store.carving import carved_rows
from arena.tournament.store.games import INSERT
from arena.tournament.store.reader import Reader
from arena.tournament.store.salvage import salvage
from arena.tournament.store.schema import DATABASE, RUN, StoreError
from arena.tournament.store.writer import Store, open_store, reopen_store
from tests.tournament.runner.fake import CONFIG, play_pairs
from tests.tournament.runner.runs import bot, games, play, settings
from tests.tournament.store.stored import ENTRIES, chunk_of, expected
from tools.fuzz_database import fuzz


def change(store: Store, sql: str) -> None:
    """Change the database as damage does, behind the back of its checksums."""
    with closing(sqlite3.connect(store.folder / DATABASE, isolation_level=None)) as db:
        assert db.execute(sql).rowcount > 0


WRONG = [
    *(f"UPDATE games SET {name} = {name} + 1 WHERE id = 2" for name in COLUMNS[1:18] if not name.startswith("hist")),
    "UPDATE games SET hist_first = x'2702' WHERE id = 2",
    "UPDATE games SET hist_second = hist_first || hist_second, hist_first = x'' WHERE id = 2",
    "UPDATE games SET id = 1 << 60 WHERE id = 2",
    "UPDATE games SET score = 'abc' WHERE id = 2",
    "UPDATE games SET score = 1.5 WHERE id = 2",
    "UPDATE games SET score = NULL WHERE id = 2",
    "UPDATE games SET score = 7 WHERE id = 2",
    "UPDATE games SET turns = -1 WHERE id = 2",
    "UPDATE games SET checksum = 0 WHERE id = 2",
    "UPDATE games SET checksum = NULL WHERE id = 2",
    "DELETE FROM games WHERE id = 2",
    "UPDATE pairings SET a = b, b = a",
    "UPDATE bots SET name = upper(name)",
    "DELETE FROM pairings",
    "UPDATE totals SET rows = rows + 1 WHERE what = 'games'",
    "DELETE FROM totals",
]


@pytest.mark.parametrize("sql", WRONG)
def test_a_value_that_changed_is_an_error_with_the_place(store: Store, sql: str) -> None:
    store.add(chunk_of(range(3)), play_pairs(chunk_of(range(3))))
    with Reader(store.folder) as reader:
        assert len(reader.figures()) == 18
    change(store, sql)
    for read in (Reader.frame, Reader.progress, lambda reader: list(reader.results())):
        with Reader(store.folder) as reader, pytest.raises(StoreError, match=r"sqlite is damaged: .*salvage NEW"):
            read(reader)


@pytest.mark.parametrize("sql", ["record = 'x'", "record = CAST(x'ff' AS TEXT)", "detail = 'why'", "record = NULL"])
def test_a_text_that_changed_is_an_error(store: Store, sql: str) -> None:
    store.add(chunk_of(range(3)), play_pairs(chunk_of(range(3))))
    change(store, f"UPDATE games SET {sql} WHERE id = 2")
    with Reader(store.folder) as reader:
        assert len(reader.frame()) == 18  # no text is part of it
        with pytest.raises(StoreError, match="damaged"):
            list(reader.rows())


def test_settings_that_changed_are_an_error(store: Store) -> None:
    change(store, "UPDATE meta SET value = replace(value, '7', '8') WHERE key = 'config'")
    with Reader(store.folder) as reader, pytest.raises(StoreError, match="meta 'config' is not as it was written"):
        reader.config()


def test_checksums_follow_every_change(store: Store) -> None:
    for deals in (range(2), range(5), range(1, 6)):
        store.add(chunk_of(deals), play_pairs(chunk_of(deals)))
    assert store.drop_from(5) == 6
    store.begin_session({"workers": 1})
    store.grow({**CONFIG, "games": 8}, {"name": "x"})
    with Reader(store.folder) as reader:
        assert list(reader.rows()) == expected(range(5))
        assert reader.config()["games"] == 8
        assert reader.is_ours()
        for table in RUN.by_name:
            RUN.read(reader._db, reader.folder, table)


def version_one(folder: Path) -> None:
    """A run as older versions have stored it."""
    with closing(sqlite3.connect(folder / DATABASE, isolation_level=None)) as db:
        for sql in RUN.statements(1):
            db.execute(sql)
        db.execute(f"PRAGMA application_id = {RUN.application}")
        db.execute("PRAGMA user_version = 1")


def test_a_run_without_checksums_is_read_and_continued(tmp_path: Path) -> None:
    version_one(tmp_path)
    with open_store(tmp_path, CONFIG, ENTRIES) as store:
        store.add(chunk_of(range(4)), play_pairs(chunk_of(range(4))))
        store.add(chunk_of(range(3, 6)), play_pairs(chunk_of(range(3, 6))))
        store.drop_from(5)
    with reopen_store(tmp_path) as store:
        assert not store.has_checksums
        assert list(store.rows()) == expected(range(5))
    with closing(sqlite3.connect(tmp_path / DATABASE)) as db:
        db.execute("UPDATE games SET score = 'abc' WHERE id = 2")
        db.commit()
    with Reader(tmp_path) as reader, pytest.raises(StoreError, match=r"game 1/0/0: score cannot be 'abc'"):
        reader.frame()


def test_rows_come_out_of_pages_that_sqlite_refuses(store: Store) -> None:
    store.add(chunk_of(range(40)), play_pairs(chunk_of(range(40))))
    long = (*expected(range(41))[-1][:18], "r" * 50_000, None)
    store._db.execute(INSERT, long)
    store.close()
    path = store.folder / DATABASE
    data = bytearray(path.read_bytes())
    data[100:120] = bytes(20)  # the root of all tables
    path.write_bytes(data)
    with pytest.raises(StoreError):
        Reader(store.folder)
    rows = {values[0]: tuple(values[:20]) for values in carved_rows(path) if len(values) == 22}
    assert set(rows.values()) >= {*expected(range(40)), long}


@pytest.mark.process
def test_what_is_sound_is_saved_and_goes_on(tmp_path: Path) -> None:
    data = settings(bot("random", "ann"), bot("well_behaved", "bob"), games=40, format="match")
    play(tmp_path / "run", data)
    path = tmp_path / "run" / DATABASE
    whole = games(tmp_path / "run")
    spoilt = bytearray(path.read_bytes())
    for number in (7, 30):  # games of two pairs
        spoilt[[found.start() for found in re.finditer(rb"schotten/1 ", spoilt)][number] + 60] ^= 1
    path.write_bytes(spoilt)
    found = salvage(tmp_path / "run", tmp_path / "new", lambda result, config: None)
    assert (found.games, found.left_out, found.stored) == (36, 2, 40)
    with Reader(tmp_path / "new") as reader:
        assert len(reader.frame()) == 36
    play(tmp_path / "new", data, resume=True)
    assert games(tmp_path / "new") == whole
    with pytest.raises(StoreError, match="already holds a run"):
        salvage(tmp_path / "run", tmp_path / "new", lambda result, config: None)


@pytest.mark.process
@pytest.mark.slow
def test_no_damage_fools_a_command() -> None:
    said: list[str] = []
    assert fuzz(["base"], 5, 6, said.append) == 0, "\n".join(said)
