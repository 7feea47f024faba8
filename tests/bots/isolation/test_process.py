"""A bot's process: pipes with deadlines, limits, how it ended in words, and that nothing of it stays."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from arena.bots.isolation.process import BotProcess, DeadlinePassed, ProcessEnded
from arena.bots.limits import BotLimits, CannotStart, Launch
from arena.bots.processes import children, is_running
from tests.bots.isolation.children import ROOT, both, heard, line_of, marked, soon, started
from tests.bots.isolation.inside import need_sandbox
from tests.bots.processes.waiting import wait_for

MEGABYTE = 1 << 20
pytestmark = pytest.mark.process


# ---------------------------------------------------------------- pipes and deadlines


def test_sending_ends_at_the_deadline_if_nobody_reads(tmp_path: Path) -> None:
    with started("time.sleep(60)", tmp_path) as process:
        with pytest.raises(DeadlinePassed):
            process.send(b"x" * MEGABYTE, soon(0.2))
        assert is_running(process.pid)


def test_receiving_ends_at_the_deadline_and_can_go_on(tmp_path: Path) -> None:
    with started("hear(1); say(b'late')", tmp_path) as process:
        for seconds in (0.1, -100):
            with pytest.raises(DeadlinePassed):
                process.receive(soon(seconds))
        process.send(b"!", soon())
        assert heard(process, 4) == b"late"


def test_one_that_closes_its_output_has_ended_for_us(tmp_path: Path) -> None:
    """In the sandbox bubblewrap still holds the pipe: there it is one that does not answer."""
    with started("os.close(1); time.sleep(60)", tmp_path) as process:
        with pytest.raises(ProcessEnded, match="it closed its output"):
            process.receive(soon())
        assert is_running(process.pid)
        assert process.close() == "it was stopped"


@pytest.mark.slow
def test_a_process_with_more_memory_than_a_bot_may_have_starts_bots(tmp_path: Path) -> None:
    """However near the end of a piece of its stack Python is, where the next call needs memory."""
    held = bytearray(128 * MEGABYTE)
    launch = Launch(("/bin/sh", "-c", "ulimit -d"), tmp_path, "process", BotLimits(memory_mb=64))

    def start(depth: int) -> bytes:
        if depth:
            return start(depth - 1)
        process = BotProcess(launch)
        try:
            return process.receive(soon())
        finally:
            process.close()

    assert {start(depth) for depth in range(0, 200, 3)} == {b"65536\n"}
    assert held


# ---------------------------------------------------------------- how it ended


@both
@pytest.mark.parametrize(
    ("code", "how"),
    [
        ("os._exit(0)", "it ended itself with exit code 0"),
        ("raise ValueError('on purpose')", "it ended itself with exit code 1"),
        ("os.kill(os.getpid(), 9)", "it was killed by SIGKILL"),
    ],
)
def test_the_end_in_words(tmp_path: Path, level: str, code: str, how: str) -> None:
    with started(code, tmp_path, level) as process:
        with pytest.raises(ProcessEnded) as ended:
            process.receive(soon())
        assert str(ended.value) == how
        assert process.close() == how
        assert process.close() == how
        if "ValueError" in code:
            assert b"ValueError: on purpose" in process.said


@pytest.mark.sandbox
def test_a_sandboxed_bot_has_a_session_of_its_own_without_a_terminal(tmp_path: Path) -> None:
    with started("import time; time.sleep(60)", tmp_path, "sandbox") as process:
        assert os.getsid(process.pid) == process.pid
        assert os.getsid(process.bot_pid) == process.pid
        for pid in (process.pid, process.bot_pid):  # for want of memory they go before the run
            assert Path(f"/proc/{pid}/oom_score_adj").read_text() == "1000\n"


INSIDE = """
import json, resource
def is_open(number):
    try:
        return bool(os.fstat(number))
    except OSError:
        return False
