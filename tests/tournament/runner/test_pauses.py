"""Time in which a worker, or the whole run, did not run is nobody's; a bot that stops itself gains nothing by it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.tournament.runner.runs import FIELD, Running, bot, settings

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
CLOCK = {"clock": {"move_ms": 400}}


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
