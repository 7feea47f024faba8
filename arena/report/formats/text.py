"""A report for the terminal."""

from __future__ import annotations

from tabulate import tabulate

from arena.report.table import Report, Table


def write(report: Report) -> str:
    """Heading, tables with their titles and notes, remarks and items."""
    parts = [report.heading]
    for table in report.tables:
        if table.columns and not table.wide:
            parts += [table.title, grid(table, "simple"), table.note]
    parts += ["\n".join(report.remarks), "\n".join("".join(item) for item in report.items)]
    return "\n\n".join(part for part in parts if part) + "\n"


def grid(table: Table, style: str) -> str:
    """The rows of a table in a style of the library tabulate."""
    return tabulate(table.rows, table.heads, tablefmt=style, disable_numparse=True, colalign=table.alignment)
