"""`arena.load`: frames of a run with documented columns."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import arena
from arena.errors import ArenaError
from arena.lab.notebook import FRAME_COLUMNS
from arena.tournament.store.reader import Reader
from tests.tournament.runner.runs import bot, play, settings

pytestmark = pytest.mark.process
PAGE = (Path(__file__).parents[2] / "docs" / "notebooks.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("work") / "results" / "quick"
    field = (bot("greedy", "ann"), bot("random", "bob"), bot("random", "cid"))
    play(place, settings(*field, games=10, rules="tactical"))
    return place


def test_frames_have_the_documented_columns(folder: Path) -> None:
    run = arena.load(folder)
    for name, columns in FRAME_COLUMNS.items():
        frame = getattr(run, name)
        assert isinstance(frame, pd.DataFrame)
        assert set(frame.columns) == set(columns), name
        assert len(frame) > 0 or name == "forfeits", name
        assert f"`run.{name}`" in PAGE


def test_a_run_says_who_forfeited(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("def act(view, moves):\n    raise ValueError(str(view.seat))\n")
    run = arena.run_tournament([tmp_path / "bad.py", "first"], games=4, seed=1, workers=1, out=tmp_path / "run")
    (row,) = run.forfeits.to_dict("records")
    assert (row["bot"], row["kind"], row["games"], row["game"]) == ("bad", "exception", 4, "bad/first/0")
    assert run.forfeit_summary.always == ["bad"]
    assert "bad forfeited all 4 games by exception." in run._repr_html_()


def test_frames_hold_the_run(folder: Path) -> None:
    run = arena.load(str(folder))
    with Reader(folder) as reader:
        results = list(reader.results())
    assert (run.bots, run.rules, run.seed, run.complete) == (("ann", "bob", "cid"), "tactical", 11, True)
    assert run.games["score"].tolist() == [result.score for result in results]
    assert run.games["ms_first"].tolist() == [result.ms[0] for result in results]
    assert run.by_seat().groupby("seat", observed=True)["score"].sum().sum() == len(results)
    assert len(run.pairs) == len(results) // 2
    assert run.pairs["points"].sum() == pytest.approx(
        sum((row.score if row.first == min(row.first, row.second) else 1 - row.score) for row in results)
    )
    assert run.standings["bot"].iloc[0] == "ann"
    assert run.rated.difference("ann", "bob")[0] == pytest.approx(
        run.ratings.set_index("bot")["elo"].diff(-1).iloc[0], abs=1e3
    )
    assert set(run.tables()) >= {"scores", "endings", "terminations"}
    assert "30 games of ann, bob, cid" in repr(run)


def test_a_missing_run_is_reported(tmp_path: Path) -> None:
    with pytest.raises(ArenaError, match="there is no run in"):
        arena.load(tmp_path)
