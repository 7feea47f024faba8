"""A report for the terminal. What strangers have written cannot command it, nor pass for a line of ours."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from tabulate import tabulate

from arena.report.table import Report, Table
from arena.text import one_line, printable


def write(report: Report) -> str:
    """Heading, tables with their titles and notes, remarks and items."""
    parts = [report.heading]
    for table in report.tables:
        if table.columns and not table.wide:
            parts += [table.title, grid(_cut(table), "simple"), _rest(table), table.note]
    parts += ["\n".join(report.remarks), "\n".join("".join(item) for item in report.items)]
    return joined(parts)


def _cut(table: Table) -> Table:
    return replace(table, rows=table.rows[: table.lines]) if table.lines else table


def _rest(table: Table) -> str:
    """How to see the rows that are cut off."""
    if not table.lines or len(table.rows) <= table.lines:
        return ""
    return (
        f"The first {table.lines} of {len(table.rows):,} lines; --all shows all, --json and the CSV files have them."
    )


def joined(parts: Iterable[str]) -> str:
    """The parts that are not empty, with an empty line between them, fit for a terminal."""
    return printable("\n\n".join(part for part in parts if part), keep="\n") + "\n"


def grid(table: Table, style: str) -> str:
    """The rows of a table in a style of the library tabulate."""
    rows = [[one_line(cell) for cell in row] for row in table.rows]
    return tabulate(rows, table.heads, tablefmt=style, disable_numparse=True, colalign=table.alignment)
