"""Bots of tests/data/check, checked once for all tests."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

from arena.check import CheckReport, Finding, check_bot

BOTS = Path(__file__).parents[1] / "data" / "check"


@functools.cache
def checked(bot: str, **more: Any) -> CheckReport:
    """The report of a bot, by default of a dozen games of the base rules in processes."""
    stem, colon, params = bot.partition(":")
    settings: dict[str, Any] = {"level": "process", "rules": ("base",), "games": 12, "seconds": 60.0}
    return check_bot(f"{BOTS / stem}.py{colon}{params}", **settings | more)


def found(report: CheckReport, code: str) -> Finding:
    """The one finding of a kind."""
    findings = [one for one in report.findings if one.code == code]
    assert len(findings) == 1, report.text()
    return findings[0]
