"""A report as CSV: the figures of its tables as they were computed, empty where they are not known.

No cell is a formula to a spreadsheet: names and notes are texts of strangers.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from arena.results.table import SIGNIFICANT, Report, Rows, Table, fixed, is_missing, number
from arena.text import spreadsheet_cell

if TYPE_CHECKING:
    import pandas as pd


def write(report: Report) -> str:
    """One table as it is; several below one another, each after a line `# NAME`."""
    tables = [table for table in report.tables if table.figures is not None]
    if len(tables) == 1:
        return table_csv(tables[0])
    return "\n".join(f"# {table.name}\n{table_csv(table)}" for table in tables)


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
