"""Write reports: a function for each format, `report -> str`. To add one, name it in FORMATS.

Text from strangers can neither command a terminal nor pass for a line of arena's. Tables fit its width: columns are
left out before a line would wrap, then long texts are cut.
"""

from __future__ import annotations

import csv
import io
import math
import numbers
import re
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

from tabulate import tabulate
from wcwidth import wcswidth

from arena import text
from arena.errors import ArenaError
from arena.results import REPORT_KINDS
from arena.results.table import ALWAYS, COLUMNS, Column, Report, Table
from arena.results.words import Code, alerts
from arena.text import counted, half_up, one_line, printable, spreadsheet_cell
from arena.whole_file import make_folder, whole_file, write_whole

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
    widths = column_widths(columns, rows)
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


def column_widths(columns: Sequence[Column], rows: Cells) -> list[int]:
    """Return the width of each column in a table of `grid`, without the gaps."""
    return [
        max([cells(column.head) + _GAP, *(cells(one_line(row[index])) for row in rows)])
        for index, column in enumerate(columns)
    ]


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


# ---------------------------------------------------------------- files: the same values with the same digits


SIGNIFICANT = 10
"""Significant digits in files: the last ones of a fit depend on the machine and its number of cores."""
WORKBOOK = ".xlsx"
_MOST_ROWS = 1_048_576  # that a sheet can hold
_LONGEST_SHEET = 31
_LARGEST = 10**15  # Excel would round a larger number, such as the seed of a deal
_NOT_IN_SHEETS = re.compile(r"[\[\]:*?/\\']")
_MADE = datetime(2000, 1, 1)  # equal tables give equal bytes


# ---------------------------------------------------------------- JSON


def json_text(values: Mapping[str, Any]) -> str:
    """Return JSON with a line end, and null for what is not known; never NaN, which JSON does not have."""
    return text.plain_json(_finite(values)) + "\n"


def _finite(value: Any) -> Any:
    """Replace numbers that are not finite with None.

    >>> _finite({"elo": [float("nan"), 1.5]})
    {'elo': [None, 1.5]}
    """
    if isinstance(value, Mapping):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def report_values(report: Report) -> dict[str, Any]:
    """Return what JSON has of a report: what it is about, the rows of its tables by their names, and its sentences."""
    tables = {table.name: records(table) for table in report.stored}
    return {"about": dict(report.about), "tables": tables, "notes": [*report.answer, *report.remarks]}


def records(table: Table) -> list[dict[str, Any]]:
    """Return the rows of a table for JSON.

    >>> records(Table("t", "", [{"elo": float("nan"), "score": 1 / 3, "h": 1 / 3}], files=["elo", "score", "h"]))
    [{'elo': None, 'score': 0.3333, 'h': 0.3333333333}]
    """
    return [{name: file_value(name, row[name]) for name in table.files} for row in table.rows]


def file_value(name: str, value: Any) -> Any:
    """Return a value as all files have it: with the digits of its column, None for what is not known or infinite."""
    digits = _digits(name)
    if digits is None or value is None or not math.isfinite(value):
        return plain(value)
    return (half_up(value, digits) if COLUMNS[name].kind == "share" else round(value, digits)) + 0.0


def _digits(name: str) -> int | None:
    return COLUMNS[name].digits if name in COLUMNS else None


def plain(value: Any) -> Any:
    """Return a value for JSON: None for what is not known, else a Python number (SIGNIFICANT digits) or text.

    >>> import numpy as np
    >>> plain(float("nan")), plain(np.int64(3)), plain(np.float64(0.5)), plain("a")
    (None, 3, 0.5, 'a')
    """
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, Mapping):
        return {key: plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [*map(plain, value)]
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        return float(f"{float(value):.{SIGNIFICANT}g}") + 0.0 if math.isfinite(value) else None
    return str(value)


# ---------------------------------------------------------------- CSV


def table_csv(table: Table) -> str:
    """Return a table as CSV.

    >>> rows = [{"bot": "a", "elo": 3.14159}, {"bot": "b", "elo": -0.0}]
    >>> print(table_csv(Table("t", "", rows, files=["bot", "elo"])), end="")
    bot,elo
    a,3.14
    b,0.00
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([spreadsheet_cell(name) for name in table.files])
    writer.writerows([_cell(name, row[name]) for name in table.files] for row in table.rows)
    return out.getvalue()


def _cell(name: str, value: Any) -> Any:
    value, digits = file_value(name, value), _digits(name)
    if isinstance(value, float):
        return f"{value:.{SIGNIFICANT}g}" if digits is None else f"{value:.{digits}f}"
    if isinstance(value, list):
        value = " ".join(map(str, value))
    return "" if value is None else spreadsheet_cell(value)


def write_tables(report: Report, folder: Path) -> list[Path]:
    """Write each table as `folder`/NAME.csv and return the paths. Raise ExportError if the disk refuses."""
    make_folder(folder)
    paths = {folder / f"{table.name}.csv": table for table in report.stored}
    return [write_whole(path, [table_csv(table)], follow=False) for path, table in paths.items()]


# ---------------------------------------------------------------- Excel


def write_workbook(tables: Mapping[str, Table], path: Path) -> int:
    """Write tables as the sheets of an Excel workbook, by their names, and return how many.

    ArenaError if xlsxwriter is not installed, or if a table is too long for a sheet.
    """
    xlsxwriter = load_xlsxwriter(path)
    for name, table in tables.items():
        require_room(path, name, len(table.rows))
    names = [_NOT_IN_SHEETS.sub(" ", name)[:_LONGEST_SHEET].strip() for name in tables]
    # row by row, so that a million games need no memory
    with whole_file(path) as file, xlsxwriter.Workbook(file, {"constant_memory": True}) as book:
        book.set_properties({"created": _MADE})
        head = book.add_format({"bold": True})
        for name, table in zip(names, tables.values()):
            taken = {sheet.name.lower() for sheet in book.worksheets()}
            sheet = book.add_worksheet(name if name.lower() not in taken else None)
            sheet.freeze_panes(1, 1)
            for column, key in enumerate(table.files):
                sheet.set_column(column, column, max(len(key) + 2, 12))
                sheet.write_string(0, column, key, head)
            for place, row in enumerate(table.rows, start=1):
                for column, key in enumerate(table.files):
                    _write_cell(sheet, place, column, file_value(key, row[key]))
    return len(names)


def require_room(path: Path, name: str, rows: int) -> None:
    """Raise ArenaError if a table is too long for a sheet."""
    if rows >= _MOST_ROWS:
        raise ArenaError(
            f"{path}: a sheet holds {_MOST_ROWS - 1:,} rows, but {name} has {rows:,}; "
            "write them as CSV (--all) or Parquet (--records games.parquet)"
        )


def _write_cell(sheet: Any, row: int, column: int, value: Any) -> None:
    if isinstance(value, bool):
        sheet.write_boolean(row, column, value)
    elif isinstance(value, int | float) and abs(value) <= _LARGEST:
        sheet.write_number(row, column, value)
    elif value is not None:
        sheet.write_string(row, column, str(value))  # never a formula or a link


def load_xlsxwriter(path: Path) -> Any:
    """Return the module xlsxwriter. Raise ArenaError, with the name of the file, if it is not installed."""
    try:
        import xlsxwriter
    except ImportError:
        raise ArenaError(
            f"{path}: a workbook needs xlsxwriter, which is not installed: pip install 'schotten-arena[data]'"
        ) from None
    return xlsxwriter
