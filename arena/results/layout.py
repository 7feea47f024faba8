"""A report for the terminal. What strangers have written cannot command it, nor pass for a line of ours.

Tables fit its width: columns are left out before a line would wrap, then long texts are cut.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from tabulate import tabulate
from wcwidth import wcswidth

from arena.results.table import Column, Report, Table
from arena.text import one_line, printable

Cells: TypeAlias = Sequence[Sequence[str]]

_GAP = 2  # blanks between columns; the library tabulate also leaves as many beside a head
_SHORTEST, _USUAL = 8, 24  # a text is not cut below the first; up to the second a column is left out rather
_KEPT = 2  # columns that are never left out: rank and name


def write_text(report: Report, width: int | None = None, brief: bool = False) -> str:
    """Heading, tables with their titles and notes, remarks and items.

    With a `width`, that of a terminal, no table is wider, and sentences are broken between words. If `brief`, tables
    lack the columns that are `more`, and those without a figure.
    """
    parts = [_folded(report.heading, width), "\n".join(_folded(line, width) for line in report.answer)]
    hidden = 0
    for table in report.tables:
        if table.columns and not table.wide:
            columns, rows, left_out = _shown(table, width, brief)
            hidden += left_out
            parts += [table.title, grid(columns, rows, "simple"), _rest(table), _folded(table.note, width)]
    parts += ["\n".join(_folded(remark, width) for remark in report.remarks)]
    parts += ["\n".join("".join(item) for item in report.items)]
    if hidden:
        parts.append(f"{hidden} column{'s are' if hidden > 1 else ' is'} not shown; --wide shows all.")
    return joined(parts)


def _folded(text: str, width: int | None) -> str:
    """A sentence in lines of at most `width`; a word that is longer stays whole."""
    if width is None:
        return text
    lines = (textwrap.wrap(line, width, break_long_words=False, break_on_hyphens=False) for line in text.split("\n"))
    return "\n".join("\n".join(line) for line in lines)


def _shown(table: Table, width: int | None, brief: bool) -> tuple[Sequence[Column], Cells, int]:
    columns: Sequence[Column] = table.columns
    rows: Cells = table.rows[: table.lines] if table.lines else table.rows
    hidden = 0
    if brief:
        kept = [index for index, column in enumerate(columns) if not column.more]
        hidden = len(columns) - len(kept)
        kept = [index for index in kept if index < _KEPT or any(row[index] not in ("", "-") for row in rows)]
        columns, rows = [columns[index] for index in kept], [[row[index] for index in kept] for row in rows]
    if width is None:
        return columns, rows, hidden
    columns, rows, left_out = fit(columns, rows, width, table.spared)
    return columns, rows, hidden + left_out


def _rest(table: Table) -> str:
    """How to see the rows that are cut off."""
    if not table.lines or len(table.rows) <= table.lines:
        return ""
    return f"The first {table.lines} of {len(table.rows):,} lines. --all shows all; --json and CSV files have them."


def joined(parts: Iterable[str]) -> str:
    """The parts that are not empty, with an empty line between them, fit for a terminal."""
    return printable("\n\n".join(part for part in parts if part), keep="\n") + "\n"


def grid(columns: Sequence[Column], rows: Cells, style: str) -> str:
    """A table in a style of the library tabulate."""
    lines = [[one_line(cell) for cell in row] for row in rows]
    alignment = ["left" if column.left else "right" for column in columns]
    heads = [column.head for column in columns]
    return tabulate(lines, heads, tablefmt=style, disable_numparse=True, colalign=alignment)


# ---------------------------------------------------------------- widths


def fit(
    columns: Sequence[Column], rows: Cells, width: int, spared: Sequence[str] = ()
) -> tuple[Sequence[Column], Cells, int]:
    """Columns and rows in at most `width` columns of a terminal, and how many columns were left out for that.

    Those whose heads are in `spared` go first, in that order, then the last ones. Texts are cut when the others are
    still too wide.
    """
    rows = [[one_line(cell) for cell in row] for row in rows]
    heads = [column.head for column in columns]
    widths = [max([cells(head) + _GAP, *(cells(row[index]) for row in rows)]) for index, head in enumerate(heads)]
    usual, shortest = (
        [
            max(cells(head) + _GAP, min(full, most)) if column.left or not _is_figures(rows, index) else full
            for index, (head, column, full) in enumerate(zip(heads, columns, widths))
        ]
        for most in (_USUAL, _SHORTEST)
    )
    first = [index for head in spared for index, other in enumerate(heads) if other == head]
    others = [index for index in reversed(range(_KEPT, len(heads))) if index not in first]
    kept = set(range(len(heads)))
    for rank, index in enumerate([*first, *others]):
        need = usual if rank < len(first) else [*usual[:_KEPT], *shortest[_KEPT:]]  # names are whole, to be typed
        if sum(need[column] + _GAP for column in kept) - _GAP <= width:
            break
        kept.discard(index)
    shown = sorted(kept)
    room = _shared(
        [widths[index] for index in shown], [shortest[index] for index in shown], width - _GAP * (len(shown) - 1)
    )
    texts = [[shortened(row[index], most) for index, most in zip(shown, room)] for row in rows]
    return [columns[index] for index in shown], texts, len(heads) - len(shown)


def cells(text: str) -> int:
    """How many columns of a terminal a line takes: two for emoji and for letters of East Asia, none for accents.

    >>> cells("abc"), cells("日本")
    (3, 4)
    """
    return len(text) if text.isascii() else max(wcswidth(text), 0)


def shortened(text: str, most: int) -> str:
    """The text in at most so many columns of a terminal.

    >>> shortened("abcdef", 4), shortened("日本語", 5), shortened("abcd", 4)
    ('abc…', '日本…', 'abcd')
    """
    if cells(text) <= most:
        return text
    kept = text[: max(most - 1, 0)]
    while kept and cells(kept) > most - 1:
        kept = kept[:-1]
    return kept + "…"


def _is_figures(rows: Cells, index: int) -> bool:
    """Whether a column holds nothing but figures and signs, which must not be cut."""
    return not any(any(sign.isalpha() for sign in row[index]) for row in rows)


def _shared(widths: list[int], shortest: list[int], room: int) -> list[int]:
    """Widths that add up to at most `room` if the shortest do: the widest is made narrower until they fit.

    Those of the first columns, which name what a row is about, come last.
    """
    given = list(widths)
    for group in (range(_KEPT, len(given)), range(len(given))):
        while sum(given) > room:
            widest = max(group, key=lambda index: given[index] - shortest[index], default=None)
            if widest is None or given[widest] == shortest[widest]:
                break
            given[widest] -= 1
    return given
