"""An arena under siege, for a round of submissions; `python -m tools.siege` lays longer ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.attacks.runs import needs_sandbox
from tools.siege import MODES, NAMES, Siege


def test_there_are_twenty_hostile_bots() -> None:
    assert len(NAMES) == 20


@pytest.mark.sandbox
@pytest.mark.slow
@needs_sandbox
def test_the_arena_holds(tmp_path: Path) -> None:
    """Bots that attack at once in the first round, and a clock that has room: machines have other work, too."""
    names = [name for at, name in enumerate(NAMES) if at % len(MODES) == 0][:4]
    result = Siege(tmp_path, 7, 3000, names).lay(600, rounds=1)
    assert result.failed == []
    assert result.harmed == {}
    assert result.unnamed == []
    assert result.left == []
