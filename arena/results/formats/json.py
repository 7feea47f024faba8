"""A report as JSON: its values, with all figures as they were computed and null where they are not known."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from arena import text
from arena.results.table import Report


def write(report: Report) -> str:
    return json_text(report.values())


def json_text(values: Mapping[str, Any]) -> str:
    """JSON with a line end; never NaN, which JSON does not have."""
    return text.json_text(values) + "\n"


def finite(value: Any) -> Any:
    """Plain values with None for numbers that are not finite.

    >>> finite({"elo": [float("nan"), 1.5]})
    {'elo': [None, 1.5]}
    """
    if isinstance(value, dict):
        return {key: finite(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [finite(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
