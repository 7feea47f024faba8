"""Opening a store, and plain words when it cannot be; killed writers, and readers beside them."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from arena.tournament.store.reader import Reader
from arena.tournament.store.sqlite import DATABASE, StoreError
from arena.tournament.store.writer import Store, open_store
from tests.tournament.runner.fake import play_pairs
from tests.tournament.store.stored import ENTRIES, begin, bring_up, change_database, chunk_of, expected, query

ROOT = Path(__file__).parents[3]


# ---------------------------------------------------------------- opening


def test_reopened_it_shows_what_is_wanted_and_keeps_the_rest(tmp_path: Path) -> None:
    with begin(tmp_path) as store:
        store.add([play_pairs(chunk_of(range(4)))])
    changed = [ENTRIES[0], replace(ENTRIES[1], source="other")]
    with open_store(tmp_path) as store:
        assert list(store.rows()) == expected(range(4))  # as it was left
        bring_up(store, settings={"workers": 3}, deals=2)
        assert (store.settings(), store.count(), store.count_all()) == ({"workers": 3}, 12, 24)
        assert list(store.rows()) == expected(range(2))
        store._db.execute("UPDATE pairings SET number = NULL WHERE a = 1 OR b = 1")
        bring_up(store, entries=changed)
        assert (store.bots(), [*store.entries().values()]) == (changed, [*ENTRIES, changed[1]])


def test_one_run_at_a_time(tmp_path: Path) -> None:
    with begin(tmp_path), pytest.raises(StoreError, match=rf"another process is playing the run in {tmp_path}. Wait"):
        open_store(tmp_path)
    open_store(tmp_path).close()


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("", "this is not a database"),
        ("CREATE TABLE songs (title)", "a database of another program"),
        ("PRAGMA application_id = 0x53544F54; PRAGMA user_version = 3; CREATE TABLE x (y)", "an older version"),
        ("PRAGMA application_id = 0x53544F54; PRAGMA user_version = 99; CREATE TABLE x (y)", "a newer version"),
    ],
)
def test_a_database_that_is_no_run_of_ours_is_not_touched(tmp_path: Path, statement: str, reason: str) -> None:
    (tmp_path / DATABASE).write_bytes(b"my diary " * 500 if not statement else b"")
    if statement:
        change_database(tmp_path / DATABASE, *statement.split(";"))
    before = (tmp_path / DATABASE).read_bytes()
    for opening in (lambda: open_store(tmp_path), lambda: Reader(tmp_path)):
        with pytest.raises(StoreError, match=reason):
            opening()
    assert (tmp_path / DATABASE).read_bytes() == before


def test_a_folder_that_cannot_be(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"there is no run in .*: it holds no "):
        Reader(tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match=r"cannot write to .*file"):
        open_store(tmp_path / "file")
    with pytest.raises(StoreError, match=r"cannot write to .*run"):
        open_store(tmp_path / "file" / "run")


def test_a_full_disk_loses_nothing_stored(store: Store) -> None:
    store.add([play_pairs(chunk_of(range(10)))])
    pages = query(store, "PRAGMA page_count")[0][0]
    store._db.execute(f"PRAGMA max_page_count = {pages + 2}")
    more = chunk_of(range(10, 200))
    with pytest.raises(StoreError, match=r"the disk is full\. Everything stored so far is safe"):
        store.add([play_pairs(more)])
    assert list(store.rows()) == expected(range(10))
    assert query(store, "PRAGMA integrity_check") == [("ok",)]
    store._db.execute("PRAGMA max_page_count = 100000")
    assert store.add([play_pairs(more)]) == 2 * len(more)


def in_child(action: Callable[[], None]) -> str:
    """Run `action` in a forked process that has no special rights; what it raised, as text."""
    fork = multiprocessing.get_context("fork")
    ours, theirs = fork.Pipe()

    def body() -> None:
        if os.getuid() == 0:
            os.setuid(65534)
        try:
            action()
            theirs.send("")
        except Exception as error:
            theirs.send(f"{type(error).__name__}: {error}")

    child = fork.Process(target=body)
    child.start()
    child.join(30)
    return str(ours.recv()) if ours.poll() else "died"


@pytest.fixture
def open_path() -> Iterator[Path]:
    """A temporary folder that other users may enter; pytest's own may not."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.mark.process
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_read_only_folder_can_be_read_but_not_written(open_path: Path) -> None:
    run = open_path / "run"
    with begin(run) as store:
        store.add([play_pairs(chunk_of(range(2)))])
    run.chmod(0o555)
    for file in run.iterdir():
        file.chmod(0o444)
    before = (run / DATABASE).read_bytes()

    def read() -> None:
        with Reader(run) as reader:
            assert list(reader.rows()) == expected(range(2))

    try:
        assert in_child(read) == ""
        assert "StoreError: cannot write to" in in_child(lambda: open_store(run).close())
        new = in_child(lambda: open_store(run / "new").close())
        assert new.startswith(f"StoreError: cannot write to {run / 'new'}")
    finally:
        run.chmod(0o755)
    assert (run / DATABASE).read_bytes() == before


@pytest.mark.process
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_does_not_free_or_hold_the_folder(tmp_path: Path) -> None:
    store = begin(tmp_path)
    fork = multiprocessing.get_context("fork")
    closing = fork.Process(target=store.close)
    closing.start()
    closing.join()
    store.add([play_pairs(chunk_of(range(2)))])
    again = [sys.executable, "-m", "tests.tournament.store.writer", str(tmp_path), "2"]
    assert subprocess.run(again, cwd=ROOT, capture_output=True, check=False).returncode == 1
    lingering = fork.Process(target=time.sleep, args=(60,))
    lingering.start()
    try:
        store.close()
        assert subprocess.run(again, cwd=ROOT, capture_output=True, check=False).returncode == 0
    finally:
        lingering.kill()
        lingering.join()
