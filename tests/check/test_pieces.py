"""Small parts of the check: locations, text, memory, processes."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from arena.check.failures import last_line, location_in
from arena.check.metrics import growth, innermost
from arena.check.report import ERROR, Finding
from arena.check.sessions import without_strays
from arena.check.text import finding_text
from arena.processes.procfs import children, status_mb
from tests.runner.runs import alive


def test_the_place_is_the_innermost_one_of_the_bots_files() -> None:
    text = (
        'Traceback (most recent call last):\n  File "/b/mine.py", line 3, in act\n    x\n'
        '  File "/b/helper.py", line 7, in look\n    y\n  File "/usr/lib/json.py", line 9, in loads\nValueError: no\n'
    )
    assert location_in(text, "/b/mine.py") == ("/b/helper.py", 7)
    assert location_in(text, "/c/mine.py") == (None, None)
    assert location_in("at act (/b/mine.js:12:5)", "/b/mine.js") == ("/b/mine.js", 12)
    assert last_line(text) == "ValueError: no"
    assert last_line("") == ""


def test_what_a_bot_says_moves_no_cursor() -> None:
    text = finding_text(
        Finding(ERROR, "load", "bad \x1b[2Jtext", "do\x07", details=("a\x1b]0;title\x07", "b\rc"))
    )
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "\r" not in text
    assert text.startswith("ERROR   Bad ?[2Jtext.")


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
    assert not alive(pid)
