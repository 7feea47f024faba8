"""Tables as data: CSV and JSON with every figure as it was computed."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena import text
from arena.results.table import SIGNIFICANT, Report, Rows, Table, fixed, is_missing, number
from arena.text import spreadsheet_cell
from arena.whole_file import make_folder, write_whole

if TYPE_CHECKING:
    import pandas as pd


def json_text(values: Mapping[str, Any]) -> str:
    """JSON with a line end, with null for what is not known; never NaN, which JSON does not have."""
    return text.json_text(_finite(values)) + "\n"


def _finite(value: Any) -> Any:
    """Plain values with None for numbers that are not finite.

    >>> _finite({"elo": [float("nan"), 1.5]})
    {'elo': [None, 1.5]}
    """
    if isinstance(value, Mapping):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def table_csv(table: Table) -> str:
    """The figures of a table."""
    return csv_text(() if table.figures is None else table.figures, table.digits, table.keys)


def csv_text(figures: pd.DataFrame | Rows, digits: Mapping[str, int], heads: Sequence[str] = ()) -> str:
    """A table as CSV; columns in `digits` have a fixed number of them. `heads`: of a table that may have no rows.

    >>> print(csv_text([{"bot": "a", "elo": 3.14159}, {"bot": "b", "elo": -0.0}], {"elo": 2}), end="")
    bot,elo
    a,3.14
    b,0.00
    """
    if isinstance(figures, Sequence):
        names = list(heads) or [*dict(figures[0] if figures else {})]
        columns = [[row[name] for row in figures] for name in names]
    else:
        names = [str(name) for name in figures.columns]
        columns = [figures[name].tolist() for name in figures.columns]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([spreadsheet_cell(name) for name in names])
    writer.writerows(zip(*(_cells(name, values, digits.get(name)) for name, values in zip(names, columns))))
    return out.getvalue()


def _cells(name: str, values: Sequence[Any], places: int | None) -> list[Any]:
    if places is not None:
        return [number(fixed(name, float(value), places), places) for value in values]
    return [_cell(value) for value in values]


def _cell(value: Any) -> Any:
    if type(value) is float:
        return "" if math.isnan(value) else f"{value:.{SIGNIFICANT}g}"
    return "" if value is None or is_missing(value) else spreadsheet_cell(value)


def write_tables(report: Report, folder: Path) -> list[Path]:
    """The figures of each table as `folder`/NAME.csv; the paths. Raises ExportError if the disk refuses."""
    make_folder(folder)
    return [write_whole(folder / f"{table.name}.csv", [table_csv(table)], follow=False) for table in report.tables]
