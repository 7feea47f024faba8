"""Runs of real games for the pages, and a parser of their HTML."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from arena.cli.main import main
from arena.results.pages.report import report_page
from arena.results.sources import find_source

VOID = {"meta", "br", "input", "link", "img", "hr"}
RAISES = """
def act(view, moves):
    if len(view.history) > 40:
        raise ValueError("</script><script>alert(1)</script> \\x1b[31m \\u202e \\U0001F600")
    return moves[-1]
"""


@dataclass
class Page(HTMLParser):
    """The contents of a page: `tables` as rows of strings, `scripts` by id ("" for code), `tags` with attributes."""

    tables: list[list[list[str]]] = field(default_factory=list)
    scripts: list[tuple[dict[str, str | None], str]] = field(default_factory=list)
    tags: list[tuple[str, dict[str, str | None]]] = field(default_factory=list)
    text: str = ""
    open: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, html: str) -> Page:
        page = cls()
        HTMLParser.__init__(page)
        page.feed(html)
        page.close()
        assert not page.open, f"not closed: {page.open}"
        return page

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")
        elif tag == "script":
            self.scripts.append((dict(attrs), ""))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "script":
            self.scripts[-1] = (self.scripts[-1][0], self.scripts[-1][1] + data)
            return
        if self.open and self.open[-1] != "style":
            self.text += data
        if {"td", "th"} & set(self.open[-3:]):
            self.tables[-1][-1][-1] += data

    @property
    def tips(self) -> list[str]:
        """Return the tooltips of plots."""
        return [attributes["data-tip"] or "" for _, attributes in self.tags if "data-tip" in attributes]

    def data(self, name: str) -> Any:
        """Return the data that a script reads."""
        return json.loads(next(text for attributes, text in self.scripts if attributes.get("id") == f"data-{name}"))


def states(data: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the state of a game after each step, as the viewer of a page computes it."""
    state: dict[str, Any] = {}
    for step in data["steps"]:
        state = {key: value for key, value in (state | step["set"]).items() if value is not None}
        yield state


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Play a tactical run with forfeits, which tests must not change."""
    place = tmp_path_factory.mktemp("pages")
    (place / "raises.py").write_text(RAISES)
    command = ["tournament", "random", "greedy", f"<b>&\"'😀={place}/raises.py", "--games", "16", "--rules", "tactical"]
    assert main([*command, "--seed", "7", "--workers", "1", "--out", str(place / "run")]) == 0
    return place / "run"


@pytest.fixture(scope="session")
def compared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Play a comparison of two rule sets, which tests must not change."""
    place = tmp_path_factory.mktemp("compared") / "cmp"
    command = ["compare", "random", "first", "--variants", "base,tactical", "--games", "10", "--seed", "3"]
    assert main([*command, "--workers", "1", "--out", str(place)]) == 0
    return place


@pytest.fixture(scope="session")
def html(folder: Path) -> str:
    return report_page(find_source(str(folder)), count=6)


@pytest.fixture(scope="session")
def page(html: str) -> Page:
    return Page.of(html)
