"""A report as a page of HTML in one file. Without times."""

from __future__ import annotations

from arena.results.pages.render import render
from arena.results.table import Report


def write(report: Report) -> str:
    """Heading, all tables that are for people, remarks."""
    tables = [table.unmeasured() for table in report.tables if table.columns]
    return render("tables.html", [], {}, title=report.heading or "Tables", tables=tables, remarks=report.remarks)
