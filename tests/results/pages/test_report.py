"""`arena report` and the page of a game: the figures of the standings, the names of strangers as texts."""

from __future__ import annotations

import base64
import hashlib
import re
import tomllib
from pathlib import Path

import pytest

from arena.league import book, fixtures
from arena.paths import data_folder
from arena.results.pages.figures import card_frames
from arena.results.pages.report import report_page, settings_toml
from arena.results.positions import plays
from arena.results.run_data import read_run
from arena.results.run_standings import standings
from arena.results.run_stats import stats_report
from arena.results.sources import StoredRun, find_source
from arena.results.standings_report import standings_report
from arena.results.table import Table
from arena.text import one_line
from arena.tournament.config import config_from_dict
from arena.tournament.store.reader import Reader
from tests.cli.conftest import Arena, arena  # noqa: F401
from tests.league.leagues import enter, league, row
from tests.results.pages.conftest import Page
from tests.results.synthetic import store_run


def rows(table: Table) -> list[list[str]]:
    """The cells of a table without the columns that say nothing."""
    columns = [column for column in zip(table.heads, *table.cells) if {*column[1:]} - {"", "-"}]
    return [[one_line(cell) for cell in row] for row in zip(*columns)]


def test_the_page_holds_the_tables_of_stats_and_standings(folder: Path, page: Page) -> None:
    run = read_run(folder)
    wanted = [*stats_report(run, 10).tables, standings_report(standings(run)).tables[0]]
    for table in wanted:
        if table.columns:
            assert rows(table) in page.tables, table.name
    for remark in standings_report(standings(run)).remarks:
        assert remark in page.text


def test_the_policy_allows_this_style_and_these_scripts_only(html: str, page: Page) -> None:
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', html)
    assert policy is not None
    told = policy[1].replace("&#39;", "'")
    assert told.startswith("default-src 'none';")
    assert "unsafe" not in told
    code = [text for attributes, text in page.scripts if attributes.get("type") is None]
    style = re.findall(r"<style>(.*?)</style>", html, re.S)
    assert len(code) == 3
    for text in (*code, *style):
        assert f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'" in told
    assert not [tag for tag, _ in page.tags if tag in ("link", "img", "iframe", "object", "embed", "base", "form")]
    for _, attributes in page.tags:
        assert "style" not in attributes
        assert not [name for name in attributes if name.startswith("on")]
        assert (attributes.get("href") or "#").startswith("#")


HOSTILE = (
    "\x1b[31mred",
    "abc\u202edcb\u2028",
    "<script>alert(1)</script>",
    "\"'><img src=x onerror=alert(1)>",
    "</script><!--<script>",
    "😀" * 20,
    "{{ 7*7 }}{% raw %}",
    "=cmd()",
    "w" * 60,
)


def test_names_of_strangers_are_texts(tmp_path: Path) -> None:
    bots = [{"name": name, "spec": "random"} for name in HOSTILE]
    html = report_page(find_source(str(store_run(tmp_path / "run", {"bots": bots, "games": 2}))), count=0)
    page = Page.of(html)
    for name in map(one_line, HOSTILE):
        assert name in page.text
        assert any(name in cell for table in page.tables for row in table for cell in row), name
    assert [text for tag, text in page.tags if tag == "img"] == []
    assert len(page.scripts) == 4  # one for data, three with code
    assert "49" not in page.tables[0][-1]


def test_the_sample_has_forfeits_that_lead_to_their_games(page: Page) -> None:
    """Their reasons are texts, whatever they hold."""
    games = page.data("games")
    assert "6 of 48 games can be replayed here" in page.text
    assert [int(game["key"]) for game in games] == sorted(int(game["key"]) for game in games)
    links = [attributes["href"] or "" for tag, attributes in page.tags if tag == "a"]
    (link,) = [link for link in links if link.startswith("#game=") and link.endswith("&move=last")]
    game = next(game for game in games if link == f"#game={game['id']}&move=last")
    assert game["forfeit"] == "exception"
    reasons = [cell for table in page.tables for row in table for cell in row if "ValueError" in cell]
    assert "</script><script>alert(1)</script> ?[31m ? 😀" in reasons[0]


def test_the_settings_play_the_run_again(folder: Path, page: Page) -> None:
    run = read_run(folder)
    text = settings_toml(run.config)
    assert text is not None
    assert text in page.text
    assert config_from_dict(tomllib.loads(text)).canonical() == run.config


@pytest.mark.parametrize("file", sorted(data_folder("configs").glob("*.toml")), ids=lambda file: file.stem)
def test_settings_of_every_format_are_read_again(file: Path) -> None:
    data = {key: value for key, value in tomllib.loads(file.read_text(encoding="utf-8")).items() if key != "exclude"}
    config = config_from_dict({**data, "seed": 3, "clock": {"move_ms": 50}}, exist=False)
    text = settings_toml(config.canonical())
    assert text is not None
    assert config_from_dict(tomllib.loads(text), exist=False).canonical() == config.canonical()


@pytest.mark.slow
def test_a_comparison_shows_its_variants(compared: Path) -> None:
    page = Page.of(report_page(find_source(str(compared)), count=4))
    assert [game["key"].partition("/")[0] for game in page.data("games")] == ["base", "base", "tactical", "tactical"]
    assert "base: Standings" in page.text
    assert "tactical: Tactic cards" in page.text
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(ids) == len(set(ids))


