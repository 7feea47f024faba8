"""What comes behind others when a core is wanted."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from arena.bots.processes import behind

pytestmark = pytest.mark.process


def test_a_process_and_its_session_come_behind() -> None:
    """Linux shares cores between sessions whatever their processes' nice values, so the session must say it, too."""
    script = 'echo $(cut -d " " -f 19 /proc/self/stat) $(cat /proc/self/autogroup)'
    out = subprocess.run(
        ["sh", "-c", script],
        capture_output=True,
        text=True,
        check=True,
        start_new_session=True,
        preexec_fn=behind(os.getpid(), 3),
    ).stdout.split()
    nice = min(os.nice(0) + 3, 19)
    assert out[0] == str(nice)
    if sys.platform == "linux" and Path("/proc/self/autogroup").exists() and os.geteuid() == 0:
        assert out[-1] == str(nice)
