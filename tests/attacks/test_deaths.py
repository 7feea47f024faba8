"""Workers that are killed: the run stops if it goes on, and nobody pays for a few kills from outside."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from arena.errors import ArenaError
from tests.attacks.runs import LIMITS, attack, tournament

pytestmark = [
    pytest.mark.process,
    pytest.mark.slow,
    pytest.mark.skipif(os.name != "posix", reason="bots in processes need Unix"),
]


def test_the_run_stops_when_workers_keep_dying_at_process(tmp_path: Path) -> None:
    killer, honest = attack("kills_workers"), attack("takes_its_time")
    bot = "(ann|kills_workers|takes_its_time)"  # it kills the workers of other games, too
    named = f"workers keep dying in games of {bot} against {bot}: the process was killed by SIGKILL"
    with pytest.raises(ArenaError, match=named):
        tournament(tmp_path, [killer, honest], "process", format="round-robin", gauntlet=None, limits=LIMITS)
