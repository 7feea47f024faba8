"""Bad input is told in words that say what and where."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from arena.errors import ArenaError
from arena.stats.frames import StatsError, as_floats, check_games, cluster_codes, read_games_csv


def games(**columns: Any) -> pd.DataFrame:
    base: dict[str, Any] = {"first": ["ann", "bob"], "second": ["bob", "ann"], "score": [1.0, 0.5]}
    return pd.DataFrame({**base, **columns})


@pytest.mark.parametrize(
    ("frame", "part"),
    [
        (games().iloc[:0], "no games"),
        (games(score=[1.0, np.nan]), "row 1: score is missing"),
        (games(score=[1.0, 0.7]), "row 1: score is 0.7"),
        (games(score=["1", "win"]), "row 1: score is 'win'"),
        (games(score=[np.inf, 1.0]), "row 0: score is infinite"),
        (games(first=["ann", "ann"], second=["bob", "ann"]), "row 1: 'ann' plays itself"),
        (games(first=["ann", "ann"], second=["ann", "ann"]), "only one bot \\('ann'\\)"),
        (games(first=["ann", None]), "row 1: no name in column 'first'"),
        (games(second=["", "ann"]), "row 0: no name in column 'second'"),
        (games(turns=[40, -1]), "row 1: turns is -1"),
        (games(stones_first=[5, 10]), "there are 9 stones"),
        (games(ms_first=[5.0, "x"]), "row 1: ms_first is 'x'"),
        (games(game=[0, 2]), "row 1: game is 2"),
        (games(ending=["stalemate", "stale mate"]), "unknown ending 'stale mate'; did you mean 'stalemate'"),
        (games(forfeit=[None, "crashed"]), "did you mean 'crash'"),
        (games(forfeit_by=[None, "cid"]), "row 1: forfeit_by is 'cid'"),
        (games().rename(columns={"second": "secnd"}), "no column 'second'; did you mean 'secnd'"),
        ([1, 2], "expected a pandas frame"),
    ],
)
def test_bad_frames_are_told(frame: Any, part: str) -> None:
    with pytest.raises(StatsError, match=part) as caught:
        check_games(frame)
    assert isinstance(caught.value, ArenaError)


def test_good_frames_pass_and_are_not_changed() -> None:
    frame = games(turns=[40, None], ending=["stalemate", None], forfeit_by=[None, "ann"]).set_index(pd.Index([5, 9]))
    before = frame.copy(deep=True)
    checked = check_games(frame)
    assert checked.index.tolist() == [0, 1]
    assert checked["score"].tolist() == [1.0, 0.5]
    pd.testing.assert_frame_equal(frame, before)


def test_needed_columns_are_asked_for() -> None:
    with pytest.raises(StatsError, match="no column 'variant'"):
        check_games(games(), need=["variant"])


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "games.csv"
    path.write_text(text)
    return path


def test_csv_is_read(tmp_path: Path) -> None:
    path = write(tmp_path, "first,second,score,deal\nann, bob ,1,17\n\nbob,ann,0.5,17\nann,bob,0,\n")
    read = read_games_csv(path)
    assert read["second"].tolist() == ["bob", "ann", "bob"]
    assert read["score"].tolist() == [1.0, 0.5, 0.0]
    codes, count = cluster_codes(read["deal"], len(read))
    assert codes.tolist() == [0, 0, 1]
    assert count == 2


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "empty; expected a header line"),
        ("first,second,score\n", "no games"),
        ("first,second\nann,bob\n", "no column 'score'"),
        ("[" * 5000, r"no column 'first' \(columns: \[{199}…\)$"),
        ("first,second,score\nann,bob,1\n\nann,bob,2\n", "games.csv, line 4: score is 2"),
        ("first,second,score\nann,bob,1\nann,bob\n", "line 3: score is missing"),
        ("first,second,score\nann,bob,1\nann,bob,x\n", "line 3: score is 'x'"),
        ("first,second,score\nann,ann,1\n", "only one bot"),
        ("first,second,score\nann,bob,1\n,bob,1\n", "line 3: no name"),
        ("first,second,score\na,b,1\na,b,1,2,3,4\n", "not comma-separated values"),
    ],
)
def test_bad_csv_is_told_with_its_line(tmp_path: Path, text: str, part: str) -> None:
    with pytest.raises(StatsError, match=part):
        read_games_csv(write(tmp_path, text))


def test_missing_files_are_told(tmp_path: Path) -> None:
    with pytest.raises(StatsError, match="no such file"):
        read_games_csv(tmp_path / "none.csv")
    with pytest.raises(StatsError, match="a folder"):
        read_games_csv(tmp_path)


def test_numbers_from_words() -> None:
    assert as_floats(["1", 2], "x").tolist() == [1.0, 2.0]
    with pytest.raises(StatsError, match="counts: 'b' is not a number"):
        as_floats([1, "b"], "counts")