names = ("FSIZE", "NOFILE", "CPU", "DATA", "AS", "STACK", *sys.argv[1:])
limits = {name: resource.getrlimit(getattr(resource, "RLIMIT_" + name)) for name in names}
print(json.dumps([limits, dict(os.environ), os.getcwd(), list(filter(is_open, range(256)))]), flush=True)
"""


@both
def test_what_a_process_is_given(tmp_path: Path, level: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits, an environment, a folder, and no descriptor but three."""
    monkeypatch.setenv("ARENA_SECRET", "secret")
    secret = os.open(tmp_path, os.O_RDONLY)
    os.set_inheritable(secret, True)
    limits = BotLimits(memory_mb=300, file_mb=3, files=40, cpu_s=77)
    more = ("CORE",) if level == "process" else ()  # in the sandbox nobody may ask
    given = {"PYTHONHASHSEED": "0", "LANG": "C"}
    with started(INSIDE, tmp_path, level, limits, *more, environment=given) as process:
        found, environment, folder, descriptors = json.loads(line_of(process))
    os.close(secret)
    assert (folder, descriptors) == (str(tmp_path), [0, 1, 2])
    environment.pop("PWD", None)  # bubblewrap's
    environment.pop("LC_CTYPE", None)  # Python's
    assert environment == {"PATH": "/usr/bin:/bin", "HOME": "/tmp", **given}
    data, size, addresses = 300 * MEGABYTE, 3 * MEGABYTE, (4096 + 600) * MEGABYTE
    if level == "process":  # a GPU's driver reserves more
        assert found.pop("AS") == list(resource.getrlimit(resource.RLIMIT_AS))
        assert found.pop("STACK") == list(resource.getrlimit(resource.RLIMIT_STACK))
        assert found.pop("CORE") == [1, 1]  # the kernel ignores 0 where crashes are piped to a program
    else:
        assert found.pop("AS") == [addresses, addresses]
        assert found.pop("STACK")[1] == data
    assert found == {"FSIZE": [size, size], "NOFILE": [40, 40], "CPU": [77, 82], "DATA": [data, data]}


@pytest.mark.parametrize("level", ["process", pytest.param("sandbox", marks=[pytest.mark.sandbox, pytest.mark.slow])])
def test_used_up_processor_time_ends_it(tmp_path: Path, level: str) -> None:
    with started("while True: pass", tmp_path, level, BotLimits(cpu_s=1)) as process:
        with pytest.raises(ProcessEnded) as ended:
            process.receive(soon(120))
        assert str(ended.value) == "it was killed by SIGXCPU (its processor time is used up)"
        assert process.close() == str(ended.value)


@pytest.mark.slow
def test_starts_and_ends_leave_nothing_open(tmp_path: Path) -> None:
    def descriptors() -> int:
        return len(os.listdir("/proc/self/fd"))

    launch = Launch(("/bin/cat",), tmp_path, "process")
    BotProcess(launch).close()
    before, family = descriptors(), children(os.getpid())
    for number in range(20):
        process = BotProcess(launch)
        if number % 3 == 0:
            process.send(b"x", soon())
            assert process.receive(soon()) == b"x"
        process.close(grace_s=30.0 * (number % 2))
        if number % 10 == 0:
            with pytest.raises(CannotStart):
                BotProcess(Launch(("/nowhere/bot",), tmp_path, "process"))
    assert descriptors() == before
    assert set(children(os.getpid())) <= set(family)


# ---------------------------------------------------------------- what it leaves


@both
def test_nothing_outlives_a_runner_that_is_killed(tmp_path: Path, level: str) -> None:
    if level == "sandbox":
        need_sandbox()
    mark = f"mark-{os.getpid()}-killed-{level}"
    code = f"""
import time
from pathlib import Path
from tests.bots.isolation.children import heard, started
code = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); say(b'x')\\nwhile True: time.sleep(60)"
with started(code, Path({str(tmp_path)!r}), {level!r}, None, {mark!r}) as process:
    heard(process, 1)
    print("ready", flush=True)
    time.sleep(300)
"""
    with subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True) as runner:
        assert runner.stdout is not None
        assert runner.stdout.readline() == "ready\n"
        assert len(marked(mark)) >= 2
        runner.kill()
    assert wait_for(lambda: not marked(mark))
