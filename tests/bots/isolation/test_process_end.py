"""What a bot's process has started ends with it, and the process with its runner."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.bots.isolation.children import ROOT, both, heard, marked, started
from tests.bots.processes.waiting import wait_for

pytestmark = pytest.mark.process


SLEEP = "import time; time.sleep(300)"


def test_what_it_has_started_ends_with_it(tmp_path: Path) -> None:
    """Whether it holds the pipes, ignores signals or has a session of its own."""
    mark = f"mark-{os.getpid()}-started"
    code = f"""
import signal, subprocess
signal.signal(signal.SIGTERM, signal.SIG_IGN); signal.signal(signal.SIGHUP, signal.SIG_IGN)
nowhere = subprocess.DEVNULL
command = [sys.executable, "-I", "-S", "-c", {SLEEP!r}, {mark!r}]
for own in (False, True):
    subprocess.Popen(command, stdin=nowhere, stdout=nowhere, stderr=nowhere, start_new_session=own)
    subprocess.Popen(command, start_new_session=own)
say(b"x")
hear(1)
"""
    with started(code, tmp_path) as process:
        heard(process, 1)
        assert wait_for(lambda: len(marked(mark)) >= 4)
        start = time.monotonic()
        process.close()
        assert time.monotonic() - start < 10
    assert wait_for(lambda: not marked(mark))


def test_nothing_is_left_of_a_sandbox(tmp_path: Path) -> None:
    mark = f"mark-{os.getpid()}-sandbox"
    code = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); say(b'x')\nwhile True: time.sleep(60)"
    with started(code, tmp_path, "sandbox", None, mark) as process:
        heard(process, 1)
        inside = process.bot_pid
        assert inside != process.pid
        assert inside in marked(mark)
        process.close()
    assert wait_for(lambda: not marked(mark))


@both
def test_nothing_outlives_a_runner_that_is_killed(tmp_path: Path, level: str) -> None:
    mark = f"mark-{os.getpid()}-killed-{level}"
    runner = f"""
import sys, time
from pathlib import Path
from tests.bots.isolation.children import heard, started
code = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); say(b'x')\\nwhile True: time.sleep(60)"
with started(code, Path(sys.argv[1]), {level!r}, None, {mark!r}) as process:
    heard(process, 1)
    print("ready", flush=True)
    time.sleep(300)
"""
    process = subprocess.Popen(
        [sys.executable, "-c", runner, str(tmp_path)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        if process.stdout.readline() != "ready\n":
            _, err = process.communicate(timeout=30)
            assert "Skipped" in err, err
            pytest.skip("no sandbox here")
        assert len(marked(mark)) >= 2
        process.kill()
        assert wait_for(lambda: not marked(mark))
    finally:
        process.kill()
        process.communicate()
