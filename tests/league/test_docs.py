"""docs/league.md names all commands of a league; tests/test_docs.py follows the page."""

from __future__ import annotations

import re
from pathlib import Path

from arena.cli.league import league

DOC = Path(__file__).parents[2] / "docs" / "league.md"


def test_all_commands_are_named() -> None:
    assert set(re.findall(r"`arena league ([a-z]+)", DOC.read_text(encoding="utf-8"))) == set(league.commands)
