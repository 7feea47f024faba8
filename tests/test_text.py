"""Texts of strangers: whatever they hold, a terminal, a line and a spreadsheet stay ours."""

from __future__ import annotations

import csv
import io
import json
import re
import unicodedata

from hypothesis import example, given
from hypothesis import strategies as st

from arena.text import first_line, indented, one_line, plain_json, printable, printable_lines, quoted, spreadsheet_cell

ESCAPES = "\x00\x07\x08\x0b\x1b\x7f\x85\x9b"
DIRECTIONS = "\u200e\u200f\u202a\u202b\u202d\u202e\u2066\u2067\u2069\u061c"
WITHOUT_WIDTH = (
    "\u200b\u200c\u200d\u2060\ufeff\u00ad\u034f\u115f\u1160\u17b4\u180b\u180e\u3164\uffa0\U000e0041\U000e0100"
)
LINE_ENDS = "\r\x0c\x1c\x1d\x1e\u2028\u2029"
OTHERS = "\ud800\ue000\U0010ffff"
BAD = ESCAPES + DIRECTIONS + WITHOUT_WIDTH + LINE_ENDS + OTHERS
hostile = st.text(st.one_of(st.sampled_from(BAD + "\n\t[]2Jm;a"), st.characters()))


def is_printable(text: str, keep: str) -> bool:
    kinds = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
    return not any((unicodedata.category(sign) in kinds or sign in BAD) and sign not in keep for sign in text)


def test_each_bad_character_is_replaced_and_each_usual_one_stays() -> None:
    for sign in BAD:
        assert printable(f"a{sign}b") == "a?b", hex(ord(sign))
    for text in ("greedy-2.1+b", "Ännchen", "Ἀθηνᾶ", "e\u0301", "日本語", "→ ± ·", "\u2764\ufe0f", "a\n\tb"):
        assert printable(text) == text
    for name in ("greedy", "deep-2", "Ännchen_3.1+b", "日本"):
        assert printable(name) == one_line(name, 40) == first_line(name) == indented(name) == name
        assert spreadsheet_cell(name) == name


@given(hostile)
@example("\x1b]0;owned\x07\x9b31m\rdone\b\b\x00 \u202eevil\n2000-01-01 INFO forged\n")
def test_what_is_printed_is_harmless_and_nothing_is_lost_but_the_bad(text: str) -> None:
    shown = printable(text)
    assert is_printable(shown, "\n\t")
    assert len(shown) == len(text)
    assert all(new in (old, "?") for old, new in zip(text, shown))
    assert printable(shown) == shown
    assert "\t" not in printable_lines(text)
    assert all(line.startswith("  ") for line in indented(text).split("\n")[1:])  # unlike our lines
    assert is_printable(printable_lines(text), "\n")


@given(hostile, st.integers(1, 30))
def test_a_line_is_one_line_and_no_longer_than_its_place(text: str, longest: int) -> None:
    for line in (one_line(text), one_line(text, longest), first_line(text), first_line(text, longest)):
        assert is_printable(line, "")
        assert len(line.splitlines()) <= 1
    assert len(one_line(text, longest)) <= longest
    assert one_line(text, longest)[: longest - 1] == one_line(text)[: longest - 1]
    if one_line(text, longest) != one_line(text):
        assert one_line(text, longest).endswith("…")


@given(st.one_of(hostile, st.binary()), st.integers(1, 30))
def test_a_quoted_text_is_ascii_in_quotes(text: str | bytes, longest: int) -> None:
    shown = quoted(text, longest)
    assert shown.isascii()
    assert shown.isprintable()
    assert shown[0] in "'\""
    assert shown[-1] == shown[0] or shown.endswith(f"({len(text)} in all)")
    assert len(shown) <= 10 * longest + 40  # \U0010ffff


@given(st.one_of(hostile, st.integers(), st.floats(), st.none()))
def test_no_cell_is_a_formula_and_ordinary_ones_are_unchanged(value: object) -> None:
    cell = spreadsheet_cell(value)
    if not isinstance(value, str):
        assert cell is value
        return
    if re.fullmatch(r"[-+]?[0-9.]+(e[-+]?[0-9]+)?", cell, re.IGNORECASE):
        assert cell == value
        return
    assert cell.removeprefix("'") == printable(value).removeprefix("'")
    assert not cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d"))
    file = io.StringIO(newline="")
    csv.writer(file).writerow([cell, "end"])
    assert next(csv.reader(io.StringIO(file.getvalue(), newline="")))[0] == cell


@given(hostile)
def test_json_says_the_same_and_commands_nothing(text: str) -> None:
    shown = plain_json({"name": text})
    assert json.loads(shown) == {"name": text}
    assert is_printable(shown, "\n")
    assert plain_json({"a": ["é", 1]}) == json.dumps({"a": ["é", 1]}, indent=2, ensure_ascii=False)
