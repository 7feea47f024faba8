"""Who kills workers, or holds them up, pays for it, and nobody else does."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from arena.bots.processes.control_groups import ControlGroups, NoGroups, require_groups
from arena.errors import ArenaError
from arena.tournament.referee.player import Player
from arena.tournament.runner import supervisor
from arena.tournament.runner.worker_process import WorkerProcess
from tests.attacks.runs import LIMITS, Outcome, attack, tournament
from tests.attacks.test_lockstep import can_play_in_step

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(os.name != "posix", reason="bots in processes need Unix"),
]


@pytest.mark.slow
def test_who_is_asked_when_the_worker_is_killed_has_not_done_it(tmp_path: Path) -> None:
    """The worker died twice while the honest one was asked, and that one forfeited the game."""
    killer, honest = attack("kills_workers"), attack("takes_its_time")
    found = tournament(
        tmp_path, [killer, honest], "process", format="round-robin", gauntlet=None, games=2, limits=LIMITS
    )
    for name, verdicts in found.verdicts.items():
        kinds = {one.kind for one in verdicts}
        assert "crash" in kinds if name == killer.name else kinds == {None}, name
    assert "suspended for killing workers" in " ".join(one.detail for one in found.verdicts[killer.name])
    assert "kills_workers is suspended: its worker dies when it plays alone, too" in found.log
    at_work = [line for line in found.log.splitlines() if "at work: " in line and "; replaying game" in line]
    assert any("kills_workers" in line for line in at_work), found.log


@pytest.mark.slow
@pytest.mark.parametrize("isolation", ["none", "process"])
def test_who_is_loaded_when_the_worker_is_killed_has_not_done_it(isolation: str, tmp_path: Path) -> None:
    """The bot that was being loaded was named: a league refused it."""
    bots = [attack("kills_while_loading"), attack("loads_slowly")]
    with pytest.raises(ArenaError, match=r"kills_while_loading\.py cannot be loaded: .*SIGKILL"):
        tournament(tmp_path, bots, isolation)


@pytest.mark.slow
@pytest.mark.parametrize("isolation", ["none", "process"])
def test_workers_that_somebody_else_kills_while_they_load(
    isolation: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two kills by an operator stopped the run, as the fault of the bot that was being loaded."""
    found = _killed_from_outside(tmp_path, monkeypatch, isolation, "loads_slowly", while_loading=True)
    assert {one.kind for verdicts in found.verdicts.values() for one in verdicts} == {None}


@pytest.mark.slow
def test_workers_that_somebody_else_kills_while_they_play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two kills in a game, and two more while a bot of it was tried alone, suspended that bot."""
    found = _killed_from_outside(tmp_path, monkeypatch, "process", "takes_its_time", while_loading=False)
    assert {one.kind for verdicts in found.verdicts.values() for one in verdicts} == {None}


def _killed_from_outside(
    folder: Path, patch: pytest.MonkeyPatch, isolation: str, bot: str, while_loading: bool
) -> Outcome:
    """A run of which four workers, one after the other, are killed by somebody else."""
    left = 4
    watch = WorkerProcess._watch

    def killed(worker: WorkerProcess) -> None:
        nonlocal left
        now = worker.loading is not None if while_loading else worker.snapshot().hook == "act"
        if left and now:
            left -= 1
            os.kill(worker.pid, signal.SIGKILL)
        watch(worker)

    patch.setattr(WorkerProcess, "_watch", killed)
    found = tournament(folder, [attack(bot)], isolation)
    assert not left
    return found


@pytest.mark.slow
def test_a_slow_step_is_no_stall(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each answer is in time, but four of them were not: the worker was taken for dead, and the run for broken."""
    monkeypatch.setattr("arena.tournament.runner.worker_process._STALL_S", 2.0)
    monkeypatch.setattr("arena.tournament.runner.dispatch._CHUNK_S", 60.0)
    monkeypatch.setattr(Player, "in_step", property(lambda player: can_play_in_step(player.remote)))
    slow = [attack("dawdles_in_step", seconds=one) for one in (1.3, 1.2)]
    found = tournament(
        tmp_path,
        slow,
        "process",
        games=24,
        limits=replace(LIMITS, decision_s=5.0, loading_s=5.0),
        format="round-robin",
        gauntlet=None,
    )
    assert {one.kind for verdicts in found.verdicts.values() for one in verdicts} == {None}
    assert not found.report.workers_lost, found.log


@pytest.mark.parametrize("bot", ["kills_workers", pytest.param("takes_its_time", marks=pytest.mark.slow)])
@pytest.mark.slow
def test_no_control_group_stays(bot: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of a worker that was killed stayed for ever, and one or two of others."""
    groups = control_groups()
    workers: list[int] = []

    class Known(WorkerProcess):
        def release(self) -> None:
            workers.append(self.pid)
            super().release()

    monkeypatch.setattr(supervisor, "WorkerProcess", Known)
    bots = [attack(bot), attack("takes_its_time", ms=5.0)]
    tournament(tmp_path, bots, "process", format="round-robin", gauntlet=None, games=2, limits=LIMITS)
    assert workers
    left = [entry.name for place in groups.places.values() for entry in place.glob("arena-*")]
    assert [name for name in left if int(name.split("-")[1]) in workers] == []


def control_groups() -> ControlGroups:
    try:
        return require_groups()
    except NoGroups as why:
        pytest.skip(f"no control groups can be made here: {why}")
