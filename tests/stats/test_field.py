"""Field statistics of a small field that was counted by hand; bad input is told in words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from arena.errors import ArenaError
from arena.stats import field
from arena.stats.frames import StatsError, check_games, cross_columns, games_of
from arena.stats.intervals import mean_interval

GAMES = pd.DataFrame(
    [
        # pairing, deal, game, first, second, score, stones, points, turns, ending, forfeit, by, ms, decisions
        (0, 1, 0, "ann", "bob", 1.0, 5, 3, 5, 3, 40, "five stones", None, None, 100.0, 80.0, 20, 20),
        (0, 1, 1, "bob", "ann", 0.0, 2, 4, 2, 5, 30, "three adjacent", None, None, 60.0, 90.0, 15, 15),
        (1, 1, 0, "ann", "cid", 0.0, 1, 5, 1, 5, 44, "five stones", None, None, 44.0, 22.0, 22, 22),
        (1, 1, 1, "cid", "ann", 0.0, 1, 1, 0, 5, 8, "forfeit", "timeout", "cid", 9000.0, 4.0, 4, 4),
        (2, 1, 0, "bob", "cid", 0.5, 4, 4, 4, 4, 54, "stalemate", None, None, 54.0, 27.0, 27, 27),
        (2, 1, 1, "cid", "bob", 1.0, 3, 0, 5, 0, 6, "forfeit", "exception", "bob", 3.0, 0.0, 3, 0),
    ],
    columns=[
        *("pairing", "deal", "game", "first", "second", "score"),
        *("stones_first", "stones_second", "points_first", "points_second", "turns", "ending"),
        *("forfeit", "forfeit_by", "ms_first", "ms_second", "decisions_first", "decisions_second"),
    ],
)


def row(table: pd.DataFrame, **keys: object) -> pd.Series:
    for name, value in keys.items():
        table = table[table[name] == value]
    assert len(table) == 1
    return table.iloc[0]


def test_scores_by_bot_and_opponent() -> None:
    crossed = pd.DataFrame(cross_columns(games_of(GAMES)))
    assert row(crossed, bot=2, opponent=1)[["wins", "draws", "score"]].tolist() == [1, 1, 0.75]
    assert row(crossed, bot=1, opponent=2)["score"] == 0.25
    assert row(field.first_player_score(GAMES, by=["bot"]), bot="cid")["score"] == 0.5
    bob = row(field.stones_and_points(GAMES), bot="bob")
    assert (bob["stones"], bob["points_total"], bob["points_against"]) == (9 / 4, 3 + 2 + 4 + 0, 19 / 4)
    table = field.scores(GAMES)
    ann = row(table, bot="ann")
    assert ann[["games", "wins", "draws", "losses"]].tolist() == [4, 3, 0, 1]
    assert ann["score_first"] == 0.5
    assert ann["score_second"] == 1.0
    assert np.isnan([ann["score_low"], ann["score_high"]]).all()  # on few deals
    games = pd.concat([GAMES.assign(deal=GAMES["deal"] + 10 * copy) for copy in range(10)])
    ann = row(field.scores(games), bot="ann")
    assert ann["score_low"] < 0.75 < ann["score_high"]
    assert len(field.scores(GAMES, by=["bot", "opponent"])) == 6


def test_endings_of_the_field_and_of_wins() -> None:
    table = field.endings(GAMES)
    kinds = ("five stones", "three adjacent", "stalemate", "forfeit")
    assert dict(zip(table["ending"], table["games"])) == dict(zip(kinds, (2, 1, 1, 2)))
    assert table["share"].sum() == pytest.approx(1)
    ann = field.endings(GAMES, by=["bot"]).query("bot == 'ann'")
    assert dict(zip(ann["ending"], ann["games"])) == dict(zip(kinds, (1, 1, 0, 1)))


def test_forfeits_count_for_those_who_committed_them() -> None:
    table = field.terminations(GAMES)
    assert row(table, bot="bob")[["games", "normal", "exception", "timeout"]].tolist() == [4, 3, 1, 0]
    assert row(table, bot="ann")["normal"] == 4
    each = field.forfeits(GAMES)
    assert each.values.tolist() == [["bob", "cid", "exception", 1], ["cid", "ann", "timeout", 1]]
    none = GAMES.assign(forfeit=None, forfeit_by=None)
    assert field.forfeits(none).empty
    assert field.terminations(none)["normal"].tolist() == [4, 4, 4]


# ---------------------------------------------------------------- bad input


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
def test_invalid_frames_are_rejected(frame: Any, part: str) -> None:
    with pytest.raises(StatsError, match=part) as caught:
        check_games(frame)
    assert isinstance(caught.value, ArenaError)


# ---------------------------------------------------------------- means with errors


def test_a_mean_has_the_error_of_its_deals() -> None:
    """The two games of a deal that are the same are one piece of evidence."""
    rng = np.random.default_rng(1)
    held = []
    for _ in range(200):
        turns = rng.normal(40, 5, 50).repeat(2)
        found = field.mean_error(pd.DataFrame({"deal": np.arange(50).repeat(2), "turns": turns}), "turns").loc[0]
        assert (found["rows"], found["mean"]) == (100, pytest.approx(turns.mean()))
        held.append(abs(found["mean"] - 40) <= found["error95"])
    assert 0.92 <= np.mean(held) <= 0.98


def test_a_mean_by_group_and_without_missing_values() -> None:
    deals = list(range(12))
    frame = pd.DataFrame({"deal": deals * 2, "bot": ["b"] * 12 + ["a"] * 12, "x": [*deals, *deals[:9], *[None] * 3]})
    found = field.mean_error(frame, "x", by="bot")
    assert found["bot"].tolist() == ["a", "b"]
    assert found["rows"].tolist() == [9, 12]
    assert found["mean"].tolist() == [4.0, 5.5]
    assert found["error95"].isna().tolist() == [True, False]


@pytest.mark.parametrize("values", [[True] * 12, [1.0, 0.5, 0.0] * 4, [0] * 12])
def test_of_conditions_and_scores_the_error_is_that_of_a_share(values: list[float]) -> None:
    share = mean_interval(values, range(12))
    found = field.mean_error(pd.DataFrame({"deal": range(12), "x": values}), "x").loc[0]
    assert found["error95"] == pytest.approx((share.high - share.low) / 2)
    assert found["error95"] > 0
