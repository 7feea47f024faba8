"""Tables of any figures as text, CSV and JSON: what `arena ratings`, `stats` and `compare` print.

A table is a pandas frame with a name and a title. In files and JSON figures stand as they were computed, empty
(null) where they are not known; for people they are rounded, and scores are in %.
"""

from __future__ import annotations

import html
import math
import numbers
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from tabulate import tabulate

from arena.report.export import ExportError, write_whole
from arena.report.page import html_page, html_table, paragraphs
from arena.report.tables import json_text, number, percent

FORMATS = ("table", "markdown", "csv", "json", "html")
DIGITS = 10
"""Significant digits in files: the last ones of a fit depend on the machine and its number of cores."""
_NAMES = ("bot", "opponent", "variant", "against", "card", "ending", "forfeit", "unit", "author", "league", "what",
          "state", "entry", "reason", "note", "last")  # fmt: skip
_MARKS = re.compile(r"[|<*`\[\]\\]|(?<!\w)_|_(?!\w)")
"""What markdown would not show as it is. An underscore within a word is no mark."""
_SHARES = ("score", "share", "los", "played")
_MAYBE_SHARES = ("mean", "difference", "low", "high")


@dataclass(frozen=True)
class Table:
    """A table of a report.

    name      its key in JSON and the name of its CSV file
    title     a line that says what it shows
    note      a sentence under it, or ""
    shares    columns such as mean and difference hold shares of 1, to be shown in %, as scores always are
    shown     columns for people, None: all; the files have all of them
    """

    name: str
    title: str
    frame: pd.DataFrame
    note: str = ""
    shares: bool = True
    shown: tuple[str, ...] | None = None


def plain(value: Any) -> Any:
    """A value for JSON: None for what is not known, Python's own numbers (of DIGITS) and texts for the rest.

    >>> import numpy as np
    >>> plain(float("nan")), plain(np.int64(3)), plain(np.float64(0.5)), plain("a")
    (None, 3, 0.5, 'a')
    """
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        return float(f"{float(value):.{DIGITS}g}") + 0.0 if math.isfinite(value) else None
    return None if value is pd.NA or value is pd.NaT else str(value)


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of a frame for JSON.

    >>> records(pd.DataFrame({"bot": ["a"], "elo": [float("nan")]}))
    [{'bot': 'a', 'elo': None}]
    """
    return [{str(key): plain(value) for key, value in row.items()} for row in frame.to_dict("records")]


def csv_of(frame: pd.DataFrame) -> str:
    """A frame as CSV."""
    return frame.to_csv(index=False, lineterminator="\n", float_format=f"%.{DIGITS}g")


def write_csv(tables: Sequence[Table], folder: Path) -> list[Path]:
    """Each table as `folder`/NAME.csv; the paths. ExportError if the disk refuses."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ExportError(f"cannot make the folder {folder}: {error.strerror or error}") from error
    return [write_whole(folder / f"{table.name}.csv", [csv_of(table.frame)]) for table in tables]


def report_text(
    heading: str, tables: Sequence[Table], remarks: Sequence[str], format: str, values: dict[str, Any]
) -> str:
    """A report in one of FORMATS, with a line end. `values` is what JSON holds beside the tables."""
    if format == "json":
        return json_text(values | {table.name: records(table.frame) for table in tables})
    if format == "csv":
        if len(tables) == 1:
            return csv_of(tables[0].frame)
        return "\n".join(f"# {table.name}\n{csv_of(table.frame)}" for table in tables)
    if format == "html":
        return _page(heading, tables, remarks)
    style = "github" if format == "markdown" else "simple"
    parts = [f"**{heading}**" if format == "markdown" else heading] if heading else []
    for table in tables:
        heads, rows = cells(table)
        if format == "markdown":
            rows = [[_MARKS.sub(r"\\\g<0>", cell) for cell in row] for row in rows]
        title = f"### {table.title}" if format == "markdown" and table.title else table.title
        text = tabulate(rows, heads, tablefmt=style, disable_numparse=True, colalign=_align(heads))
        parts.append("\n\n".join(part for part in (title, text, table.note) if part))
    parts += ["\n".join(remarks)] if remarks and format == "table" else list(remarks)
    return "\n\n".join(parts) + "\n"


def cells(table: Table) -> tuple[list[str], list[list[str]]]:
    """Heads and rows of a table as texts for people."""
    columns = [str(name) for name in table.frame.columns]
    if table.shown is not None:
        columns = [name for name in table.shown if name in columns]
    heads = [f"{name} %" if _is_share(table, name) else name for name in columns]
    rows = [
        [_cell(table, name, row[name]) for name in columns] for row in table.frame[columns].to_dict("records")
    ]
    return [head.replace("_", " ") for head in heads], rows


def _is_share(table: Table, column: str) -> bool:
    word = column.split("_")[0]
    return word in _SHARES or (table.shares and word in _MAYBE_SHARES)


def _cell(table: Table, column: str, value: Any) -> str:
    if value is None or value is pd.NA:
        return "-"
    if isinstance(value, str):
        return value
    if isinstance(value, numbers.Integral):
        return str(int(value))
    value = float(value)
    if math.isnan(value):
        return "-"
    if column.startswith("p_"):
        return "< 0.001" if value < 0.001 else number(value, 3)
    if _is_share(table, column):
        return percent(value)
    if column.startswith(("elo", "nash_elo", "normalized")):
        return number(value, 1) if "error" in column else f"{value:+z.1f}"
    if column.startswith("ms"):
        return "-" if value == 0 else f"{value:.3g}" if value < 100 else f"{value:.0f}"
    return number(value, 2)


def _align(heads: Sequence[str]) -> list[str]:
    return ["left" if head in _NAMES else "right" for head in heads]


def _page(heading: str, tables: Sequence[Table], remarks: Sequence[str]) -> str:
    blocks: list[str] = []
    for table in tables:
        heads, rows = cells(table)
        blocks += [f"<h2>{html.escape(table.title)}</h2>"] if table.title else []
        blocks.append(html_table(heads, rows, _align(heads)))
        blocks += paragraphs([table.note] if table.note else [])
    return html_page(heading or "Tables", heading, [*blocks, *paragraphs(remarks)])
