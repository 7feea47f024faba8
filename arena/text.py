"""Sanitise untrusted text (names, reasons, output of bots), and format numbers and times.

Choose a function by where the text goes: `printable` for a terminal or a log, `one_line` and `first_line` for a single
line, `indented` below a line of the program's own, `quoted` inside a message, `spreadsheet_cell` for CSV, `json_text`
for JSON. None of them raises, whatever the text holds, except `json_text` for NaN.
"""

from __future__ import annotations

import json
import math
import re
import sys
import time
from datetime import UTC, datetime
from typing import Any

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
# the list in OWASP's "CSV Injection"; the last four are =, +, -, @ in full width
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_UNSEEN = frozenset(map(chr, [0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, *range(0x180B, 0x1810), 0x3164, 0xFFA0]))
_TAGS = range(0xE0100, sys.maxunicode + 1)
# Unicode counts these as letters and marks, but they have no width or ink. `str.isprintable` covers all others: control
# characters, changes of writing direction, joiners and spaces without width, private and unassigned ones, surrogates.


def counted(number: int, word: str) -> str:
    """Return a number of things as text.

    >>> counted(1, "game"), counted(1200, "game")
    ('1 game', '1,200 games')
    """
    return f"{number:,} {word}{'s' * (number != 1)}"


def time_about(seconds: float) -> str:
    """Return a rough duration in words.

    >>> time_about(0.2), time_about(42.4), time_about(600), time_about(9000)
    ('1 s', '42 s', '10 min', '2.5 h')
    """
    if seconds < 100:
        return f"{max(round(seconds), 1)} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


def whole_number(text: str) -> int:
    """Return the whole number in a field of a form or a query, -1 for any other text and for more than 18 digits.

    >>> [whole_number(text) for text in ("12", "-3", "\u00b2", "9" * 5000)]
    [12, -1, -1, -1]
    """
    return int(text) if re.fullmatch("[0-9]{1,18}", text) else -1


def ordinal(number: int) -> str:
    """Return a place as an ordinal number.

    >>> [ordinal(number) for number in (1, 2, 3, 4, 11, 22, 113)]
    ['1st', '2nd', '3rd', '4th', '11th', '22nd', '113th']
    """
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def half_up(share: float, digits: int) -> float:
    """Round a share to `digits` digits, halves away from 0; nan and infinite values are returned unchanged.

    The float of a share of whole numbers is off by its last binary digit: 1000 times 207/400, which is 517.5, may be a
    little less. Rounding to nine decimal digits first removes that error, and no other share of up to 10^8 is so near.

    >>> half_up(207 / 400, 3), half_up(193 / 400, 3), half_up(1 / 32, 4), half_up(-1 / 32, 4)
    (0.518, 0.483, 0.0313, -0.0313)
    """
    if not math.isfinite(share):
        return share
    whole = math.floor(round(abs(share) * 10**digits, 9) + 0.5)
    return math.copysign(whole / 10**digits, share) if whole else 0.0


def utc_text(seconds: float, zone: str = " UTC") -> str:
    """Return a time for display, to the minute.

    >>> utc_text(0), utc_text(86399, "")
    ('1970-01-01 00:00 UTC', '1970-01-01 23:59')
    """
    return time.strftime("%Y-%m-%d %H:%M", time.gmtime(seconds)) + zone


