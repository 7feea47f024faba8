"""Phrases that read badly do not come back into the pages, docstrings and comments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [*ROOT.joinpath("docs").rglob("*.md"), *(ROOT / name for name in ("README.md", "AGENTS.md", "CONTRIBUTING.md"))]
SOURCES = [path for folder in ("arena", "benchmarks", "tools") for path in ROOT.joinpath(folder).rglob("*.py")]
#: Pattern (a space stands for any white space), and what to write instead.
PHRASES = {
    r"\b(is|are|be) (that|those) of\b": "repeat the noun: the error is the error of ...",
    r"\btells\b|(?<![`-])\btold\b(?!`)": "shows, says, reports, distinguishes, receives",
    r"\b[Aa] text\b(?! (file|stream))": "a string, or text",
    r"\bpeople\b(?<!league\speople)(?! you)": "users, authors, readers; of a table: displayed",
    r"(?<!there) (is|are) no (?!longer|more|less|fewer|larger|smaller|better|later)": "is not a",
    r", too(?! (much|many|few|large|small|long|short|early|late)\b)\b": "also, as well, even",
    r"\bso many\b": "name the number: this many games, `count` games",
    r"\b(games?|chunks?|work) in hand\b": "current games, unfinished games",
    r"\b(goes|going|went) on\b|\bto go on\b": "continues, runs",
    r"; (whether|how many)\b|\bhow many there (is|are|were)\b": "return whether ..., return the number of ...",
    r"\bwhoever\b": "name the actor: the caller, the author",
    r"\bmend(s|ed)?\b": "fix",
    r"\b(says|tells|speaks) of\b": "says about",
    r"\A#[^\n]*\?\Z": "a comment gives the reason instead of asking",
}
PATTERNS = {re.compile(one.replace(" ", r"\s+"), re.IGNORECASE): advice for one, advice in PHRASES.items()}
PROSE = re.compile(r'"""(.*?)"""|(?:^ *|  )(#[^\n]*)', re.DOTALL | re.MULTILINE)


def prose(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the first line number and the text of a page, or of each docstring and comment of a Python file."""
    source = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        yield 1, source
    else:
        yield from ((1 + source.count("\n", 0, m.start()), m[1] or m[2] or "") for m in PROSE.finditer(source))


@pytest.mark.parametrize("paths", [PAGES, SOURCES], ids=["pages", "sources"])
def test_no_phrase_that_reads_badly(paths: list[Path]) -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line + text.count(chr(10), 0, match.start())}: {match[0]!r}: {advice}"
        for path in paths
        for line, text in prose(path)
        for pattern, advice in PATTERNS.items()
        for match in pattern.finditer(text)
    ]
    assert not found, "\n".join(found)
