"""The one cleaner for texts that strangers have written: names, reasons, output of bots; numbers and times.

Pick a function by where the text goes: `printable` for a terminal or a log, `one_line` and `first_line` for a
single line, `indented` below a line of ours, `quoted` inside a message, `spreadsheet_cell` for CSV, `json_text` for
JSON. None of them raises, whatever the text holds.
"""

from __future__ import annotations

import json
import math
import re
import sys
import time
from datetime import UTC, datetime
from typing import Any

INSTEAD = "?"
"""What stands for a character that is not shown."""
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
# what OWASP names in "CSV Injection"; the last four are =, +, -, @ in full width
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_UNSEEN = frozenset(map(chr, [0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, *range(0x180B, 0x1810), 0x3164, 0xFFA0]))
_TAGS = range(0xE0100, sys.maxunicode + 1)
# Letters and marks to Unicode, but without width or ink; `str.isprintable` knows all others: control characters,
# changes of the direction of writing, joiners and spaces without width, private and unassigned ones, lone surrogates.


def counted(number: int, word: str) -> str:
    """A number of things.

    >>> counted(1, "game"), counted(1200, "game")
    ('1 game', '1,200 games')
    """
    return f"{number:,} {word}{'s' * (number != 1)}"


def ordinal(number: int) -> str:
    """A place in words.

    >>> [ordinal(number) for number in (1, 2, 3, 4, 11, 22, 113)]
    ['1st', '2nd', '3rd', '4th', '11th', '22nd', '113th']
    """
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def half_up(share: float, digits: int) -> float:
    """A share rounded to so many digits, halves away from 0; nan and infinite values as they are.

    The float of a share of whole numbers is off by its last binary digit: 1000 times 207/400, which is 517.5, may be a
    little less. Nine decimal digits behind the point forget that, and no other share of up to 10^8 comes so near.

    >>> half_up(207 / 400, 3), half_up(193 / 400, 3), half_up(1 / 32, 4), half_up(-1 / 32, 4)
    (0.518, 0.483, 0.0313, -0.0313)
    """
    if not math.isfinite(share):
        return share
    whole = math.floor(round(abs(share) * 10**digits, 9) + 0.5)
    return math.copysign(whole / 10**digits, share) if whole else 0.0


def utc_text(seconds: float, zone: str = " UTC") -> str:
    """A time for display, to the minute.

    >>> utc_text(0), utc_text(86399, "")
    ('1970-01-01 00:00 UTC', '1970-01-01 23:59')
    """
    return time.strftime("%Y-%m-%d %H:%M", time.gmtime(seconds)) + zone


def utc_iso(seconds: float) -> str:
    """A time for programs, to the second.

    >>> utc_iso(86399)
    '1970-01-01T23:59:59+00:00'
    """
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def printable(text: str, keep: str = "\n\t", instead: str = INSTEAD) -> str:
    r"""The text without anything that a terminal obeys, hides or turns around; `keep` are the controls that may stay.

    >>> printable("\x1b[2Jred\r\n"), printable("abc\u202edcb"), printable("a\tb", keep="")
    ('?[2Jred?\n', 'abc?dcb', 'a?b')
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(sign if _is_shown(sign) or sign in keep else instead for sign in text)


def _is_shown(sign: str) -> bool:
    return sign.isprintable() and sign not in _UNSEEN and ord(sign) not in _TAGS


def one_line(text: str, longest: int | None = None) -> str:
    """The text as one line of at most `longest` (from 1) characters, tabs as blanks.

    >>> one_line("a\\x1b[2J\\nb"), one_line("ValueError: too long", 10)
    ('a?[2J?b', 'ValueErro…')
    """
    start = text if longest is None else text[: longest + 1]  # what is cut off need not be cleaned
    line = printable(start.expandtabs(4), keep="")
    return line if longest is None or len(line) <= longest else line[: longest - 1] + "…"


def first_line(text: str, longest: int | None = None) -> str:
    """The first line of a text, as `one_line`.

    >>> first_line("ValueError: too long\\n  in act", 10), first_line("")
    ('ValueErro…', '')
    """
    return one_line(text.partition("\n")[0], longest)


def printable_lines(text: str) -> str:
    """All lines of a text, tabs as blanks.

    >>> printable_lines("a\\x1b[2J\\nb\\tc")
    'a?[2J\\nb   c'
    """
    return printable(text.expandtabs(4), keep="\n")


def indented(text: str) -> str:
    """`printable_lines` behind the beginning of a line of ours: further ones are set in, so that none looks like ours.

    >>> indented("fails\\n  at 3\\nrival is refused")
    'fails\\n    at 3\\n  rival is refused'
    """
    return printable_lines(text).replace("\n", "\n  ")


def quoted(text: str | bytes, longest: int = 80) -> str:
    r"""A text for messages: in quotes, in ASCII, cut after `longest` characters.

    >>> quoted(b"caf\xe9"), quoted("x" * 100, 5), quoted("\ud800")
    ("'caf\\xe9'", "'xxxxx'... (100 in all)", "'\\ud800'")
    """
    start = text[:longest]
    shown = ascii(start.decode("ascii", "surrogateescape") if isinstance(start, bytes) else start)
    shown = re.sub(r"\\udc([89a-f][0-9a-f])", r"\\x\1", shown) if isinstance(text, bytes) else shown
    return shown if len(text) <= longest else f"{shown}... ({len(text)} in all)"


def spreadsheet_cell(value: Any) -> Any:
    """A value for CSV: a text as `printable_lines`, behind an apostrophe if a spreadsheet would take it for a formula.

    Numbers stay as they are, also as texts.

    >>> spreadsheet_cell("=A1"), spreadsheet_cell("Ann"), spreadsheet_cell(-3), spreadsheet_cell("-3.5e2")
    ("'=A1", 'Ann', -3, '-3.5e2')
    """
    if not isinstance(value, str) or _NUMBER.fullmatch(value):
        return value
    cell = printable(value, keep="\n\t")
    return f"'{cell}" if value.startswith(_FORMULA) else cell


def json_text(value: Any, indent: int | None = 2) -> str:
    r"""JSON that says exactly what the value holds, with escapes for all that a terminal obeys, hides or turns around.

    ValueError for NaN, which JSON does not have.

    >>> json_text({"bot": "\x1b[2Jcaf\xe9\u202e"}, indent=None)
    '{"bot": "\\u001b[2Jcaf\xe9\\u202e"}'
    """
    text = json.dumps(value, indent=indent, ensure_ascii=False, allow_nan=False)
    if text.isascii() and "\x7f" not in text:
        return text
    return "".join(sign if sign == "\n" or _is_shown(sign) else _json_escape(sign) for sign in text)


def _json_escape(sign: str) -> str:
    return "\\u007f" if sign == "\x7f" else json.dumps(sign)[1:-1]  # which leaves DEL as it is
