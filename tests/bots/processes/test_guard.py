"""Nothing of a bot is left when the process that has started it is killed, at whatever moment."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.bots.isolation.launch import Launch
from arena.bots.isolation.process import BotProcess
from arena.bots.processes.guard import Guard, guard, guard_pids
from arena.bots.processes.procfs import children, is_running, process_name, read_text
from tests.bots.isolation.inside import need_sandbox
from tests.bots.processes.waiting import wait_for

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
TRIES = 8


def with_mark(mark: str) -> list[int]:
    """Processes whose command line holds a mark."""
    found = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    return [pid for pid in found if mark in read_text(f"/proc/{pid}/cmdline") and is_running(pid)]


def forked(work: Callable[[], object]) -> int:
    """A process that does something and then waits."""
    pid = os.fork()
    if pid == 0:
        try:
            work()
            time.sleep(60)
        finally:
            os._exit(0)
    return pid


def killed(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


@pytest.mark.sandbox
def test_bubblewrap_is_not_left_behind_in_the_moment_in_which_it_starts(tmp_path: Path) -> None:
    """A process that it has just made waits for it, and asks to be ended with it a few milliseconds later."""
    need_sandbox()
    mark = f"time.sleep({random.randrange(10**6, 10**7)})"
    launch = Launch((sys.executable, "-c", f"import time; {mark}"), tmp_path, "sandbox")
    for number in range(TRIES):
        pid = forked(lambda: BotProcess(launch))

        def bubblewrap(pid: int = pid) -> list[int]:
            return [one for one in children(pid) if process_name(one) == "bwrap"]

        assert wait_for(bubblewrap, pause_s=0.001)
        time.sleep(number * 0.0005)
        killed(pid)
    assert wait_for(lambda: not with_mark(mark), 5.0), "left behind"


def test_nor_what_a_bot_without_a_sandbox_has_started(tmp_path: Path) -> None:
    sleeps = f"sleep {random.randrange(10**6, 10**7)}"
    launch = Launch(("/bin/sh", "-c", f"{sleeps} & {sleeps} & wait"), tmp_path, "process")
    pid = forked(lambda: BotProcess(launch))
    started = sleeps.replace(" ", "\0")
    assert wait_for(lambda: len(with_mark(started)) == 2)
    killed(pid)
    assert wait_for(lambda: not with_mark(started), 5.0), "left behind"


def test_the_guard_spares_what_was_taken_off_and_minds_no_ctrl_c(tmp_path: Path) -> None:
    guard = Guard()
    os.kill(guard.pid, 0)
    ended, kept = (
        subprocess.Popen(["sleep", "60"], process_group=0, preexec_fn=lambda name=name: guard.add(name))
        for name in (guard.new_name(), guard.new_name())
    )
    guard.remove(1)
    assert os.getsid(guard.pid) != os.getsid(0)  # a terminal's signals do not reach it
    guard.close()
    assert ended.wait(10) == -signal.SIGKILL
    assert kept.poll() is None
    kept.kill()
    kept.wait()
    with (tmp_path / "reused").open("wb") as file:  # has the number that its pipe had
        guard.remove(1)
    assert Path(file.name).read_bytes() == b""


def test_a_guard_that_was_killed_is_replaced() -> None:
    """Else the next bots were ended by SIGPIPE, before they had begun."""
    first = guard()
    assert first is not None
    assert guard() is first
    os.kill(first.pid, signal.SIGKILL)
    os.waitpid(first.pid, 0)
    second = guard()
    assert second is not None
    assert second.pid != first.pid
    assert guard_pids() == {second.pid}


def test_a_process_begins_though_the_guard_was_killed_a_moment_before() -> None:
    """It was ended by SIGPIPE when it told the guard of itself."""
    guard = Guard()
    os.kill(guard.pid, signal.SIGKILL)
    assert wait_for(lambda: not guard.is_there())
    assert subprocess.run(["true"], preexec_fn=lambda: guard.add(guard.new_name())).returncode == 0


def test_the_guard_minds_no_signal_and_still_does_its_work() -> None:
    guard = Guard()
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        os.kill(guard.pid, number)
    process = subprocess.Popen(["sleep", "60"], process_group=0, preexec_fn=lambda: guard.add(guard.new_name()))
    assert guard.is_there()
    guard.close()
    assert process.wait(10) == -signal.SIGKILL


def test_one_that_was_stopped_holds_nobody_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once the pipe was full, the next bot waited for ever, and so did the end of the program."""
    monkeypatch.setattr("arena.bots.processes.guard._PATIENCE_S", 0.01)
    guard = Guard()
    os.kill(guard.pid, signal.SIGSTOP)
    while guard.is_there():
        guard.remove(guard.new_name())
    guard.close()
    assert not is_running(guard.pid)
