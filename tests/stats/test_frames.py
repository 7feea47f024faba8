"""Bad input is told in words that say what and where."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from arena.errors import ArenaError
from arena.stats.frames import StatsError, check_games


def games(**columns: Any) -> pd.DataFrame:
    base: dict[str, Any] = {"first": ["ann", "bob"], "second": ["bob", "ann"], "score": [1.0, 0.5]}
    return pd.DataFrame({**base, **columns})


@pytest.mark.parametrize(
    ("frame", "part"),
    [
        (games().iloc[:0], "no games"),
        (games(score=[1.0, np.nan]), "row 1: score is nan"),
        (games(score=["1", "win"]), "score: could not convert string to float: 'win'"),
        (games(first=["ann", "ann"], second=["bob", "ann"]), "row 1: 'ann' plays itself"),
        (games(first=["ann", None]), "row 1: no name in column 'first'"),
        (games().rename(columns={"second": "secnd"}), "no column 'second'; did you mean 'secnd'"),
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
