"""What is told first of a field of many bots, of few deals, and of bots that forfeit."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from arena.results.formats import cells, write_report
from arena.results.pages.report import report_page
from arena.results.run_standings import RunStandings, standings
from arena.results.run_stats import STATISTICS, stats_report
from arena.results.sources import StoredRun
from arena.results.standings_report import public_json, standings_report, write_run_files
from arena.results.table import Report, percent
from arena.results.variant_report import comparison, read_variants
from arena.results.words import next_command
from arena.tournament.games import GameResult, GameTask
from tests.cli.conftest import content
from tests.results.synthetic import STRENGTH, store_run, strong, synthetic
from tests.tournament.runner.fake import fake_result

LETTERS = [2 + number % 9 for number in range(30)]
NAMES = [f"{number:02}" + "abcdefghij"[:more] for number, more in enumerate(LETTERS)]
"""Names of 4 to 12 letters."""


def failing(
    *bots: str, kind: str = "exception", reason: str = "ValueError: no plan"
) -> Callable[[GameTask], GameResult]:
    """Return a game in which the first of these bots forfeits, against any other."""

    def play(task: GameTask) -> GameResult:
        result = fake_result(task, STRENGTH, faults=False)
        for bot in bots:
            if bot in (task.first, task.second):
                detail = f'Traceback (most recent call last):\n  File "/bots/{bot}.py", line 3, in act\n{reason}\n'
                score, stones = (0.0, (0, 5)) if bot == task.first else (1.0, (5, 0))
                return replace(
                    result, score=score, stones=stones, ending="forfeit", forfeit=kind, forfeit_by=bot, detail=detail
                )
        return result

    return play


def field_of(
    folder: Path, names: list[str], games: int = 4, play: Callable[[GameTask], GameResult] = strong
) -> RunStandings:
    bots = [{"spec": "random", "name": name} for name in names]
    found = standings(synthetic(folder, {"bots": bots, "games": games, "own_deals": False}, play=play, chunk=1000))
    return replace(found, run=replace(found.run, folder="class"))


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> RunStandings:
    return field_of(tmp_path_factory.mktemp("many") / "run", NAMES)


def shown(found: RunStandings, width: int | None) -> str:
    return write_report(standings_report(found), width=width, brief=True)


def widest_table_line(text: str) -> int:
    return max(cells(line) for line in text.splitlines() if "arena " not in line)


def test_tables_fit_the_terminal(many: RunStandings, broken: RunStandings) -> None:
    """A large crosstable is hidden; of another one, the best opponents are shown."""
    text = shown(many, 80)
    assert widest_table_line(text) <= 80
    assert all(f" {name} " in text.partition("\n\nFirst")[0] for name in NAMES)
    assert re.search(r"\d columns and 1 table hidden; to see them: --print wide", text)
    assert "score% against" not in text
    text = shown(broken, 50)
    assert widest_table_line(text) <= 50
    head, _, first, *_ = text[text.index("score% against") :].splitlines()
    assert head.split()[2:] == ["1", "2", "3", "4", "5"]
    score = {row["opponent"]: row["score"] for row in broken.met or () if row["bot"] == broken.rows[0]["bot"]}
    assert first.split()[2:] == ["·", *(percent(score[row["bot"]]) for row in broken.rows[1:5])]


def test_wide_markdown_and_files_have_the_whole_crosstable(many: RunStandings) -> None:
    report = standings_report(many)
    for text in (write_report(report), write_report(report, "markdown")):
        line = next(line for line in text.splitlines() if "score% against" in line)
        assert line.split()[-2 if "|" in line else -1] == "30"
    assert len(content(write_report(report, "json"))["crosstable"]) == 30 * 29


def test_from_thirty_bots_on_pairs_are_in_files(many: RunStandings) -> None:
    tables = {table.name: table for table in stats_report(many.run, 10).tables}
    assert all(len(tables[name].rows) == 30 * 29 and not tables[name].columns for name in ("pairings", "los"))


def test_few_deals_show_no_interval(many: RunStandings) -> None:
    text = shown(many, 200)
    line = next(line for line in text.splitlines() if line.startswith("First player"))
    assert line.endswith("% of the points.")
    assert "±" not in text
    assert "Play more games, or give each pairing its own deals (own_deals)." in text
    first = content(public_json(many))["first_player"][0]
    assert first["score"] is not None
    assert [first[name] for name in ("score_low", "score_high", "elo", "elo_error95")] == [None] * 4


def test_notes_below_the_table_are_few(many: RunStandings) -> None:
    below = shown(many, 120).rpartition("\n\nFirst")[2]
    assert len(below.splitlines()) < 16
    assert sum(name in line for line in below.splitlines() for name in NAMES) <= 24


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> RunStandings:
    return field_of(tmp_path_factory.mktemp("broken") / "run", [*NAMES[:6], "broken"], play=failing("broken"))


def test_total_forfeits_are_told_first(broken: RunStandings) -> None:
    text = shown(broken, 100)
    said = "broken forfeited all 24 games by exception: ValueError: no plan (broken.py, line 3);"
    said += " arena replay class 01abc/broken/0"
    assert text.splitlines()[2] == said
    assert text.index(said) < text.index("Elo")
    assert text.count("ValueError") == 1  # not again below
    report = standings_report(broken)
    assert "\n- broken forfeited all 24 games by exception: `ValueError: no plan" in write_report(report, "markdown")
    page = write_report(report, "html")
    assert page.index("broken forfeited all 24 games by exception.") < page.index("<table")
    assert "ValueError" not in page  # a reason may hold times


def test_no_more_games_are_advised_after_total_forfeits(
    broken: RunStandings, many: RunStandings, tmp_path: Path
) -> None:
    assert "lay more games" not in shown(broken, 200)
    assert "lay more games" in shown(many, 200)
    page = report_page(StoredRun(store_run(tmp_path / "run", {"games": 4}, play=failing("counter"))), count=0)
    assert page.index("counter forfeited all 8 games by exception.") < page.index('<table class="sortable"')
    assert "There are too few deals to show that " in page
    assert "lay more games" not in page
    assert next_command(broken) == "Next, to find out why broken forfeits: arena check random"
    assert "check" not in next_command(many)


def test_many_bots_that_forfeit_are_grouped(tmp_path: Path) -> None:
    text = shown(field_of(tmp_path / "all", NAMES, 2, failing(*NAMES)), 200)
    above = text.partition("\n\n  #")[0].split("\n\n")[1].splitlines()
    assert len(above) == 6
    assert above[0].startswith("00ab forfeited all 58 games by exception: ")
    assert above[5].startswith("forfeited or failed as well: ")
    assert above[5].endswith(f" and {len(NAMES) - 11} more; all of them: arena standings class --json")


# ---------------------------------------------------------------- more than 100 bots


BOTS = [f"b{number:03}" for number in range(31)]


def test_files_have_a_line_for_each_bot_and_none_for_each_two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("run_standings", "standings_report", "run_stats"):
        monkeypatch.setattr(f"arena.results.{module}.LARGE_FIELD", 30)
    bots = [{"spec": "random", "name": name} for name in BOTS]
    large = synthetic(tmp_path / "run", {"bots": bots, "games": 1, "pairs": False}, chunk=1000)
    folder = tmp_path / "files"
    folder.mkdir()
    names = {path.name for path in write_run_files(standings(large), folder)}
    assert names == {"standings.csv", "summary.json", "timing.csv"}
    summary = content((folder / "summary.json").read_text())
    assert not summary["crosstable"]
    assert len(summary["standings"]) == len(BOTS)
    assert sum(path.stat().st_size for path in folder.iterdir()) < 1200 * len(BOTS)
    assert "crosstable.csv" in {path.name for path in write_run_files(standings(large, whole=True), folder)}
    assert (folder / "crosstable.csv").read_text().count("\n") == 1 + len(BOTS) * (len(BOTS) - 1)
    assert not content((folder / "summary.json").read_text())["crosstable"]  # a million rows took 200 MB
    short = stats_report(large, 10.0)
    by_opponent = {statistic.name for statistic in STATISTICS if statistic.by_opponent}
    assert not {table.name for table in short.tables} & by_opponent
    assert "tables by opponent are made for files only" in write_report(short, "table")
    assert {table.name for table in stats_report(large, 10.0, whole=True).tables} >= by_opponent - {
        "forfeits_by_opponent"
    }
    monkeypatch.setattr("arena.results.run_stats.MOST_OPPONENTS", 30)
    none = stats_report(large, 10.0, whole=True)
    assert not {table.name for table in none.tables} & by_opponent
    assert "--only chooses bots" in none.remarks[-1]


# ---------------------------------------------------------------- comparisons of few deals


def fair(task: GameTask) -> GameResult:
    return fake_result(task, faults=False)


def compared(folder: Path, games: int, play: Callable[[GameTask], GameResult] = fair) -> Report:
    folders = [
        store_run(folder / rules, {"rules": rules, "games": games, "own_deals": False}, play=play)
        for rules in ("base", "tactical")
    ]
    return comparison(read_variants(folders, 0))


@pytest.mark.parametrize(("games", "known"), [(18, False), (20, True)])
def test_few_deals_show_no_interval_and_no_verdict(tmp_path: Path, games: int, known: bool) -> None:
    report = compared(tmp_path, games)
    text = write_report(report)
    assert ("Too few deals to say whether the variant matters (10 needed)." in text) == (not known)
    assert ("Fewer than 10 deals give no interval: play more games." in text) == (not known)
    for table in report.tables:
        for row in table.rows:
            ends = [row[name] for name in ("score_low", "low", "p_holm", "elo_low") if name in row]
            assert not any(pd.notna(end) != known for end in ends), (table.name, row)
    largest = next(line for line in text.splitlines() if " in tactical against base" in line)
    assert (" .. " in largest) == known
    assert "nan" not in text


def test_total_forfeits_stand_before_the_answer(tmp_path: Path) -> None:
    report = compared(tmp_path, 4, failing("counter"))
    text = write_report(report)
    for variant in ("base", "tactical"):
        assert text.index(f"{variant}: counter forfeited all 8 games by exception: ") < text.index("Too few deals")
    assert "Fewer than 10 deals give no interval." in text
    assert "lay more games" not in text
