"""The formats in which a report is written: one module each, with `write(report) -> str`.

To add a format, write its module and name it here.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from arena.results.table import Report

FORMATS = {"table": "text", "markdown": "markdown", "csv": "csv", "json": "json", "html": "html"}
"""The name of each format (first the usual one) and of its module, which is imported when it is used."""


def write(report: Report, format: str = "table", width: int | None = None) -> str:
    """The report in one of FORMATS, with a line end; a table for a terminal of that `width`, None: all columns."""
    writer = import_module(f"{__name__}.{FORMATS[format]}")
    text: str = writer.write(report, width) if format == "table" else writer.write(report)
    return text
