"""A report as JSON: its values, with all figures as they were computed and null where they are not known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arena import text
from arena.report.table import Report


def write(report: Report) -> str:
    return json_text(report.values())


def json_text(values: Mapping[str, Any]) -> str:
    """JSON with a line end; never NaN, which JSON does not have."""
    return text.json_text(values) + "\n"
