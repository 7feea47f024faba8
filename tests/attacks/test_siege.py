"""An arena under siege, for a minute; `python -m tests.attacks.siege` lays longer ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.attacks.runs import needs_sandbox
from tests.attacks.siege import NAMES, Siege


def test_there_are_twenty_hostile_bots() -> None:
    assert len(NAMES) == 20


@pytest.mark.sandbox
@pytest.mark.slow
@needs_sandbox
def test_the_arena_holds(tmp_path: Path) -> None:
    """A clock that has room, for machines that have other work, too."""
    names = ("cheats", "dies_at", "garbage", "kills_others", "locks_memory", "two_faced")
    result = Siege(tmp_path, 7, 3000, names).lay(60, rounds=1)
    assert result.failed == []
    assert result.harmed == {}
    assert result.unnamed == []
    assert result.left == []
