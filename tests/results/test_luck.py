"""Luck of stored games: mean zero, kept in the run's folder, the same again, and shown by `standings --adjusted`."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from arena.lab.tournament import run_tournament
from arena.results import luck as luck_module
from arena.results.luck import LUCK, run_luck
from arena.results.run import read_run
from arena.results.standings import standings
from arena.results.standings_report import standings_report
from arena.stats.adjusted import FEWEST_DEALS


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("luck") / "run"
    run_tournament(["greedy", "formations"], rules="base", games=2 * FEWEST_DEALS, seed=3, out=out)
    return out


def test_the_luck_of_a_run(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = read_run(folder)
    luck = run_luck(run)
    assert luck.shape == (len(run.columns), 3)
    total = luck.sum(axis=1)
    assert abs(total.mean()) < 4 * total.std() / np.sqrt(len(total))
    assert 0.05 < total.std() < 0.6
    won = np.asarray(run.columns["score"])
    assert np.corrcoef(won, total)[0, 1] > 0.2
    monkeypatch.setattr(luck_module, "game_luck", lambda *_: pytest.fail("judged twice"))
    assert (run_luck(run) == luck).all()
    stored = json.loads((folder / LUCK).read_text())
    assert len(stored["games"]) == len(run.columns)


def test_standings_with_luck_taken_out(folder: Path) -> None:
    run = read_run(folder)
    luck = run_luck(run)
    table = standings(run, luck=luck)
    (met,) = table.adjusted or ()
    assert met.deals == FEWEST_DEALS
    assert [row["games"] for row in table.rows] == [100, 100]
    assert any("luck of the draw" in note for note in table.notes)
    assert any(each.name == "adjusted" for each in standings_report(table).tables)


def test_a_damaged_file_is_made_anew(folder: Path) -> None:
    run = read_run(folder)
    expected = run_luck(run)
    (folder / LUCK).write_text("{")
    assert (run_luck(run) == expected).all()
