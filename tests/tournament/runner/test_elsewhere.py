"""Workers as on macOS: spawned, without /proc's news, without what Linux alone has."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from arena.bots.processes import children, is_running
from tests.bots.processes.waiting import wait_for

ELSEWHERE = Path(__file__).with_name("elsewhere")


@pytest.mark.slow
@pytest.mark.process
def test_workers_end_with_their_parent_without_prctl(tmp_path: Path) -> None:
    match = ["match", "greedy", "first", "--seed", "1", "--workers", "2", "--games", "200000", "--out", "long"]
    command = [sys.executable, "-m", "arena.cli.main", *match]
    environment = {**os.environ, "PYTHONPATH": str(ELSEWHERE)}
    parent = subprocess.Popen(command, cwd=tmp_path, env=environment, stderr=subprocess.PIPE, text=True)
    assert parent.stderr is not None
    while "of 200,000 games" not in parent.stderr.readline():
        assert parent.poll() is None
    workers = children(parent.pid)
    assert len(workers) >= 2
    parent.kill()
    parent.communicate()
    assert wait_for(lambda: not any(map(is_running, workers)), 30)
