"""Helpers for processes: identity, ending what others have started, and which process comes first."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from arena.bots.cores import behind
from arena.bots.processes import children, descendants, end_descendants, has_children, is_running, start_time
from tests.bots.processes.waiting import wait_for

linux = pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
SLEEPER = "import time; time.sleep(60)"


@linux
def test_a_process_is_known_by_its_start_until_it_is_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", SLEEPER]) as process:
        started = start_time(process.pid)
        assert started == start_time(process.pid) != ""
        assert is_running(process.pid)
        assert process.pid in children(os.getpid())
        assert has_children()
        assert not has_children({process.pid, *children(os.getpid())})
        process.kill()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # its exit code is still there
        assert start_time(process.pid) == ""
        assert not is_running(process.pid)
        assert process.pid in children(os.getpid())


@linux
def test_descendants_are_found_and_ended_with_what_they_start_meanwhile() -> None:
    grandparent = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {SLEEPER!r}])"
    code = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {grandparent!r}])"
    with subprocess.Popen([sys.executable, "-c", code]) as process:
        assert wait_for(lambda: len(descendants(process.pid)) == 2)
        found = descendants(process.pid)
        end_descendants(process.pid)
        assert wait_for(lambda: not any(map(is_running, found)))  # killed, but not yet ended
        assert is_running(process.pid)  # stopped, to be killed next
        process.kill()


@pytest.mark.process
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
