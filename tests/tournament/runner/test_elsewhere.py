"""Workers as on macOS and Windows: spawned, without /proc's news, without what Linux alone has."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from arena.bots.processes import children, is_running
from tests.bots.processes.waiting import wait_for

ELSEWHERE = Path(__file__).with_name("elsewhere")
ARENA = [sys.executable, "-m", "arena.cli.main"]
MATCH = ["match", "greedy", "first", "--seed", "1", "--workers", "2"]


def environment(system: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ELSEWHERE), "ELSEWHERE": system}


def arena(system: str | None, folder: Path, *words: str) -> str:
    env = None if system is None else environment(system)
    done = subprocess.run([*ARENA, *words], cwd=folder, env=env, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.parametrize("system", ["darwin", "win32"])
def test_the_same_games_on_another_system(system: str, tmp_path: Path) -> None:
    games = []
    for where in (None, system):
        arena(where, tmp_path, *MATCH, "--games", "40", "--strict", "--out", f"on-{where}")
        games.append(arena(where, tmp_path, "export", f"on-{where}", "--records", "-"))
    assert games[0] == games[1]
    assert "sandbox needs Linux" in arena(system, tmp_path, "doctor")


@pytest.mark.slow
@pytest.mark.process
def test_workers_end_with_their_parent_without_prctl(tmp_path: Path) -> None:
    command = [*ARENA, *MATCH, "--games", "200000", "--out", "long"]
    parent = subprocess.Popen(command, cwd=tmp_path, env=environment("darwin"), stderr=subprocess.PIPE, text=True)
    assert parent.stderr is not None
    while "of 200,000 games" not in parent.stderr.readline():
        assert parent.poll() is None
    workers = children(parent.pid)
    assert len(workers) >= 2
    parent.kill()
    parent.communicate()
    assert wait_for(lambda: not any(map(is_running, workers)), 30)
