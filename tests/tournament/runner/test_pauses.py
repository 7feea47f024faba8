"""Time in which a worker, or the whole run, did not run is nobody's; a bot that stops itself gains nothing by it."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.bots.processes.waiting import wait_for
from tests.tournament.runner.runs import FIELD, Running, bot, settings

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
CLOCK = {"clock": {"move_ms": 400}}


def interrupted(tmp_path: Path, seconds: float, whole: bool = False, **more: Any) -> dict[str, Any]:
    """The report of a run of slow bots whose worker, or all of it, was stopped for so long."""
    data = settings(bot("sleeper", "slow", ms=20.0), FIELD[1], games=4, **more)
    run = Running(tmp_path, data, 1, decision_s=1.0)
    assert wait_for(lambda: len(run.workers()) == 1)
    time.sleep(0.7)  # a bot is asked
    stopped = [*run.workers(), *([run.process.pid] if whole else [])]
    for pid in stopped:
        os.kill(pid, signal.SIGSTOP)
    time.sleep(seconds)
    for pid in stopped:
        with contextlib.suppress(ProcessLookupError):  # its games are played by another one by now
            os.kill(pid, signal.SIGCONT)
    try:
        report = run.rest()
    finally:
        run.kill()
    assert report["done"] == report["total"]
    return report


@pytest.mark.parametrize("more", [pytest.param({}, id="patience"), pytest.param(CLOCK, id="clock")])
@pytest.mark.slow
def test_a_worker_that_was_stopped_costs_no_bot_its_game(tmp_path: Path, more: dict[str, Any]) -> None:
    report = interrupted(tmp_path, 1.7, **more)
    assert report["forfeits"] == 0


@pytest.mark.slow
def test_a_run_that_was_stopped_costs_no_bot_its_game(tmp_path: Path) -> None:
    report = interrupted(tmp_path, 1.7, whole=True, **CLOCK)
    assert report["forfeits"] == 0


@pytest.mark.slow
@pytest.mark.parametrize("isolation", ["none", "process"])
def test_a_bot_that_stops_its_own_process_forfeits_in_the_end(tmp_path: Path, isolation: str) -> None:
    """At the level `none` that is the worker, and might have been done from outside: a few times it is believed."""
    bots = (bot("stops", "stopper"), FIELD[1])
    run = Running(tmp_path, settings(*bots, games=2, isolation=isolation, **CLOCK), 1)
    try:
        report = run.rest()
    finally:
        run.kill()
    assert (report["done"], report["forfeits"]) == (2, 2)
