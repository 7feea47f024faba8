"""Tables as data: CSV and JSON with every value as it was computed."""

from __future__ import annotations

import csv
import io
import math
import numbers
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from arena import text
from arena.results.table import COLUMN_KINDS, Report, Table, number
from arena.text import half_up, spreadsheet_cell
from arena.whole_file import make_folder, write_whole

SIGNIFICANT = 10
"""Significant digits in files: the last ones of a fit depend on the machine and its number of cores."""


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


def table_values(tables: Iterable[Table]) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of tables for JSON, by the names of the tables."""
    return {table.name: records(table) for table in tables if table.files}


def records(table: Table) -> list[dict[str, Any]]:
    """Return the rows of a table for JSON.

    >>> records(Table("t", "", [{"bot": "a", "elo": float("nan"), "score": 1 / 3}], files=["elo", "score"]))
    [{'elo': None, 'score': 0.3333333333}]
    """
    return [{name: _json_value(name, row[name], table.digits.get(name)) for name in table.files} for row in table.rows]


def _json_value(name: str, value: Any, digits: int | None) -> Any:
    return plain(value) if digits is None else rounded(_halves_up(name, value, digits), digits)


def plain(value: Any) -> Any:
    """Return a value for JSON: None for what is not known, else a Python number (SIGNIFICANT digits) or text.

    >>> import numpy as np
    >>> plain(float("nan")), plain(np.int64(3)), plain(np.float64(0.5)), plain("a")
    (None, 3, 0.5, 'a')
    """
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        return float(f"{float(value):.{SIGNIFICANT}g}") + 0.0 if math.isfinite(value) else None
    return str(value)


def rounded(value: float, digits: int) -> float | None:
    """Return a number for JSON with `digits` digits after the point, None for nan and infinite values."""
    return round(value, digits) + 0.0 if math.isfinite(value) else None


def _halves_up(name: str, value: float, digits: int) -> float:
    """Round a share as `percent` does; return other values as they are."""
    return half_up(value, digits) if COLUMN_KINDS.get(name) in ("share", "likelihood") else value


# ---------------------------------------------------------------- CSV


def table_csv(table: Table) -> str:
    """Return a table as CSV.

    >>> rows = [{"bot": "a", "elo": 3.14159}, {"bot": "b", "elo": -0.0}]
    >>> print(table_csv(Table("t", "", rows, files=["bot", "elo"], digits={"elo": 2})), end="")
    bot,elo
    a,3.14
    b,0.00
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([spreadsheet_cell(name) for name in table.files])
    writer.writerows([_cell(name, row[name], table.digits.get(name)) for name in table.files] for row in table.rows)
    return out.getvalue()


def _cell(name: str, value: Any, digits: int | None) -> Any:
    if digits is not None:
        return number(_halves_up(name, value, digits), digits)
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.{SIGNIFICANT}g}"
    return "" if value is None else spreadsheet_cell(value)


def write_tables(report: Report, folder: Path) -> list[Path]:
    """Write each table as `folder`/NAME.csv and return the paths. Raise ExportError if the disk refuses."""
    make_folder(folder)
    tables = [table for table in report.tables if table.files]
    return [write_whole(folder / f"{table.name}.csv", [table_csv(table)], follow=False) for table in tables]
