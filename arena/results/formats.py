"""Write reports: a function for each format, `report -> str`. To add one, name it in FORMATS.

Text from strangers can neither command a terminal nor pass for a line of arena's. Tables fit its width: columns are
left out before a line would wrap, then long texts are cut.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from typing import TypeAlias

from tabulate import tabulate
from wcwidth import wcswidth

from arena.results import REPORT_KINDS
from arena.results.table import ALWAYS, Column, Report, Table, json_text, report_values, table_csv
from arena.results.words import Code, alerts
from arena.text import counted, one_line, printable

Cells: TypeAlias = Sequence[Sequence[str]]

_GAP = 2  # blanks between columns; tabulate leaves as many beside a head
_SHORTEST = 16  # below that, a column is left out rather than text cut
_KEPT = 2  # columns that are never left out: rank and name

_MARKS = re.compile(r"[|<*`\[\]\\]|(?<!\w)_|_(?!\w)")
"""Characters that Markdown would not show as they are. An underscore within a word is shown."""


PRINT_WIDE = "--print wide"


def write_report(
    report: Report, format: str = "table", width: int | None = None, brief: bool = False, wide: str = PRINT_WIDE
) -> str:
    """Return the report in one of REPORT_FORMATS, with a line end; "table" is what `write_text` makes."""
    return write_text(report, width, brief, wide) if format == "table" else REPORT_FORMATS[format](report)


# ---------------------------------------------------------------- for the terminal


def write_text(report: Report, width: int | None = None, brief: bool = False, wide: str = PRINT_WIDE) -> str:
    """Return heading, tables with their titles and notes, remarks as text.

    With a `width`, that of a terminal, no table is wider, and sentences are broken between words. If `brief`, tables
    lack the columns that are not shown ALWAYS, and empty ones; tables without any other columns are left out. `wide`
    is what to type to see them.
    """
    parts = [_folded(report.heading, width), "\n".join("".join(alert) for alert in alerts(report))]
    parts.append("\n".join(_folded(line, width) for line in report.answer))
    hidden_columns = hidden_tables = 0
    for table in report.tables:
        if brief and table.columns and not any(column.where == ALWAYS for column in table.columns):
            hidden_tables += 1
        elif table.columns:
            columns, rows, left_out = _shown(table, width, brief)
            hidden_columns += left_out
            parts += [
                _folded(table.title, width),
                grid(columns, rows, "simple"),
                _rest(table) if brief else "",
                _folded(table.note, width),
            ]
    parts += ["\n".join(_folded(remark, width) for remark in report.remarks)]
    if hidden := hidden_columns + hidden_tables:
        counts = [counted(hidden_columns, "column")] * (hidden_columns > 0)
        counts += [counted(hidden_tables, "table")] * (hidden_tables > 0)
        parts.append(f"{' and '.join(counts)} hidden; to see {'them' if hidden > 1 else 'it'}: {wide}")
    return joined([*parts, report.next])


def _folded(text: str, width: int | None) -> str:
    """Break a sentence into lines of at most `width`; a longer word stays whole."""
    if width is None:
        return text
    lines = (textwrap.wrap(line, width, break_long_words=False, break_on_hyphens=False) for line in text.split("\n"))
    return "\n".join("\n".join(line) for line in lines)


def _shown(table: Table, width: int | None, brief: bool) -> tuple[Sequence[Column], Cells, int]:
    columns: Sequence[Column] = table.columns
    rows: Cells = table.cells[: table.lines] if brief else table.cells
    hidden = 0
    if brief:
        kept = [index for index, column in enumerate(columns) if column.where == ALWAYS]
        hidden = len(columns) - len(kept)
        kept = [index for index in kept if index < _KEPT or any(row[index] not in ("", "-") for row in rows)]
        columns, rows = [columns[index] for index in kept], [[row[index] for index in kept] for row in rows]
    if width is None:
        return columns, rows, hidden
    columns, rows, left_out = fit_columns(columns, rows, width)
    return columns, rows, hidden + left_out


def _rest(table: Table) -> str:
    """Say how to see the rows that are cut off."""
    if table.lines is None or len(table.rows) <= table.lines:
        return ""
    shown = f"The first {table.lines} of {len(table.rows):,} lines."
    return f"{shown} {PRINT_WIDE} shows all; --json and CSV files have them."


def joined(parts: Iterable[str]) -> str:
    """Join the parts that are not empty, with an empty line between them, safe for a terminal."""
    return printable("\n\n".join(part for part in parts if part), keep="\n") + "\n"


def grid(columns: Sequence[Column], rows: Cells, style: str) -> str:
    """Return a table in a style of the library tabulate."""
    lines = [[one_line(cell) for cell in row] for row in rows]
    alignment = ["left" if column.left else "right" for column in columns]
    heads = [column.head for column in columns]
    return tabulate(lines, heads, tablefmt=style, disable_numparse=True, colalign=alignment)


# ---------------------------------------------------------------- widths


def fit_columns(columns: Sequence[Column], rows: Cells, width: int) -> tuple[Sequence[Column], Cells, int]:
    """Fit a table into `width` columns of a terminal; return its columns, its rows and the number of columns left out.

    The last columns are left out, then the widest texts are cut, but no names that are to be typed.
    """
    rows = [[one_line(cell) for cell in row] for row in rows]
    heads = [column.head for column in columns]
    widths = [max([cells(head) + _GAP, *(cells(row[index]) for row in rows)]) for index, head in enumerate(heads)]
    least, kept = list(widths), _KEPT
    for index, (head, column) in enumerate(zip(heads, columns)):
        if column.kind == "name":
            kept = 1
        elif column.left or any(sign.isalpha() for row in rows for sign in row[index]):  # figures are never cut
            least[index] = max(cells(head) + _GAP, min(widths[index], _SHORTEST))
    shown = range(len(heads))
    while len(shown) > kept and sum(least[index] + _GAP for index in shown) - _GAP > width:
        shown = shown[:-1]
    while sum(widths[index] + _GAP for index in shown) - _GAP > width:
        widest = max(shown, key=lambda index: widths[index] - least[index])
        if widths[widest] == least[widest]:
            break
        widths[widest] -= 1
    texts = [[shortened(row[index], widths[index]) for index in shown] for row in rows]
    return [columns[index] for index in shown], texts, len(heads) - len(shown)


def cells(text: str) -> int:
    """Return the width of a line on a terminal: emoji and letters of East Asia count twice, accents do not count.

    >>> cells("abc"), cells("日本")
    (3, 4)
    """
    return len(text) if text.isascii() else max(wcswidth(text), 0)


def shortened(text: str, most: int) -> str:
    """Cut text to at most `most` columns of a terminal.

    >>> shortened("abcdef", 4), shortened("日本語", 5), shortened("abcd", 4)
    ('abc…', '日本…', 'abcd')
    """
    if cells(text) <= most:
        return text
    kept = text[: max(most - 1, 0)]
    while kept and cells(kept) > most - 1:
        kept = kept[:-1]
    return kept + "…"


# ---------------------------------------------------------------- data


def _write_json(report: Report) -> str:
    return json_text(report_values(report))


def _write_csv(report: Report) -> str:
    """Return the first table."""
    return "".join(map(table_csv, report.stored[:1]))


# ---------------------------------------------------------------- pages, without times


def _write_markdown(report: Report) -> str:
    """Return the report as for the terminal, with all tables that are shown."""
    above = "\n".join(f"- {_markdown_line(alert)}" for alert in alerts(report))
    parts = [*([f"**{report.heading}**"] if report.heading else []), above, *report.answer]
    for table in report.tables:
        if table.columns:
            title = f"### {table.title}" if table.title else ""
            shown = table.unmeasured()
            rows = [[_MARKS.sub(r"\\\g<0>", cell) for cell in row] for row in shown.cells]
            parts += [title, grid(shown.columns, rows, "github"), table.note]
    return joined([*parts, *report.remarks])


def _markdown_line(parts: Sequence[str]) -> str:
    return "".join("`" + part.replace("`", "'") + "`" if isinstance(part, Code) else part for part in parts)


PAGE_WRITER = "arena.results.pages.render:tables_page"
"""The function that makes a page, `module:name`: pages are loaded when one is asked for."""


def _write_html(report: Report) -> str:
    module, _, name = PAGE_WRITER.partition(":")
    return str(getattr(import_module(module), name)(report))


REPORT_FORMATS: dict[str, Callable[[Report], str]] = dict(
    zip(REPORT_KINDS, (write_text, write_text, _write_markdown, _write_csv, _write_json, _write_html))
)
"""The function of each format, by its name."""
