"""Many workers on one machine: each has a share of its memory, beside what it inherits by being forked."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tournament.runner.runs import bot, forfeits, play, settings

pytestmark = [pytest.mark.process, pytest.mark.skipif(sys.platform != "linux", reason="limits on data")]


def _machine_with(mib: int, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.sysconf
    pages = (mib << 20) // real("SC_PAGE_SIZE")
    monkeypatch.setattr(os, "sysconf", lambda name: pages if name == "SC_PHYS_PAGES" else real(name))


def test_a_share_smaller_than_what_is_inherited_is_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _machine_with(512, monkeypatch)
    report = play(tmp_path, settings(bot("random"), bot("first"), games=32), workers=16)
    assert (report.done, report.workers_lost) == (32, 0)


SMALL = """
import os
import sys
from pathlib import Path
from tests.tournament.runner.runs import FIELD, play, settings

real = os.sysconf
os.sysconf = lambda name: (2048 << 20) // real("SC_PAGE_SIZE") if name == "SC_PHYS_PAGES" else real(name)
play(Path("run"), settings({"spec": "large.py", "name": "large"}, *FIELD[:2]), workers=128)
"""


def test_a_bot_that_its_worker_has_no_memory_for_is_not_blamed(tmp_path: Path) -> None:
    """One worker alone can load it, so it is not left out. The process is new, for workers inherit what was freed."""
    (tmp_path / "large.py").write_text("# a table\n" * 4_000_000 + "def act(view, moves):\n    return moves[0]\n")
    path = {"PYTHONPATH": str(Path(__file__).resolve().parents[3])}
    done = subprocess.run(
        [sys.executable, "-c", SMALL], cwd=tmp_path, env=os.environ | path, capture_output=True, text=True
    )
    assert re.search(r"ArenaError: .*memory.*--workers", done.stderr), done.stderr
    assert "cannot be loaded" not in done.stderr


@pytest.mark.slow
def test_workers_that_end_while_others_start_end_no_run(tmp_path: Path) -> None:
    """Whoever starts a process reaps those that have ended, and their supervisors saw them live on."""
    report = play(tmp_path, settings(bot("exit_hard", "foe"), bot("random", "ann"), games=100), workers=24)
    assert report.done == 100
    assert forfeits(tmp_path) == {("foe", "crash"): 100}
