"""Workers that are killed: the run stops if it goes on, and nobody pays for a few kills from outside."""

from __future__ import annotations

import os
import signal
from contextlib import nullcontext
from pathlib import Path

import pytest

from arena.bots.processes.control_groups import ControlGroups, NoGroups, require_groups
from arena.errors import ArenaError
from arena.tournament.runner import supervisor
from arena.tournament.runner.worker_process import WorkerProcess
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


@pytest.mark.parametrize("bot", ["kills_workers", "takes_its_time"])
def test_no_control_group_stays(bot: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    groups = control_groups()
    workers: list[int] = []

    class Known(WorkerProcess):
        def release(self) -> None:
            workers.append(self.pid)
            super().release()

    monkeypatch.setattr(supervisor, "WorkerProcess", Known)
    bots = [attack(bot), attack("takes_its_time", ms=5.0)]
    with pytest.raises(ArenaError) if bot == "kills_workers" else nullcontext():
        tournament(tmp_path, bots, "process", format="round-robin", gauntlet=None, games=2, limits=LIMITS)
    assert workers
    left = [entry.name for entry in groups.folder.glob("arena-*")]
    assert [name for name in left if int(name.split("-")[1]) in workers] == []


def control_groups() -> ControlGroups:
    try:
        return require_groups()
    except NoGroups as why:
        pytest.skip(f"no control groups can be made here: {why}")
