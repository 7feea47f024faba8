"""A run that ends when what is stored is enough: at the same deal whatever the workers, wherever interrupted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from arena.tournament.store.reader import Reader
from arena.tournament.store.sqlite import DATABASE
from arena.tournament.store.writer import open_store
from tests.tournament.runner.runs import bot, games, play, settings
from tests.tournament.store.stored import change_database

PAIR = (bot("random", "ann"), bot("well_behaved", "bob"))
WANTED = 7


def data(number: int = 600) -> dict[str, Any]:
    return settings(*PAIR, games=number, format="match")


def lost(cells: list[int]) -> int | None:
    """Enough as soon as `ann` has lost both games of a pair so many times: the deal after that one."""
    at = [deal for deal, cell in enumerate(cells) if cell == 0]
    return at[WANTED - 1] + 1 if len(at) >= WANTED else None


class Watch:
    """Reads on where it was, as a test does."""

    def __init__(self) -> None:
        self.cells: list[int] = []

    def __call__(self, reader: Reader) -> int | None:
        self.cells += reader.pair_scores_from(len(self.cells))
        return lost(self.cells)


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Any, ...]]:
    """The games up to the end, found in a run that went on."""
    folder = tmp_path_factory.mktemp("whole")
    play(folder, data(), workers=1)
    with Reader(folder) as reader:
        cells = reader.pair_scores_from(0)
        assert reader.pair_scores_from(290) == cells[290:]
    assert len(cells) == 300
    deals = lost(cells)
    assert deals is not None
    assert 10 < deals < 200
    return games(folder)[: 2 * deals]


@pytest.mark.parametrize("workers", [1, 2])
def test_ends_at_the_same_deal(workers: int, expected: list[tuple[Any, ...]], tmp_path: Path) -> None:
    report = play(tmp_path, data(), workers, verdict=Watch())
    assert (report.done, report.total, report.interrupted) == (len(expected), len(expected), False)
    assert games(tmp_path) == expected
    again = play(tmp_path, data(), workers, verdict=Watch())
    assert (again.played, again.done) == (0, len(expected))


def test_what_was_played_beyond_the_end_is_hidden(expected: list[tuple[Any, ...]], tmp_path: Path) -> None:
    play(tmp_path, data(), 2)
    report = play(tmp_path, data(), 2, verdict=Watch())
    assert (report.played, report.done, report.total) == (0, len(expected), len(expected))
    assert games(tmp_path) == expected


def test_a_gap_ends_what_is_read(tmp_path: Path) -> None:
    play(tmp_path, data(20))
    with Reader(tmp_path) as reader:
        whole = reader.pair_scores_from(0)
        assert len(whole) == 10
        assert reader.pair_scores_from(10) == []
    change_database(tmp_path / DATABASE, "DELETE FROM games WHERE deal = 4")
    with open_store(tmp_path) as store:
        assert store.pair_scores_from(0) == whole[:4]
        assert store.pair_scores_from(5) == whole[5:]
        store.show(6)
        assert (store.pair_scores_from(5), store.count(), store.count_all()) == (whole[5:6], 10, 18)
