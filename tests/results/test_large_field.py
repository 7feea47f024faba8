"""Fields of more than 100 bots: what has a row for each two bots is left out unless it is asked for."""

from __future__ import annotations

import json
from pathlib import Path

from arena.results.formats import write_report
from arena.results.run_standings import LARGE_FIELD, standings
from arena.results.run_stats import STATISTICS, stats_report
from arena.results.standings_report import write_run_files
from tests.results.synthetic import synthetic

BOTS = [f"b{number:03}" for number in range(LARGE_FIELD + 1)]


def test_files_have_a_line_for_each_bot_and_none_for_each_two(tmp_path: Path) -> None:
    bots = [{"spec": "random", "name": name} for name in BOTS]
    large = synthetic(tmp_path / "run", {"bots": bots, "games": 1, "pairs": False}, chunk=1000)
    tmp_path = tmp_path / "files"
    tmp_path.mkdir()
    names = {path.name for path in write_run_files(standings(large), tmp_path)}
    assert names == {"standings.csv", "summary.json", "timing.csv"}
    summary = json.loads((tmp_path / "summary.json").read_text())
    assert "crosstable" not in summary
    assert len(summary["standings"]) == len(BOTS)
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) < 1000 * len(BOTS)
    assert "crosstable.csv" in {path.name for path in write_run_files(standings(large, whole=True), tmp_path)}
    assert (tmp_path / "crosstable.csv").read_text().count("\n") == 1 + len(BOTS) * (len(BOTS) - 1)
    short = stats_report(large, 10.0)
    by_opponent = {statistic.name for statistic in STATISTICS if statistic.by_opponent}
    assert not {table.name for table in short.tables} & by_opponent
    assert "tables by opponent are shown only with --all" in write_report(short, "table")
    assert "first 50 of 101 lines" in write_report(short, "table")
