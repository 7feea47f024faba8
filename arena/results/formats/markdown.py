"""A report in Markdown, for a README or an issue. Without times."""

from __future__ import annotations

import re
from collections.abc import Sequence

from arena.results.formats.text import grid, joined
from arena.results.table import Code, Report

_MARKS = re.compile(r"[|<*`\[\]\\]|(?<!\w)_|_(?!\w)")
"""What Markdown would not show as it is. An underscore within a word is no mark."""


def write(report: Report) -> str:
    """As for the terminal, with all tables that are for people."""
    parts = [f"**{report.heading}**"] if report.heading else []
    for table in report.tables:
        if table.columns:
            title = f"### {table.title}" if table.title else ""
            shown = table.unmeasured()
            rows = [[_MARKS.sub(r"\\\g<0>", cell) for cell in row] for row in shown.rows]
            parts += [title, grid(shown.columns, rows, "github"), table.note]
    parts += [*report.remarks, "\n".join(f"- {_item(item)}" for item in report.items)]
    return joined(parts)


def _item(parts: Sequence[str]) -> str:
    return "".join("`" + part.replace("`", "'") + "`" if isinstance(part, Code) else part for part in parts)
