"""A report as CSV: the figures of its tables as they were computed, empty where they are not known.

No cell is a formula to a spreadsheet: names and notes are texts of strangers.
"""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from arena.report.table import SIGNIFICANT, Report, Table, fixed, number
from arena.text import spreadsheet_cell


def write(report: Report) -> str:
    """One table as it is; several below one another, each after a line `# NAME`."""
    tables = [table for table in report.tables if table.frame is not None]
    if len(tables) == 1:
        return table_csv(tables[0])
    return "\n".join(f"# {table.name}\n{table_csv(table)}" for table in tables)


def table_csv(table: Table) -> str:
    """The figures of a table."""
    return csv_text(pd.DataFrame() if table.frame is None else table.frame, table.digits)


def csv_text(frame: pd.DataFrame, digits: Mapping[str, int]) -> str:
    """A frame as CSV; columns in `digits` have a fixed number of them.

    >>> print(csv_text(pd.DataFrame({"bot": ["a", "b"], "elo": [3.14159, -0.0]}), {"elo": 2}), end="")
    bot,elo
    a,3.14
    b,0.00
    """
    out = frame.copy()
    for column in out.columns:
        if not pd.api.types.is_numeric_dtype(out[column].dtype):
            out[column] = out[column].map(spreadsheet_cell)
    for column, places in digits.items():
        if column in out.columns:
            out[column] = [number(fixed(str(column), float(value), places), places) for value in out[column]]
    out.columns = [spreadsheet_cell(column) for column in out.columns]
    return out.to_csv(index=False, lineterminator="\n", float_format=f"%.{SIGNIFICANT}g")
