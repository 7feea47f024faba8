"""Memory that no limit of the kernel counts is seen by whoever waits for a bot."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from arena.bots.isolation import process as processes
from arena.bots.isolation.levels import Launch
from arena.bots.isolation.process import BotProcess, ProcessEnded, watch_bots
from arena.bots.limits import BotLimits
from tests.bots.processes.waiting import wait_for

pytestmark = [pytest.mark.process, pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")]
LIMITS = BotLimits(memory_mb=100)

READ_ONLY = """
import ctypes, time
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mprotect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
print("begins", flush=True)
for _ in range(60):
    place = libc.mmap(None, ctypes.c_size_t(8 << 20), 3, 0x22, -1, ctypes.c_long(0))
    ctypes.memset(place, 1, 8 << 20)
    libc.mprotect(place, 8 << 20, 1)
time.sleep(60)
"""


def begun(folder: Path) -> BotProcess:
    process = BotProcess(Launch((sys.executable, "-I", "-c", READ_ONLY), folder, "process", LIMITS))
    assert process.receive(time.monotonic() + 30) == b"begins\n"
    return process


@pytest.mark.parametrize("waited_for", [True, False])
def test_what_was_made_read_only_is_still_counted(waited_for: bool, tmp_path: Path) -> None:
    process = begun(tmp_path)

    def ended() -> bool:
        watch_bots()
        return process.popen.poll() is not None

    if waited_for:
        with pytest.raises(ProcessEnded, match=r"it had \d+ MiB of memory, more than its 100"):
            process.receive(time.monotonic() + 30)
    else:
        assert wait_for(ended)
    assert "MiB of memory, more than its 100" in process.close()
    assert not processes.own_children()
