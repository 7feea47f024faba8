"""The figures of the tables and of their files, held against counts made by hand from the games."""

from __future__ import annotations

import csv
import math
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from arena.results import standings_report as module
from arena.results.pages.figures import rating_plot
from arena.results.run_data import read_run
from arena.results.run_standings import FORFEIT_COLUMNS, STANDING_COLUMNS, rate_run, standings
from arena.results.run_stats import run_frames
from arena.results.standings_report import public_json, standings_report, write_run_files
from arena.results.table import table_csv
from arena.results.words import findings, remarks
from arena.stats.pairs import counts_between, elo_of_score, head_to_head
from arena.tournament.games import GameResult, GameTask
from arena.tournament.store.reader import Reader, WorkSession
from tests.cli.conftest import content
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
    assert table.loc["random", "games"] == 0
    assert math.isnan(table.loc["random", "elo"])
    assert table.loc["greedy", "games"] == 2
    assert list(table["rank"]) == [1, 2, 3]


def test_a_run_without_games(tmp_path: Path) -> None:
    found = standings(synthetic(tmp_path / "run", units=0))
    assert [row["games"] for row in found.rows] == [0, 0, 0]
    assert remarks(found) == ["No games yet."]
    assert found.faults == 0


def best_wins(task: GameTask) -> GameResult:
    score = float(task.first == "greedy")
    stones = (5, 1) if score else (1, 5)
    return replace(fake_result(task, faults=False), score=score, stones=stones, ending="five stones")


@pytest.mark.parametrize("games", [2, 20])
def test_a_shut_out_has_no_end_wherever_it_is_shown(tmp_path: Path, games: int) -> None:
    settings = {"format": "match", "bots": ["greedy", "random"], "games": games}
    found = standings(synthetic(tmp_path / "run", settings, play=best_wins))
    assert found.head_to_head is not None
    bound = elo_of_score(0.05 ** (2 / games))
    first, second = found.rows
    assert first["elo"] == -second["elo"] > bound / 2
    assert first["elo_plus"] == second["elo_minus"] == first["elo_error95"] == math.inf
    assert first["elo_minus"] == second["elo_plus"] == pytest.approx(first["elo"] - bound / 2)
    values = content(public_json(found))
    head, line = values["head_to_head"][0], values["standings"][0]
    assert (line["elo_plus"], line["elo_error95"]) == (None, None)
    assert line["elo_minus"] == round(first["elo_minus"], 2)
    assert (head["flag"], head["elo"], head["elo_error95"], head["elo_high"]) == (">", None, None, None)
    assert head["elo_low"] == round(bound, 2)
    assert 0.8 < head["los"] < 1
    assert values["first_player"][0]["elo"] == (None if games == 2 else 0)  # 1 deal and 10
    sentence = {
        2: f", too few games to rate: it could still be up to {-bound:.0f} Elo weaker (95% confident)",
        20: f": at least {bound:.0f} Elo stronger (95% confident)",
    }
    told = f"greedy won all {games} games against random{sentence[games]}; chance of being the stronger bot: "
    assert findings(found)[0].startswith(told)
    shown = standings_report(found).tables[0]
    assert [row[shown.heads.index("+")] for row in shown.cells] == ["∞", f"{second['elo_plus']:.0f}"]
    dots = rating_plot(found).rows
    assert [(dot.high, dot.low) for dot in dots] == [
        (None, pytest.approx(bound / 2)),
        (pytest.approx(-bound / 2), None),
    ]
    assert table_csv(shown).splitlines()[1].startswith(f"1,greedy,{first['elo']:.2f},,,{first['elo_minus']:.2f},")
    frames = run_frames(found.run, 10)
    assert list(frames["ratings"]["elo_plus"]) == [row["elo_plus"] for row in found.rows]
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
        sides = found.rows[0]["elo_minus"], found.rows[0]["elo_plus"]
        assert 2 * sum(sides) == pytest.approx(head.elo_high - head.elo_low)
    rated = rate_run(found.run, found.run.columns.games())
    assert rated.los().loc["greedy", "random"] == pytest.approx(head.los)
    gap = rated.difference("greedy", "random")
    assert head.flag or (gap.elo - gap.minus, gap.elo + gap.plus) == pytest.approx((head.elo_low, head.elo_high))


def test_swiss_shows_its_tiebreaks_and_rounds(tmp_path: Path) -> None:
    bots = {"bots": ["a", "b", "c", "d", "e"], "format": "swiss", "games": 4}
    found = standings(synthetic(tmp_path / "run", bots))
    assert list(found.rows[0])[-4:] == ["format_points", "buchholz", "seed", "remark"]
    report = standings_report(found)
    assert report.tables[0].heads[2:5] == ["pts", "Buchholz", "seed"]
    table = next(table for table in report.tables if table.name == "rounds")
    assert [row[0] for row in table.cells] == ["1"] * 3 + ["2"] * 3 + ["3"] * 3
    assert [row[-1] for row in table.cells].count("bye") == 3
    values = content(public_json(found))
    assert [one["round"] for one in values["rounds"]] == [1] * 3 + [2] * 3 + [3] * 3
    assert {"rank", "buchholz", "seed", "format_points"} <= set(values["standings"][0])
    won = [meeting for meeting in values["rounds"] if meeting["decided_by"] == "games"]
    assert all((one["winner"] == one["bot"]) == (one["wins"] > one["losses"]) for one in won)
    assert "rounds" not in content(public_json(standings(synthetic(tmp_path / "other"))))


def test_a_knockout_shows_its_bracket(tmp_path: Path) -> None:
    bots = {"bots": ["a", "b", "c", "d", "e"], "format": "knockout", "games": 2}
    found = standings(synthetic(tmp_path / "run", bots))
    (table,) = (table for table in standings_report(found).tables if table.name == "bracket")
    assert table.heads == ["round 1", "round 2", "round 3", "winner"]
    assert len(table.rows) == 15
    winner = found.rows[0]["bot"]
    assert table.cells[7][3] == f"├ {winner}"
    values = content(public_json(found))["rounds"]
    assert [one["round"] for one in values] == [1] * 4 + [2] * 2 + [3]
    assert values[-1]["winner"] == winner
    begun = standings(synthetic(tmp_path / "begun", bots, units=1))
    (open_one,) = (table for table in standings_report(begun).tables if table.name == "bracket")
    assert open_one.cells[7][3] == "├ ?"
    final = content(public_json(begun))["rounds"][-1]
    assert (final["bot"], final["opponent"], final["games"], final["winner"], final["decided_by"]) == (
        None,
        None,
        0,
        None,
        None,
    )


# ---------------------------------------------------------------- files


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


# ---------------------------------------------------------------- sentences


def test_too_few_games_to_tell_the_first_player_from_the_stronger(tmp_path: Path) -> None:
    def first_wins(task: GameTask) -> GameResult:
        return replace(fake_result(task, faults=False), score=1.0, stones=(5, 2), ending="five stones")

    values = {"format": "match", "bots": ["a", "b"], "games": 1, "pairs": False}
    found = standings(synthetic(tmp_path / "run", values, play=first_wins))
    assert len(found.run.games) == 1
    assert math.isnan(found.first_advantage[0])
    assert remarks(found)[0] == "First player: 100.0% of the points."
