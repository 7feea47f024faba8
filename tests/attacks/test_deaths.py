"""Workers that are killed: the run stops if it goes on, and nobody pays for a few kills from outside."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from arena.errors import ArenaError
from arena.tournament.runner import supervisor
from arena.tournament.runner.supervisor import WorkerProcess
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


def test_workers_killed_from_outside_cost_no_bot_a_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    left = supervisor.MOST_DEATHS - 1
    watch = WorkerProcess._watch

    def killed(worker: WorkerProcess) -> None:
        nonlocal left
        if left and worker.snapshot().hook == "act":
            left -= 1
            os.kill(worker.pid, signal.SIGKILL)
        watch(worker)

    monkeypatch.setattr(WorkerProcess, "_watch", killed)
    found = tournament(tmp_path, [attack("takes_its_time")], "process")
    assert not left
    assert {one.kind for verdicts in found.verdicts.values() for one in verdicts} == {None}
