"""What counts as growth of a process, and which process is the bot's."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from arena.bots.processes.procfs import children, is_running, status_mb
from arena.league.check.metrics import growth, innermost
from arena.league.check.sessions import without_strays


@pytest.mark.parametrize(
    ("sizes", "least", "most"),
    [
        ([20.0] * 12, 0.0, 0.0),
        ([20, 25, 27, 28, 28, 28, 28, 28, 28, 28, 28, 28], 0.0, 0.0),  # warming up
        ([20 + 0.5 * at for at in range(12)], 0.49, 0.51),
        ([20, 20, 20, 20, 20, 20, 24, 24, 24, 24, 24, 24], 0.0, 0.0),  # one step is no growth
        ([20, 30], 0.0, 0.0),
    ],
)
def test_growth(sizes: list[float], least: float, most: float) -> None:
    assert least <= growth(sizes) <= most


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_processes_are_found_and_ended() -> None:
    with without_strays("process") as found:
        # a child whose own parent ends at once comes to us
        code = (
            "import os, time\nif os.fork() == 0:\n    print(os.getpid(), flush=True)\n"
            "    os.close(1)\n    time.sleep(60)\n"
        )
        ended = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, check=True, timeout=30)
        pid = int(ended.stdout)
        assert pid in children(os.getpid())
        assert innermost(pid) == pid
        assert (status_mb(pid, "VmHWM") or 0) > 1
    assert found == [pid]
    assert not is_running(pid)
