"""Tables as data: CSV, JSON and Excel workbooks, which have the same values with the same digits."""

from __future__ import annotations

import csv
import io
import math
import numbers
import re
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from arena import text
from arena.errors import ArenaError
from arena.results.table import COLUMNS, Report, Table
from arena.text import half_up, spreadsheet_cell
from arena.whole_file import make_folder, whole_file, write_whole

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
