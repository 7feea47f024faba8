"""Field statistics of a small field that was counted by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from arena.stats import field
from arena.stats.frames import StatsError, by_seat, cross_columns, games_of

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


def test_by_seat_doubles_every_game() -> None:
    seats = by_seat(GAMES)
    assert len(seats) == 12
    assert seats["score"].sum() == 6
    ann = seats[(seats["bot"] == "ann") & (seats["opponent"] == "cid")]
    assert ann["score"].tolist() == [0.0, 1.0]
    assert ann["stones"].tolist() == [1, 1]
    assert ann["stones_against"].tolist() == [5, 1]
    assert "score_first" not in seats.columns
    assert "ms_first" not in seats.columns


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


def test_length_counts_each_game_once() -> None:
    table = field.game_length(GAMES)
    assert table["games"].tolist() == [6]
    assert table["turns_mean"].tolist() == [pytest.approx(182 / 6)]
    assert table["turns_p50"].tolist() == [35]
    assert table["turns_max"].tolist() == [54]
    assert row(field.game_length(GAMES, by=["bot"]), bot="bob")["turns_mean"] == pytest.approx(130 / 4)
    histogram = field.length_histogram(GAMES)
    assert histogram["turns"].tolist() == [6, 8, 30, 40, 44, 54]
    assert histogram["share"].sum() == pytest.approx(1)


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


def test_thinking_time_is_by_decision() -> None:
    ann = row(field.thinking_time(GAMES), bot="ann")
    assert ann["decisions"] == 20 + 15 + 22 + 4
    assert ann["ms_mean"] == pytest.approx((100 + 90 + 44 + 4) / 61)
    assert ann["ms_max"] == 6.0
    each = np.array([5.0, 6.0, 2.0, 1.0])
    assert ann["ms_p50"] == pytest.approx(np.quantile(each, 0.5))
    assert ann["ms_p99"] == pytest.approx(np.quantile(each, 0.99))
    asked = row(field.thinking_time(GAMES, by=["bot", "opponent"]), bot="bob", opponent="cid")
    assert asked["ms_mean"] == 2.0  # the game without a decision does not count
    never = GAMES.assign(ms_first=np.nan, ms_second=np.nan)
    assert field.thinking_time(never)["ms_mean"].isna().all()


def test_missing_columns_and_groups_are_told() -> None:
    with pytest.raises(StatsError, match="no column 'turns'"):
        field.game_length(GAMES.drop(columns="turns"))
    with pytest.raises(StatsError, match="group by 'bott'; did you mean 'bot'"):
        field.scores(GAMES, by=["bott"])
    with pytest.raises(StatsError, match="no column 'ms_first'"):
        field.thinking_time(GAMES.drop(columns="ms_first"))
