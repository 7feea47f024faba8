"""`arena report --follow`: a page as games come in, that loads itself again until the run ends."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from arena.results.pages import report as following
from arena.results.pages.report import follow
from arena.results.run_list import FINISHED, RUNNING, STOPPED, run_line
from arena.results.sources import find
from tests.cli.conftest import Arena, arena  # noqa: F401
from tests.results.pages.conftest import Page
from tests.results.synthetic import store_run


@pytest.fixture
def going_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run that is at work for four looks: without games, with some, with as many, with more."""
    folder = store_run(tmp_path / "run")
    there = run_line(find(str(folder)))
    lines: Iterator[object] = iter(
        [
            *(replace(there, state=RUNNING, games=games) for games in (0, 20, 20, 40)),
            there,
        ]
    )
    monkeypatch.setattr(following, "run_line", lambda _: next(lines))
    return folder


@pytest.mark.slow
def test_a_page_for_more_games_and_a_last_one(going_on: Path) -> None:
    pages: list[str] = []
    waited: list[float] = []
    line = follow(str(going_on), pages.append, 0, wait=waited.append)
    assert line.state == FINISHED
    assert len(waited) == 4
    live = [Page.of(page).data("page")["reload"] for page in pages]
    assert live[:2] == [5000, pytest.approx(max(5000, live[1]))]
    assert live[2:] == [None]
    assert "reloads itself" in Page.of(pages[0]).text
    assert "reloads itself" not in Page.of(pages[2]).text


@pytest.mark.slow
def test_ctrl_c_leaves_a_page_that_stays(going_on: Path) -> None:
    pages: list[str] = []

    def interrupted(_: float) -> None:
        if pages:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        follow(str(going_on), pages.append, 0, wait=interrupted)
    assert [Page.of(page).data("page")["reload"] is None for page in pages] == [False, True]


def test_a_run_at_rest_is_written_once(tmp_path: Path, arena: Arena) -> None:  # noqa: F811
    folder = store_run(tmp_path / "run", units=3)
    told = arena("report", folder, "--follow", "--replays", "0").err
    assert f"the run is {STOPPED}" in told
    assert Page.of((folder / "report.html").read_text(encoding="utf-8")).data("page")["reload"] is None


def test_what_cannot_be_followed_says_so(tmp_path: Path, arena: Arena) -> None:  # noqa: F811
    folder = store_run(tmp_path / "run", units=0)
    assert "no games yet" in arena("report", folder, "--follow", code=2).err
    assert not (folder / "report.html").exists()
    assert "name it with -o" in arena("report", folder, "--follow", "-o", "-", code=2).err
    (tmp_path / "games.txt").write_text("schotten/1 base 1:0 11; r1@1; * 0-0\n")
    told = arena("report", "games.txt", "--follow", code=2).err
    assert "leave out --follow" in told
    assert "Writing" not in told