def utc_iso(seconds: float) -> str:
    """Return a time for programs, to the second.

    >>> utc_iso(86399)
    '1970-01-01T23:59:59+00:00'
    """
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def printable(text: str, keep: str = "\n\t") -> str:
    r"""Replace everything that a terminal obeys, hides or reorders; `keep` are the control characters that may stay.

    >>> printable("\x1b[2Jred\r\n"), printable("abc\u202edcb"), printable("a\tb", keep="")
    ('?[2Jred?\n', 'abc?dcb', 'a?b')
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(sign if _is_shown(sign) or sign in keep else "?" for sign in text)


def _is_shown(sign: str) -> bool:
    return sign.isprintable() and sign not in _UNSEEN and ord(sign) not in _TAGS


def one_line(text: str, longest: int | None = None) -> str:
    """Return `text` as one line of at most `longest` (from 1) characters, tabs as blanks.

    >>> one_line("a\\x1b[2J\\nb"), one_line("ValueError: too long", 10)
    ('a?[2J?b', 'ValueErro…')
    """
    start = text if longest is None else text[: longest + 1]  # the rest is cut off and need not be cleaned
    line = printable(start.expandtabs(4), keep="")
    return line if longest is None or len(line) <= longest else line[: longest - 1] + "…"


def first_line(text: str, longest: int | None = None) -> str:
    """Return the first line of `text`, cleaned as by `one_line`.

    >>> first_line("ValueError: too long\\n  in act", 10), first_line("")
    ('ValueErro…', '')
    """
    return one_line(text.partition("\n")[0], longest)


def printable_lines(text: str) -> str:
    """Return all lines of `text`, cleaned, tabs as blanks.

    >>> printable_lines("a\\x1b[2J\\nb\\tc")
    'a?[2J\\nb   c'
    """
    return printable(text.expandtabs(4), keep="\n")


def indented(text: str) -> str:
    """Return the lines of `text` to follow the beginning of a line of the program's own.

    Every line after the first is indented, so that none looks like one of the program's.

    >>> indented("fails\\n  at 3\\nrival is refused")
    'fails\\n    at 3\\n  rival is refused'
    """
    return printable_lines(text).replace("\n", "\n  ")


def quoted(text: str | bytes, longest: int = 80) -> str:
    r"""Return `text` for messages: in quotes, in ASCII, cut after `longest` characters.

    >>> quoted(b"caf\xe9"), quoted("x" * 100, 5), quoted("\ud800")
    ("'caf\\xe9'", "'xxxxx'... (100 in all)", "'\\ud800'")
    """
    start = text[:longest]
    shown = ascii(start.decode("ascii", "surrogateescape") if isinstance(start, bytes) else start)
    shown = re.sub(r"\\udc([89a-f][0-9a-f])", r"\\x\1", shown) if isinstance(text, bytes) else shown
    return shown if len(text) <= longest else f"{shown}... ({len(text)} in all)"


def spreadsheet_cell(value: Any) -> Any:
    """Return a value for CSV: text is cleaned, and begins with an apostrophe if a spreadsheet would read a formula.

    Numbers are returned unchanged, also if they are strings.

    >>> spreadsheet_cell("=A1"), spreadsheet_cell("Ann"), spreadsheet_cell(-3), spreadsheet_cell("-3.5e2")
    ("'=A1", 'Ann', -3, '-3.5e2')
    """
    if not isinstance(value, str) or _NUMBER.fullmatch(value):
        return value
    cell = printable(value, keep="\n\t")
    return f"'{cell}" if value.startswith(_FORMULA) else cell


def plain_cell(cell: str) -> str:
    """Return the text of a CSV cell without the apostrophe of `spreadsheet_cell`.

    >>> plain_cell("'=A1"), plain_cell("'Ann'")
    ('=A1', "'Ann'")
    """
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(_FORMULA) else cell


def plain_json(value: Any, indent: int | None = 2) -> str:
    r"""Return exactly the value as JSON, with escapes for everything that a terminal obeys, hides or reorders.

    Raises ValueError for NaN, which JSON does not have.

    >>> plain_json({"bot": "\x1b[2Jcaf\xe9\u202e"}, indent=None)
    '{"bot": "\\u001b[2Jcaf\xe9\\u202e"}'
    """
    text = json.dumps(value, indent=indent, ensure_ascii=False, allow_nan=False)
    if text.isascii() and "\x7f" not in text:
        return text
    return "".join(sign if sign == "\n" or _is_shown(sign) else _json_escape(sign) for sign in text)


def _json_escape(sign: str) -> str:
    return "\\u007f" if sign == "\x7f" else json.dumps(sign)[1:-1]  # json.dumps leaves DEL unescaped
