"""Tables as text: what each format holds, and what it must not hold."""

from __future__ import annotations

import csv
import io
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from arena.results.formats import REPORT_FORMATS, cells, fit_columns, grid, write_report
from arena.results.run_data import RunData
from arena.results.run_standings import STANDING_COLUMNS, RunStandings, standings
from arena.results.standings_report import forfeit_text, public_json, standings_report
from arena.results.table import WIDE, Column, Report, Table, percent, records, table_csv, table_of
from arena.results.words import remarks
from arena.tournament.forfeits import ForfeitReason
from tests.cli.conftest import content
from tests.results.synthetic import synthetic


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunData:
    return synthetic(tmp_path_factory.mktemp("run") / "run")


@pytest.fixture(scope="module")
def found(run: RunData) -> RunStandings:
    return standings(run)


def standings_text(found: RunStandings, format_: str = "table") -> str:
    return write_report(standings_report(found), format_)


def test_terminal_shows_standings_crosstable_and_remarks(found: RunStandings) -> None:
    text = standings_text(found)
    assert text.startswith("syn: round-robin, rules base, 60 games, own deals, seed 3\n")
    lines = text[text.index("\n  #") + 1 :].splitlines()
    heads = lines[0].split()
    wanted = "# bot Elo + - games W-D-L score% first% points stones turns forfeits ms/move"
    assert heads == wanted.split()
    for at, row in enumerate(found.rows):
        cells = lines[2 + at].split()
        assert cells[:3] == [str(row["rank"]), row["bot"], f"{row['elo']:+z.0f}"]
        assert f"{row['wins']}-{row['draws']}-{row['losses']}" in cells
        assert forfeit_text(row) in lines[2 + at]
    assert "score% against" in text
    assert "First player:" in text
    assert "prior: 1 virtual draw" in text.lower()


def test_only_the_terminal_shows_what_a_clock_measured(run: RunData) -> None:
    times = tuple(time._replace(us=98765000 * time.decisions) for time in run.columns.thinking)
    slow = replace(run, columns=replace(run.columns, thinking=times))
    for format_ in REPORT_FORMATS:
        text = standings_text(standings(slow), format_)
        assert ("98765" in text) == (format_ in ("table", "wide"))
        if format_ not in ("table", "wide"):
            assert text == standings_text(
                standings(replace(run, columns=replace(run.columns, thinking=()), sessions=())), format_
            )


def test_reasons_of_forfeits_stand_above_the_table(run: RunData) -> None:
    lines = [
        ForfeitReason("greedy", "exception", 2, "KeyError: '`\x1b[2J'", "greedy/random/1"),
        ForfeitReason("random", "timeout", 1, "decision 1 took " + "9" * 200, "random/counter/0"),
        ForfeitReason("counter", "crash", 1, "", "counter/greedy/0"),
    ]
    failed = standings(replace(run, forfeits=tuple(lines), folder="results/my run"))
    above = standings_text(failed).partition("\n\nNot shown")[0] + "\n"
    assert above.endswith(
        "\n\ngreedy forfeited 2 of 40 games by exception: KeyError: '`?[2J'; "
        "arena replay 'results/my run' greedy/random/1\n"
        f"random forfeited 1 of 40 games by timeout: decision 1 took {'9' * 83}…; "
        "arena replay 'results/my run' random/counter/0\n"
        "counter forfeited 1 of 40 games by crash; arena replay 'results/my run' counter/greedy/0\n"
    )
    assert "\n- greedy forfeited 2 of 40 games by exception: `KeyError: ''?[2J'`; `arena replay" in standings_text(
        failed, "markdown"
    )
    assert content(standings_text(failed, "json"))["forfeits"][0] == {
        "bot": "greedy",
        "kind": "exception",
        "games": 2,
        "reason": "KeyError: '`?[2J'",
        "game": "greedy/random/1",
    }
    without = content(public_json(failed))
    assert {line["reason"] for line in without["forfeits"]} == {""}
    assert without | {"forfeits": []} == content(public_json(standings(replace(run, forfeits=()))))
    assert standings_text(failed, "csv") == standings_text(standings(run), "csv")


def test_csv_reads_back_with_fixed_digits(found: RunStandings) -> None:
    rows = list(csv.DictReader(io.StringIO(standings_text(found, "csv"))))
    assert list(rows[0]) == list(STANDING_COLUMNS)
    for row, wanted in zip(rows, found.rows, strict=True):
        assert row["bot"] == wanted["bot"]
        assert float(row["elo"]) == pytest.approx(wanted["elo"], abs=0.005)
        assert [len(row[name].partition(".")[2]) for name in ("elo", "score", "mean_turns")] == [2, 4, 3]


def test_json_holds_the_shape_that_others_build_on(found: RunStandings, tmp_path: Path) -> None:
    values = content(standings_text(found, "json"))
    assert values["name"] == "syn"
    assert (values["format"], values["rules"], values["seed"]) == ("round-robin", "base", 3)
    assert (values["games_played"], values["games_planned"], values["complete"]) == (60, 60, True)
    assert [set(row) for row in values["standings"]] == [set(STANDING_COLUMNS)] * 3
    assert [bot["source"] for bot in values["bots"]] == [f"hash of {bot}" for bot in ("random", "greedy", "counter")]
    assert (len(values["crosstable"]), values["first_player"][0]["games"], values["prior"]) == (6, 60, 1)
    assert sum(row["games"] for row in values["endings"]) == 60
    empty = content(standings_text(standings(synthetic(tmp_path / "run", units=0)), "json"))
    assert (empty["standings"][0]["elo"], empty["complete"]) == (None, False)  # null where there is no number


