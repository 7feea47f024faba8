"""Reports of the runs of a comparison as one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from arena.results.table import Report


def by_variant(reports: Mapping[str, Report]) -> Report:
    """The tables of each variant after one another, their names and titles with that of the variant in front.

    JSON has the values of each under `variants`, by rule set.
    """
    tables = [
        replace(table, name=f"{variant}.{table.name}", title=f"{variant}: {table.title}" if table.title else variant)
        for variant, report in reports.items()
        for table in report.tables
    ]
    remarks = [f"{variant}: {remark}" for variant, report in reports.items() for remark in report.remarks]
    items = [(f"{variant}: ", *item) for variant, report in reports.items() for item in report.items]
    heading = "\n".join(report.heading for report in reports.values())
    values = {variant: report.values for variant, report in reports.items()}
    made = lambda: {"variants": {name: make() for name, make in values.items()}}  # noqa: E731
    return Report(heading, tables, remarks, items, made)
