"""A report for the terminal. What strangers have written cannot command it, nor pass for a line of ours."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from dataclasses import replace

from tabulate import tabulate

from arena.results.formats.fit import fit
from arena.results.table import Report, Table
from arena.text import one_line, printable


def write(report: Report, width: int | None = None) -> str:
    """Heading, tables with their titles and notes, remarks and items.

    With a `width`, that of a terminal, no table is wider, and sentences are broken between words; else all columns are
    shown.
    """
    parts = [_folded(report.heading, width)]
    hidden = 0
    for table in report.tables:
        if table.columns and not table.wide:
            shown, left_out = (_cut(table), 0) if width is None else fit(_cut(table), width)
            hidden += left_out
            parts += [table.title, grid(shown, "simple"), _rest(table), _folded(table.note, width)]
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


def _cut(table: Table) -> Table:
    return replace(table, rows=table.rows[: table.lines]) if table.lines else table


def _rest(table: Table) -> str:
    """How to see the rows that are cut off."""
    if not table.lines or len(table.rows) <= table.lines:
        return ""
    return f"The first {table.lines} of {len(table.rows):,} lines; --all shows all, --json and the CSV files have them."


def joined(parts: Iterable[str]) -> str:
    """The parts that are not empty, with an empty line between them, fit for a terminal."""
    return printable("\n\n".join(part for part in parts if part), keep="\n") + "\n"


def grid(table: Table, style: str) -> str:
    """The rows of a table in a style of the library tabulate."""
    rows = [[one_line(cell) for cell in row] for row in table.rows]
    return tabulate(rows, table.heads, tablefmt=style, disable_numparse=True, colalign=table.alignment)
