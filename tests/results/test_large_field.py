"""Fields of more than 100 bots: what has a row for each two bots is left out unless it is asked for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arena.results.formats import write_report
from arena.results.run_data import RunData, read_run
from arena.results.run_standings import LARGE_FIELD, standings
from arena.results.run_stats import STATISTICS, stats_report
from arena.results.standings_report import write_run_files
from tests.results.synthetic import store_run

BOTS = [f"b{number:03}" for number in range(LARGE_FIELD + 1)]


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> RunData:
    bots = [{"spec": "random", "name": name} for name in BOTS]
    return read_run(store_run(tmp_path_factory.mktemp("large"), {"bots": bots, "games": 1, "pairs": False}, chunk=1000))


def test_files_have_a_line_for_each_bot_and_none_for_each_two(large: RunData, tmp_path: Path) -> None:
    names = {path.name for path in write_run_files(standings(large), tmp_path)}
    assert names == {"standings.csv", "summary.json", "timing.csv"}
    summary = json.loads((tmp_path / "summary.json").read_text())
    assert "crosstable" not in summary
    assert len(summary["standings"]) == len(BOTS)
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) < 1000 * len(BOTS)
    assert "crosstable.csv" in {path.name for path in write_run_files(standings(large, whole=True), tmp_path)}
    assert (tmp_path / "crosstable.csv").read_text().count("\n") == 1 + len(BOTS) * (len(BOTS) - 1)


def test_statistics_by_opponent_only_if_asked(large: RunData) -> None:
    short = stats_report(large, 10.0)
    assert not {table.name for table in short.tables} & {
        statistic.name for statistic in STATISTICS if statistic.by_opponent
    }
    assert "tables by opponent are shown only with --all" in write_report(short, "table")
    assert len(next(table for table in short.tables if table.name == "scores").rows) == len(BOTS)
    assert "first 50 of 101 lines" in write_report(short, "table")
