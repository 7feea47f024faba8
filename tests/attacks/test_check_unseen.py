"""A bot must not be able to tell a check from a game that counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.league.check import check_bot

LOOKS = """
import os, sys
def act(view, moves):
    odd = [name for name in sys.modules if name.startswith("arena.league")]
    odd += [name for name in os.environ if "AUDIT" in name or "CHECK" in name]
    odd += [arg for arg in sys.argv if "arena.league.check" in arg or arg == "check"]
    assert not odd, odd
    return moves[0]
"""


def test_a_check_looks_like_a_game(tmp_path: Path) -> None:
    (tmp_path / "looks.py").write_text(LOOKS)
    report = check_bot(str(tmp_path / "looks.py"), level="process", rules=("base",), games=2)
    assert not report.errors, report.errors


@pytest.mark.slow
def test_each_check_deals_other_cards() -> None:
    seeds = {check_bot("first", level="process", rules=("base",), games=2).seed for _ in range(3)}
    assert len(seeds) > 1