def test_a_run_without_games_is_an_error(tmp_path: Path, arena: Arena) -> None:  # noqa: F811
    folder = store_run(tmp_path / "run", units=0)
    assert "no games yet" in arena("report", folder, code=2).err
    assert not (folder / "report.html").exists()


def test_commands_write_where_they_say(
    folder: Path,
    tmp_path: Path,
    arena: Arena,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert "page.html" in arena("report", folder, "-o", "page.html", "--replays", "2", "--bot", "greedy", "--won").err
    assert Page.of((tmp_path / "page.html").read_text(encoding="utf-8")).data("games")
    assert Page.of(arena("report", folder, "-o", "-", "--replays", "0").out).tables
    shown: list[str] = []
    monkeypatch.setattr("click.launch", shown.append)
    arena("replay", folder, "greedy/random/0", "--open")
    assert shown == [(tmp_path / "game-greedy-random-0.html").resolve().as_uri()]
    (game,) = Page.of((tmp_path / "game-greedy-random-0.html").read_text(encoding="utf-8")).data("games")
    assert game["key"] == "greedy/random/0"
    assert all(0 <= step["chance"] <= 1 for step in game["steps"])
    assert game["judge"] == "the net"
    assert "--open needs a file" in arena("replay", folder, "1", "-o", "-", "--open", code=2).err
    assert "no run named 'nowhere'" in arena("report", "nowhere", code=2).err


def test_a_page_of_damaged_records_is_small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.results.pages.report.MOST_ROWS", 2)
    html = report_page(find_source(str(store_run(tmp_path / "run", {"games": 60}))), count=5)  # its records are none
    assert len(html) < 300_000
    page = Page.of(html)
    assert "games can be replayed here" not in page.text
    assert "The first 2 of 6 rows" in page.text


def test_a_page_of_many_bots_says_what_it_does_not_show(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module, name in (("figures", "MOST_DOTS"), ("figures", "LARGEST_SQUARE"), ("report", "LARGEST_SQUARE")):
        monkeypatch.setattr(f"arena.results.pages.{module}.{name}", 2)
    monkeypatch.setattr("arena.results.pages.report.MOST_DOTS", 2)
    page = Page.of(report_page(find_source(str(folder)), count=0))
    assert "Elo of the first 2 of 3 bots" in page.text
    assert "More than 2 bots are too many for a crosstable." in page.text
    assert not [attributes for tag, attributes in page.tags if tag == "table" and "cross" in str(attributes["class"])]
    assert not any("hash" in table[0] for table in page.tables)
    assert f"The hashes of the bots' sources: arena standings {one_line(str(folder))} --json" in page.text


def test_records_are_read_as_runs(folder: Path, page: Page, tmp_path: Path, arena: Arena) -> None:  # noqa: F811
    arena("export", folder, "--records", "pairings.txt")
    arena("report", "pairings.txt", "--replays", "3")
    told = Page.of((tmp_path / "pairings.html").read_text(encoding="utf-8"))
    assert len(told.data("games")) == 3
    assert "None" not in told.text
    assert rows(standings_report(standings(read_run(folder))).tables[0])[1][:3] in [row[:3] for row in told.tables[0]]
    assert reasons_of(told)
    assert reasons_of(told) == reasons_of(page)


def reasons_of(page: Page) -> list[list[str]]:
    """The rows of the table of reasons, without the games."""
    return next(([row[:-1] for row in table[1:]] for table in page.tables if "reason" in table[0]), [])


def test_a_league_tells_why_games_were_forfeited(tmp_path: Path) -> None:
    with league(tmp_path / "league") as found:
        a, b, c = enter(found, "a", "b", "c")
        one, two = fixtures.deal_units(found, [fixtures.Fixture(a, b, 1), fixtures.Fixture(c, b, 1)])
        told = [row(one, 0, 2, 3, 2), row(one, 1, 0, 0, 2), row(two, 0, 0, 1, 1), row(two, 1, 0)]
        found.insert_games([line._replace(record="schotten/1 base 1:0 0; ; ") for line in told])
        book.retire(found, "c")
    page = Page.of(report_page(find_source(str(tmp_path / "league"))))
    assert reasons_of(page) == [["a v1", "end", "1", ""], ["b v1", "timeout", "1", "why"]]


def test_a_page_is_the_same_with_the_same_games(folder: Path, html: str) -> None:
    assert report_page(find_source(str(folder)), count=6) == html


def test_a_bracket_is_no_table_to_sort(tmp_path: Path) -> None:
    values = {"format": "knockout", "bots": ["greedy", "random", "counter"], "games": 2}
    page = Page.of(report_page(StoredRun(store_run(tmp_path / "run", values)), count=0))
    kinds = [attributes["class"] for tag, attributes in page.tags if tag == "table"]
    assert kinds.count("bracket") == 1
    assert "sortable" in kinds


def test_cards_of_a_sample_are_those_of_the_games_it_names(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = read_run(folder)
    monkeypatch.setattr("arena.results.pages.figures.CARD_GAMES", 10)
    frame, notes = card_frames(StoredRun(folder), run)
    assert frame is not None
    assert notes == ["From 10 of 48 games, evenly spaced."]
    with Reader(folder) as reader:
        records = [game.record for number, game in enumerate(reader.results()) if number % 5 == 0]
    assert int(frame["plays"].sum()) == sum(1 for record in records for _ in plays(record))
