"""The pages of reports and of a league in Firefox: what is seen on screens of three widths, and what is printed."""

from __future__ import annotations

import re
import time
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.results.pages.report import report_page
from arena.results.sources import find_source
from tests.firefox import Firefox, firefox
from tests.league.leagues import enter, league, played
from tests.results.pages.conftest import compared, folder
from tests.results.synthetic import store_run

__all__ = ["compared", "folder"]
pytestmark = pytest.mark.slow
WIDTHS = (390, 820, 1280)
WIDEST = 1600  # px, of 60 bots in a container that scrolls
FAULTS = f"""(() => {{
for (const one of document.querySelectorAll('details')) one.open = true;
const faults = [], screen = document.documentElement.clientWidth;
if (document.documentElement.scrollWidth > screen) faults.push('the page scrolls sideways');
for (const one of document.querySelectorAll('body *')) {{
  const wide = one.getBoundingClientRect().width;
  if (wide > {WIDEST}) faults.push(`${{one.tagName}}.${{one.className}} is ${{wide}} px wide`);
}}
for (const cell of document.querySelectorAll('table :is(td, th)')) {{
  const range = document.createRange(), place = cell.getBoundingClientRect();
  range.selectNodeContents(cell);
  for (const text of range.getClientRects()) // what is left of the screen is for screen readers
    if (text.right > 0 && (text.left < place.left - 2 || text.right > place.right + 2))
      faults.push(`'${{cell.innerText}}' leaves its cell`);
}}
return faults.slice(0, 5);
}})()"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Firefox]:
    with firefox() as found:
        yield found


def assert_seen(browser: Firefox, url: str) -> None:
    """No element is much wider than the screen, all figures are in their cells, and scripts report no errors."""
    for width in WIDTHS:
        browser.open(url, width)
        assert browser.evaluate(FAULTS) == [], (url, width)
    assert browser.errors == []


def letters(pdf: bytes) -> list[float]:
    """Return the size in points of each piece of text of a PDF as Firefox writes it."""
    sizes = []
    for stream in re.split(rb"stream\r?\n", pdf):
        try:
            text = zlib.decompressobj().decompress(stream)
        except zlib.error:
            continue
        for matrix in re.findall(rb"((?:[-\d.]+ ){4})[-\d.]+ [-\d.]+ Tm", text):
            sizes.append(max(abs(float(number)) for number in matrix.split()))
    return sizes


def test_reports_of_real_games(browser: Firefox, folder: Path, compared: Path, tmp_path: Path) -> None:
    for run in (folder, compared):
        page = tmp_path / "report.html"
        page.write_text(report_page(find_source(str(run)), count=4), encoding="utf-8")
        assert browser.errors == []
        assert_seen(browser, page.as_uri())
        assert min(letters(browser.printed())) > 6.5


@pytest.mark.parametrize(("bots", "smallest"), [(5, 6.5), (12, 6.5), (30, 6.0), (45, 3.5), (61, 5.5)])
def test_crosstables_of_many_bots(browser: Firefox, tmp_path: Path, bots: int, smallest: float) -> None:
    run = store_run(tmp_path / "run", {"bots": [f"a-long-name-{one}=random" for one in range(bots)], "games": 2})
    page = tmp_path / "report.html"
    page.write_text(report_page(find_source(str(run)), count=0), encoding="utf-8")
    assert_seen(browser, page.as_uri())
    sizes = letters(browser.printed())
    assert min(sizes) > smallest
    assert max(sizes) > 20  # the heading: a wide table does not shrink the whole document


def test_the_pages_of_a_league(browser: Firefox, tmp_path: Path) -> None:
    pytest.importorskip("starlette", reason="the extra web is not installed")
    from tests.web.served import served

    place = tmp_path / "open"
    with league(place) as made:
        one, two, _ = enter(made, "one", "two", "a-name-of-some-length")
        played(made, [(one, two, [2, 1, 0, 2])])
    with served(place, 0, "--isolation", "process") as server:
        browser.open(f"{server.url}/sign-in#token={server.token('Ann', admin=True)}", WIDTHS[0])
        browser.evaluate("document.querySelector('main form button').click()")
        end = time.monotonic() + 60
        while not browser.evaluate("location.href").endswith("/me"):
            assert time.monotonic() < end
            time.sleep(0.1)
        for path in ("", "live", "history", "rules", "learn", "write", "play", "sign-in", "me", "admin", "bots/one"):
            assert_seen(browser, f"{server.url}/{path}")
            assert min(letters(browser.printed())) > 5, path
