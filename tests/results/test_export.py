"""The files of a run's folder: the same bytes for the same games, whole or not at all."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from arena.results import standings_report as module
from arena.results.run_standings import standings
from arena.results.standings_report import write_run_files
from arena.tournament.store.reader import WorkSession
from tests.results.synthetic import synthetic

SAME = ("standings.csv", "crosstable.csv", "summary.json", "games.csv")


def test_same_games_same_bytes_however_they_were_stored(tmp_path: Path) -> None:
    folders = []
    for name, chunk in (("one", 1), ("two", 13)):
        run = synthetic(tmp_path / name, chunk=chunk)
        late = replace(run, sessions=(WorkSession(1.0, 2.0 + chunk, 60, {"workers": chunk}),))
        written = write_run_files(standings(late), tmp_path / name, games=True)
        assert {path.name for path in written} == {*SAME, "timing.csv"}
        folders.append(tmp_path / name)
    for name in SAME:
        assert (folders[0] / name).read_bytes() == (folders[1] / name).read_bytes(), name
    assert (folders[0] / "timing.csv").read_bytes() != (folders[1] / "timing.csv").read_bytes()


def test_games_csv_is_the_list_of_games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = synthetic(tmp_path / "run")
    monkeypatch.setattr(module, "_ROWS_AT_ONCE", 7)  # several parts, one header
    write_run_files(standings(run), tmp_path, games=True)
    back = pd.read_csv(tmp_path / "games.csv")
    assert len(back) == 60
    assert not [name for name in back.columns if name.startswith("ms")]
    for column in ("deal", "first", "second", "score", "stones_first", "turns"):
        assert back[column].tolist() == run.games[column].tolist(), column


def test_timing_has_bots_and_sessions(tmp_path: Path) -> None:
    run = replace(synthetic(tmp_path / "run"), sessions=(WorkSession(0.0, 10.0, 60, {"workers": 2}),))
    write_run_files(standings(run), tmp_path)
    rows = list(csv.DictReader((tmp_path / "timing.csv").open(encoding="utf-8")))
    values = {(row["subject"], row["name"], row["measure"]): row["value"] for row in rows}
    assert values["session", "1", "started"] == "1970-01-01T00:00:00+00:00"
    assert values["session", "1", "games_per_second"] == "6.0"
    assert values["session", "1", "workers"] == "2"
    decisions = sum(run.games["decisions_first"].where(run.games["first"] == "greedy", 0)) + sum(
        run.games["decisions_second"].where(run.games["second"] == "greedy", 0)
    )
    assert values["bot", "greedy", "decisions"] == str(decisions)
