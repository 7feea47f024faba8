"""What a bot's author wants to know before submitting it: `check_bot` (`arena check`).

What plays is imported when it is asked for, so that the process that reads a bot's source starts quickly.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arena.check.check import check_bot as check_bot
    from arena.check.report import CheckReport as CheckReport
    from arena.check.report import Finding as Finding
    from arena.check.text import report_text as report_text

_PLACES = {"CheckReport": "report", "Finding": "report", "check_bot": "check", "report_text": "text"}
__all__ = ["CheckReport", "Finding", "check_bot", "report_text"]


def __getattr__(name: str) -> Any:
    if name in _PLACES:
        return getattr(importlib.import_module(f"arena.check.{_PLACES[name]}"), name)
    raise AttributeError(f"module 'arena.check' has no attribute '{name}'")