def test_a_series_warns_of_the_first_players_score(found: RunStandings) -> None:
    series = replace(found.run, config={**found.run.config, "format": "series"})
    assert "so only the Elo figure counts" in remarks(standings(series))[0]
    assert "so only" not in "".join(remarks(found))
    table = standings(series)
    assert table.ratings is not None
    few = remarks(replace(table, ratings=replace(table.ratings, first_advantage_error95=float("inf"))))[0]
    assert "Elo" not in few, "there is no such figure"


def test_markdown_shows_strangers_texts_as_they_are(tmp_path: Path) -> None:
    frame = pd.DataFrame({"bot": ["my_bot"], "author": ["<b>*x*</b> [y](z) `w` | _v_"]})
    shown = write_report(Report("", [table_of("bots", "", frame)]), "markdown")
    assert "my_bot" in shown
    assert r"\<b>\*x\*\</b> \[y\](z) \`w\` \| \_v\_" in shown
    bots = [{"spec": "a", "name": "my_bot"}, {"spec": "b", "name": "*b*"}]
    shown = standings_text(standings(synthetic(tmp_path / "run", {"bots": bots, "format": "match"})), "markdown")
    assert r"| my_bot" in shown
    assert r"| \*b\*" in shown


def test_figures_are_rounded_by_their_columns() -> None:
    frame = pd.DataFrame(
        {
            "bot": ["a"],
            "score": [0.5],
            "elo": [12.346],
            "elo_error95": [np.nan],
            "p_holm": [1e-5],
            "games": [3],
        }
    )
    table = table_of("t", "", frame)
    assert table.heads == ["bot", "score%", "Elo", "elo error95", "p holm", "games"]
    assert table.cells == [["a", "50.0", "+12.3", "-", "< 0.001", "3"]]
    assert [column.left for column in table.columns] == [True] + [False] * 5
    assert write_report(Report("", [table]), "csv").splitlines()[1] == "a,0.5000,12.35,,1e-05,3"
    assert records(table)[0]["elo_error95"] is None


def test_texts_of_strangers_obey_no_terminal_and_are_no_formula() -> None:
    frame = pd.DataFrame({"bot": ["=1+1", "\x1b[2Jx\nfalse line"], "elo": [-3.5, np.nan], "note": ["ok", None]})
    report = Report("head \x1b[2J", [table_of("t", "", frame)], ["remark \u202e"])
    for format_ in ("table", "markdown"):
        shown = write_report(report, format_)
        assert "2Jx?false line" in shown
        assert shown.replace("\n", "").isprintable()
    assert write_report(report, "csv") == 'bot,elo,note\n\'=1+1,-3.50,ok\n"?[2Jx\nfalse line",,\n'


def test_shares_are_rounded_as_whole_numbers_are() -> None:
    """207 of 400 is 51.75 %, and 193 of 400 is 48.25 %; as floats they lie a little below or above."""
    for games in (8, 16, 32, 400, 2000, 4000, 16_000):
        for points in range(0, games + 1, max(1, games // 400)):
            whole, half = divmod(2000 * points + games, 2 * games)
            assert percent(points / games) == f"{whole / 10:.1f}", (points, games, half)
    frame = pd.DataFrame({"bot": ["a", "b"], "score": [207 / 400, 1 / 32], "elo": [0.125, -0.125]})
    table = table_of("t", "", frame)
    assert [row[1] for row in table.cells] == ["51.8", "3.1"]
    assert table_csv(table).splitlines()[1:] == ["a,0.5175,0.12", "b,0.0313,-0.12"]
    assert [row["score"] for row in records(table)] == [0.5175, 0.0313]


# ---------------------------------------------------------------- narrow terminals


def test_any_table_fits() -> None:
    draw = random.Random(5)
    for _ in range(200):
        columns = [Column("h" * draw.randint(1, 12), draw.choice(["text", "elo"])) for _ in range(draw.randint(2, 15))]
        rows = [[draw.choice(["ab" * draw.randint(0, 20), "7" * draw.randint(0, 12)]) for _ in columns] for _ in "123"]
        width = draw.randint(75, 200)  # two columns are always there
        shown, texts, left_out = fit_columns(columns, rows, width)
        assert len(shown) + left_out == len(columns)
        assert max(map(cells, grid(shown, texts, "simple").splitlines())) <= width


def test_a_brief_table_has_neither_more_columns_nor_empty_ones() -> None:
    columns = (Column("#"), Column("bot", "text"), Column("Elo"), Column("turns", where=WIDE), Column("remark", "text"))
    rows = [{"#": 1, "bot": "ann", "Elo": "+7", "turns": 44.1, "remark": "-"}]
    brief = write_report(Report("", [Table("standings", "", rows, columns)]), "table", None, True)
    assert brief.splitlines()[0].split() == ["#", "bot", "Elo"]
    assert brief.endswith("1 column hidden; to see it: --print wide\n")
