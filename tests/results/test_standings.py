"""The figures of the tables, held against counts made by hand from the games."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from arena.results.data_formats import table_csv
from arena.results.pages.figures import progress_plot, rating_plot
from arena.results.run_data import read_run
from arena.results.run_standings import FORFEIT_COLUMNS, STANDING_COLUMNS, rate_run, standings
from arena.results.run_stats import run_frames
from arena.results.standings_report import remarks, standings_report, summary
from arena.stats.pairs import counts_between, elo_of_score, head_to_head
from arena.stats.ratings import rate
from arena.tournament.games import GameResult, GameTask
from arena.tournament.store.reader import Reader
from tests.results.synthetic import store_run, synthetic
from tests.tournament.runner.fake import fake_result


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return store_run(tmp_path_factory.mktemp("run"))


def test_every_column_is_the_sum_over_the_games(folder: Path) -> None:
    table = pd.DataFrame(standings(read_run(folder)).rows)
    assert list(table.columns) == list(STANDING_COLUMNS)
    with Reader(folder) as reader:
        games = list(reader.results())
    assert any(game.forfeit for game in games), "the sample has no forfeits"
    for row in table.to_dict("records"):
        bot = row["bot"]
        mine = [game for game in games if bot in (game.first, game.second)]
        first = [game.score for game in mine if game.first == bot]
        own = [game.score if game.first == bot else 1 - game.score for game in mine]
        place = [game.first != bot for game in mine]
        assert row["games"] == len(mine)
        assert (row["wins"], row["draws"], row["losses"]) == tuple(map(own.count, (1.0, 0.5, 0.0)))
        assert row["score"] == pytest.approx(sum(own) / len(own))
        assert row["score_first"] == pytest.approx(sum(first) / len(first))
        assert row["points"] == sum(game.points[at] for game, at in zip(mine, place))
        assert row["stones"] == sum(game.stones[at] for game, at in zip(mine, place))
        assert row["mean_turns"] == pytest.approx(sum(game.turns for game in mine) / len(mine))
        faults = [game.forfeit for game in mine if game.forfeit_by == bot]
        assert row["forfeits"] == len(faults)
        for kind, column in FORFEIT_COLUMNS.items():
            assert row[column] == faults.count(kind)


def test_ratings_are_those_of_the_statistics_in_their_order(folder: Path) -> None:
    run = read_run(folder)
    table = pd.DataFrame(standings(run).rows)
    rated = rate(run.games)
    assert tuple(table["bot"]) == rated.bots
    assert list(table["rank"]) == [1, 2, 3]
    assert list(table["elo"]) == pytest.approx(list(rated.elo))
    assert list(table["elo_error95"]) == pytest.approx(list(rated.error95))
    assert table["elo"].is_monotonic_decreasing
    without = rate(run.games, prior=0)
    assert [row["elo"] for row in standings(run, prior=0).rows] == pytest.approx(list(without.elo))


@pytest.mark.parametrize("format_", ["swiss", "knockout"])
def test_the_ranking_of_the_format_goes_before_the_rating(tmp_path: Path, format_: str) -> None:
    run = synthetic(tmp_path / "run", {"format": format_, "games": 10})
    assert run.complete
    table = pd.DataFrame(standings(run).rows)
    assert run.places is not None
    assert list(table["rank"]) == sorted(place.rank for place in run.places)
    assert {row["bot"]: row["format_points"] for row in table.to_dict("records")} == {
        place.bot: place.points for place in run.places
    }


def test_a_run_in_progress_shows_bots_without_games(tmp_path: Path) -> None:
    run = synthetic(tmp_path / "run", units=1)  # greedy against counter, one pair
    assert not run.complete
    table = pd.DataFrame(standings(run).rows).set_index("bot")
    assert (table.loc["random", "games"], table.loc["random", "flag"]) == (0, "?")
    assert table.loc["greedy", "games"] == 2
    assert list(table["rank"]) == [1, 2, 3]


def test_a_run_without_games(tmp_path: Path) -> None:
    found = standings(synthetic(tmp_path / "run", units=0))
    assert [row["games"] for row in found.rows] == [0, 0, 0]
    assert found.notes == ("no games yet",)
    assert found.faults == 0


def test_too_few_games_to_tell_the_first_player_from_the_stronger(tmp_path: Path) -> None:
    def first_wins(task: GameTask) -> GameResult:
        return replace(fake_result(task, faults=False), score=1.0, stones=(5, 2), ending="five stones")

    values = {"format": "match", "bots": ["a", "b"], "games": 1, "pairs": False}
    found = standings(synthetic(tmp_path / "run", values, play=first_wins), prior=0)
    assert len(found.run.games) == 1
    assert math.isnan(found.first_advantage[0])
    assert remarks(found)[0] == "First player: 100.0% of the points."


def best_wins(task: GameTask) -> GameResult:
    score = float(task.first == "greedy")
    stones = (5, 1) if score else (1, 5)
    return replace(fake_result(task, faults=False), score=score, stones=stones, ending="five stones")


@pytest.mark.parametrize("games", [2, 20])
def test_a_shut_out_is_a_bound_wherever_it_is_shown(tmp_path: Path, games: int) -> None:
    settings = {"format": "match", "bots": ["greedy", "random"], "games": games}
    found = standings(synthetic(tmp_path / "run", settings, play=best_wins))
    assert found.head_to_head is not None
    bound = elo_of_score(0.05 ** (2 / games))
    table = pd.DataFrame(found.rows)
    assert list(table["flag"]) == [">", "<"]
    assert table["elo"].isna().all()
    assert list(table["elo_bound"]) == pytest.approx([bound / 2, -bound / 2])
    assert table["elo_error95"].isna().all()
    values = summary(found)
    head = values["head_to_head"]
    assert (head["flag"], head["elo"], head["elo_error95"], head["elo_high"]) == (">", None, None, None)
    assert head["elo_low"] == round(bound, 2)
    assert 0.8 < values["head_to_head"]["los"] < 1
    assert values["first_player"]["elo"] == (None if games == 2 else 0)  # 1 deal and 10
    sentence = {
        2: f", too few games to rate: it could still be up to {-bound:.0f} Elo weaker (95% confident)",
        20: f": at least {bound:.0f} Elo stronger (95% confident)",
    }
    line = f"greedy won all {games} games against random{sentence[games]}; chance of being the stronger bot: "
    assert any(said.startswith(line) for said in remarks(found))
    shown = standings_report(found).tables[0]
    cells = {2: ["won all", "lost all"], 20: [f"> {bound / 2:+.0f}", f"< {-bound / 2:+.0f}"]}
    assert [row[shown.heads.index("Elo")] for row in shown.cells] == cells[games]
    assert progress_plot(found.run, 2.0) is None
    dots = rating_plot(found).rows
    assert [(math.isnan(dot.value), dot.high, dot.low) for dot in dots] == [
        (True, None, pytest.approx(bound / 2)),
        (True, pytest.approx(-bound / 2), None),
    ]
    assert table_csv(shown).splitlines()[1].startswith(f"1,greedy,,,>,{bound / 2:.2f},")
    frames = run_frames(found.run, 10)
    assert list(frames["ratings"]["elo_bound"]) == [row["elo_bound"] for row in found.rows]
    assert list(frames["los"]["los"]) == list(frames["pairings"]["los"])
    assert frames["pairings"]["elo_low"][0] == -frames["pairings"]["elo_high"][1] == pytest.approx(bound)


@pytest.mark.parametrize("units", [1, 50])
def test_the_table_of_two_says_what_the_line_says(tmp_path: Path, units: int) -> None:
    settings = {"format": "match", "bots": ["greedy", "random"], "games": 2 * units}
    found = standings(synthetic(tmp_path / "run", settings))
    head = found.head_to_head
    assert head == head_to_head(counts_between(found.run.games, "greedy", "random"))
    assert head is not None
    if not head.flag:
        difference = {row["bot"]: row["elo"] for row in found.rows}
        assert difference["greedy"] - difference["random"] == pytest.approx(head.elo)
        assert 2 * found.rows[0]["elo_error95"] == pytest.approx(head.elo_error95)
    rated = rate_run(found.run, found.run.columns.games())
    assert rated.los().loc["greedy", "random"] == pytest.approx(head.los)
    assert head.flag or rated.difference("greedy", "random") == pytest.approx((head.elo, head.elo_error95))


def test_swiss_shows_its_tiebreaks_and_rounds(tmp_path: Path) -> None:
    bots = {"bots": ["a", "b", "c", "d", "e"], "format": "swiss", "games": 4}
    found = standings(synthetic(tmp_path / "run", bots))
    assert list(found.rows[0])[-4:] == ["format_points", "buchholz", "seed", "remark"]
    report = standings_report(found)
    assert report.tables[0].heads[2:5] == ["pts", "Buchholz", "seed"]
    table = next(table for table in report.tables if table.name == "rounds")
    assert [row[0] for row in table.cells] == ["1"] * 3 + ["2"] * 3 + ["3"] * 3
    assert [row[-1] for row in table.cells].count("bye") == 3
    values = summary(found)
    assert [one["round"] for one in values["rounds"]] == [1, 2, 3]
    assert {"rank", "buchholz", "seed", "format_points"} <= set(values["standings"][0])
    won = [meeting for one in values["rounds"] for meeting in one["meetings"] if meeting["decided_by"] == "games"]
    assert all((one["winner"] == one["a"]) == (one["wins_a"] > one["wins_b"]) for one in won)
    assert "bracket" not in values
    assert "rounds" not in summary(standings(synthetic(tmp_path / "other")))


def test_a_knockout_shows_its_bracket(tmp_path: Path) -> None:
    bots = {"bots": ["a", "b", "c", "d", "e"], "format": "knockout", "games": 2}
    found = standings(synthetic(tmp_path / "run", bots))
    table = standings_report(found).tables[-1]
    assert table.heads == ["round 1", "round 2", "round 3", "winner"]
    assert len(table.rows) == 15
    winner = found.rows[0]["bot"]
    assert table.cells[7][3] == f"├ {winner}"
    values = summary(found)["bracket"]
    assert [len(one["meetings"]) for one in values] == [4, 2, 1]
    assert values[2]["meetings"][0]["winner"] == winner
    begun = standings(synthetic(tmp_path / "begun", bots, units=1))
    open_one = standings_report(begun).tables[-1]
    assert open_one.cells[7][3] == "├ ?"
    final = summary(begun)["bracket"][2]["meetings"][0]
    assert (final["a"], final["b"], final["games"], final["winner"], final["decided_by"]) == (None, None, 0, None, None)
