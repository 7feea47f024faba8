"""The formats in which a report is written: a function for each, `report -> str`. To add one, name it in FORMATS."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena import text
from arena.results.layout import grid, joined, write_text
from arena.results.table import SIGNIFICANT, Code, Report, Rows, Table, fixed, is_missing, number
from arena.results.whole_file import make_folder, write_whole
from arena.text import spreadsheet_cell

if TYPE_CHECKING:
    import pandas as pd

_MARKS = re.compile(r"[|<*`\[\]\\]|(?<!\w)_|_(?!\w)")
"""What Markdown would not show as it is. An underscore within a word is no mark."""


def write(report: Report, format: str = "table", width: int | None = None, brief: bool = False) -> str:
    """The report in one of FORMATS, with a line end; a table as `write_text` makes it."""
    return write_text(report, width, brief) if format == "table" else FORMATS[format](report)


# ---------------------------------------------------------------- JSON


def _write_json(report: Report) -> str:
    return json_text(report.values())


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


# ---------------------------------------------------------------- CSV


def _write_csv(report: Report) -> str:
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


def write_tables(report: Report, folder: Path) -> list[Path]:
    """The figures of each table as `folder`/NAME.csv; the paths. Raises ExportError if the disk refuses."""
    make_folder(folder)
    return [write_whole(folder / f"{table.name}.csv", [table_csv(table)], follow=False) for table in report.tables]


# ---------------------------------------------------------------- pages, without times


def _write_markdown(report: Report) -> str:
    """As for the terminal, with all tables that are for people."""
    parts = [*([f"**{report.heading}**"] if report.heading else []), *report.answer]
    for table in report.tables:
        if table.columns:
            title = f"### {table.title}" if table.title else ""
            shown = table.unmeasured()
            rows = [[_MARKS.sub(r"\\\g<0>", cell) for cell in row] for row in shown.rows]
            parts += [title, grid(shown.columns, rows, "github"), table.note]
    parts += [*report.remarks, "\n".join(f"- {_markdown_item(item)}" for item in report.items)]
    return joined(parts)


def _markdown_item(parts: Sequence[str]) -> str:
    return "".join("`" + part.replace("`", "'") + "`" if isinstance(part, Code) else part for part in parts)


def _write_html(report: Report) -> str:
    """Heading, all tables that are for people, remarks, as a page in one file."""
    from arena.results.pages.render import render  # Jinja, which is slow to load

    tables = [table.unmeasured() for table in report.tables if table.columns]
    title = report.heading or "Tables"
    return render("tables.html", [], {}, title=title, answer=report.answer, tables=tables, remarks=report.remarks)


FORMATS: dict[str, Callable[[Report], str]] = {
    "table": write_text,
    "markdown": _write_markdown,
    "csv": _write_csv,
    "json": _write_json,
    "html": _write_html,
}
"""The function of each format, by its name; the first is the usual one."""
