"""Texts of a report: bounded, and harmless on a terminal."""

from __future__ import annotations

from arena.league.check.findings import LINES, SENTENCE, bounded
from arena.league.check.report import ERROR, LINE, Finding
from arena.league.check.text import finding_text


def test_what_a_bot_says_moves_no_cursor() -> None:
    text = finding_text(Finding(ERROR, "load", "bad \x1b[2Jtext", "do\x07", details=("a\x1b]0;title\x07", "b\rc")))
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "\r" not in text
    assert text.startswith("ERROR   Bad ?[2Jtext.")


def test_texts_are_bounded_and_printable() -> None:
    one = bounded(Finding(ERROR, "load", "a\x1b\n" * 999, "b\u202e" * 999, details=("c\x07" * 999,) * 99))
    assert len(one.text) == len(one.remedy) == SENTENCE
    assert len(one.details) == LINES
    assert all(len(line) == LINE for line in one.details)
    assert all(text.isprintable() for text in (one.text, one.remedy, *one.details))
