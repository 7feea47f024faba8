"""What a bot's author wants to know before submitting it: ``check_bot`` (``arena check``)."""

from arena.check.check import check_bot
from arena.check.report import CheckReport, Finding

__all__ = ["CheckReport", "Finding", "check_bot"]
