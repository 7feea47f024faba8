"""The first look at a field of thirty bots with few games: widths, and what is told above and below the table."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from arena.cli.playing import next_step
from arena.results.formats import PIPE_WIDTH, abridged, cells, narrow_grid, write_report
from arena.results.pages.report import report_page
from arena.results.run_standings import RunStandings, standings
from arena.results.sources import StoredRun
from arena.results.standings_report import standings_report, summary, two_digits
from arena.results.table import Report, Table, column_of
from arena.tournament.games import GameResult, GameTask
from tests.results.synthetic import STRENGTH, store_run, strong, synthetic
from tests.tournament.runner.fake import fake_result

LETTERS = [2 + number % 9 for number in range(30)]
NAMES = [f"{number:02}" + "abcdefghij"[:more] for number, more in enumerate(LETTERS)]
"""Names of 4 to 12 letters."""
CROSSTABLE = "Scores in % of the row's bot"


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


@pytest.mark.parametrize(("width", "whole"), [(80, False), (100, True)])
def test_tables_fit_the_terminal(many: RunStandings, width: int, whole: bool) -> None:
    text = shown(many, width)
    assert widest_table_line(text) <= width
    assert (CROSSTABLE in " ".join(text.split())) == whole
    assert ("too wide to be shown here. To see it:\n  arena standings class --wide\n" in text) == (not whole)
    assert all(f" {name} " in text.partition("\n\nFirst")[0] for name in NAMES)  # in the first table


def narrow_lines(text: str) -> list[str]:
    """The lines of the narrow crosstable: head, rule, and a line for each bot."""
    lines = text.splitlines()
    start = next(index for index, line in enumerate(lines) if line.split()[:2] == ["score%", "1"])
    return lines[start : lines.index("", start)]


def test_a_pipe_gets_the_crosstable_in_few_columns(many: RunStandings) -> None:
    lines = narrow_lines(shown(many, None))
    assert len(lines) == 32
    assert max(map(cells, lines)) <= PIPE_WIDTH
    score = {(row["bot"], row["opponent"]): row["score"] for row in many.met}
    order = [row["bot"] for row in many.rows]
    for rank, (bot, line) in enumerate(zip(order, lines[2:], strict=True), start=1):
        wanted = ["·" if other == bot else two_digits(score[bot, other]) for other in order]
        assert line.split() == [str(rank), bot, *wanted]


def test_wide_markdown_and_files_have_the_whole_crosstable(many: RunStandings) -> None:
    report = standings_report(many)
    for text in (write_report(report), write_report(report, "markdown")):
        line = next(line for line in text.splitlines() if "score% against" in line)
        assert line.split()[-2 if "|" in line else -1] == "30"
        assert "++" not in text.partition("score% against")[2].partition("First")[0]
    assert len(json.loads(write_report(report, "json"))["crosstable"]) == 30 * 29


@pytest.mark.parametrize("text", ["planner-deep", "日本語日本語", "e\u0301" * 8, ""])
def test_names_cut_in_the_middle_fit(text: str) -> None:
    for most in range(1, 14):
        cut = abridged(text, most)
        assert cells(cut) <= most
        assert cut == text if cells(text) <= most else "…" in cut


def test_a_narrow_table_without_texts_may_not_fit() -> None:
    assert narrow_grid([column_of("games")], [["12345"]], 4) == ""
    wide = Table("t", "", [{"games": 12345}], [column_of("games")], elsewhere="Look there.", narrow=None)
    assert write_report(Report("", [wide]), width=4, brief=True) == "Look there.\n"


def test_few_deals_show_no_interval(many: RunStandings) -> None:
    text = shown(many, 200)
    line = next(line for line in text.splitlines() if line.startswith("First player"))
    assert line.endswith("% of the points.")
    assert "±" not in text.replace("No ± yet: 2 deals played, 10 needed.", "")
    assert "Play more games, or give each pairing its own deals (own_deals)." in text
    first = summary(many)["first_player"]
    assert first["score"] is not None
    assert [first[name] for name in ("score_low", "score_high", "elo", "elo_error95")] == [None] * 4


def test_notes_below_the_table_are_few(many: RunStandings) -> None:
    below = shown(many, 120).rpartition(CROSSTABLE)[2]
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
    assert page.index("counter forfeited all 8 games by exception.") < page.index("First of 3")
    assert "There are too few deals to show that." in page
    assert "lay more games" not in page
    assert next_step(broken, "class") == "Find out why broken forfeits: arena check random"
    assert next_step(many, "class") == ""


def test_a_match_lost_by_forfeits_advises_no_more_games(tmp_path: Path) -> None:
    settings = {"bots": ["greedy", {"spec": "mine.py", "name": "mine"}], "format": "match", "games": 8}
    lost = standings(synthetic(tmp_path / "lost", settings, play=failing("mine")))
    assert next_step(lost, "run") == "Find out why mine forfeits: arena check mine.py"
    assert "lay more games" not in shown(lost, None)
    assert "stronger" not in shown(lost, None)  # forfeits say nothing about strength
    shared = standings(synthetic(tmp_path / "shared", settings, play=lambda task: fake_result(task, faults=False)))
    assert "lay more games" in shown(shared, None)


def test_most_games_forfeited_in_several_ways(tmp_path: Path) -> None:
    def play(task: GameTask) -> GameResult:
        number = task.id.deal % 4
        if "shaky" not in (task.first, task.second) or number == 3:
            return fake_result(task, faults=False)
        return failing("shaky", kind="crash" if number else "exception")(task)

    text = shown(field_of(tmp_path / "run", ["good", "shaky"], 16, play), 100)
    assert "\n\nshaky forfeited 12 of 16 games, 8 of them by crash: ValueError: no plan (shaky.py, line 3); " in text


def test_many_bots_that_forfeit_are_grouped(tmp_path: Path) -> None:
    text = shown(field_of(tmp_path / "all", NAMES, 2, failing(*NAMES)), 200)
    above = text.partition("\n\n  #")[0].split("\n\n")[1].splitlines()
    assert len(above) == 6
    assert above[0].startswith("00ab forfeited all 58 games by exception: ")
    rest = " forfeited most of their games too; all of them: arena standings class --json"
    assert above[5].endswith(rest)
    assert above[5].partition(" and ")[0].count(",") == 4

    def sometimes(task: GameTask) -> GameResult:
        kind = "crash" if task.id.game else "exception"
        return failing(task.first, kind=kind)(task) if task.id.deal == 0 else fake_result(task, faults=False)

    found = field_of(tmp_path / "some", NAMES[:12], 6, sometimes)
    assert len(found.run.forfeits) == 22
    items = standings_report(found).items
    assert ["".join(item).partition(" (")[0] for item in items] == [
        "66 games by exception",
        "66 games by crash",
        "All of them: arena standings class --json",
    ]
    assert "and 6 more), such as: ValueError: no plan (" in "".join(items[0])
