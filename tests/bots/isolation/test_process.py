"""A bot's process: pipes with deadlines, limits, how it ended in words."""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from pathlib import Path

import pytest

from arena.bots.isolation.levels import CannotStart, Launch
from arena.bots.isolation.process import BotProcess, DeadlinePassed, ProcessEnded
from arena.bots.limits import BotLimits
from arena.bots.processes import children, is_running
from tests.bots.isolation.children import both, heard, line_of, soon, started

MEGABYTE = 1 << 20
pytestmark = pytest.mark.process


# ---------------------------------------------------------------- pipes and deadlines


@both
def test_what_is_sent_arrives_and_what_is_said_comes_back(tmp_path: Path, level: str) -> None:
    with started("say(hear(5)[::-1]); say(hear(1))", tmp_path, level) as process:
        assert is_running(process.pid)
        process.send(b"abcde", soon())
        assert heard(process, 5) == b"edcba"
        assert not process.pending()
        process.send(b"f", soon())
        assert heard(process, 1) == b"f"
        with pytest.raises(ProcessEnded, match="ended itself with exit code 0"):
            process.receive(soon())


def test_megabytes_go_both_ways(tmp_path: Path) -> None:
    with started(f"data = hear({5 * MEGABYTE}); say(data[::-1])", tmp_path) as process:
        data = os.urandom(5 * MEGABYTE)
        process.send(data, soon())
        assert heard(process, len(data)) == data[::-1]


def test_sending_ends_at_the_deadline_if_nobody_reads(tmp_path: Path) -> None:
    with started("time.sleep(60)", tmp_path) as process:
        start = time.monotonic()
        with pytest.raises(DeadlinePassed):
            process.send(b"x" * MEGABYTE, start + 0.2)
        assert 0.2 <= time.monotonic() - start < 10
        assert is_running(process.pid)


def test_receiving_ends_at_the_deadline_and_can_go_on(tmp_path: Path) -> None:
    with started("hear(1); say(b'late')", tmp_path) as process:
        start = time.monotonic()
        with pytest.raises(DeadlinePassed):
            process.receive(start + 0.1)
        assert 0.1 <= time.monotonic() - start < 10
        with pytest.raises(DeadlinePassed):
            process.receive(start - 100)
        process.send(b"!", soon())
        assert heard(process, 4) == b"late"


def test_one_that_closes_its_output_has_ended_for_us(tmp_path: Path) -> None:
    """In the sandbox bubblewrap still holds the pipe: there it is one that does not answer."""
    with started("os.close(1); time.sleep(60)", tmp_path) as process:
        with pytest.raises(ProcessEnded, match="it closed its output"):
            process.receive(soon())
        assert is_running(process.pid)
        assert process.close() == "it was stopped"


# ---------------------------------------------------------------- how it begins


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

    assert {start(depth) for depth in range(0, 200, 2)} == {b"65536\n"}
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
        assert ended.value.how == how
        assert process.close() == how
        assert process.close() == how
        if "ValueError" in code:
            assert "ValueError: on purpose" in process.read_stderr()


# ---------------------------------------------------------------- complaints


def test_complaints_are_kept_and_given_once(tmp_path: Path) -> None:
    code = "os.write(2, b'gr\\xc3\\xbc\\xff\\n'); say(b'x'); hear(1); os.write(2, b'more'); say(b'y'); hear(1)"
    with started(code, tmp_path) as process:
        heard(process, 1)
        assert process.read_stderr() == "gr\u00fc\ufffd\n"
        assert process.read_stderr() == ""
        process.send(b"!", soon())
        heard(process, 1)
        assert process.read_stderr() == "more"


def test_complaints_are_bounded_and_do_not_hold_up(tmp_path: Path) -> None:
    code = f"sys.stderr.write('x' * {3 * MEGABYTE}); sys.stderr.flush(); say(b'done'); hear(1)"
    with started(code, tmp_path) as process:
        assert heard(process, 4) == b"done"  # though more was written than a pipe holds
        text = process.read_stderr()
        assert text.startswith("xxx")
        assert text.endswith("x\n[more is dropped]")
        assert len(text) < 20_100
        assert process.read_stderr() == ""


# ---------------------------------------------------------------- limits


@pytest.mark.sandbox
def test_a_sandboxed_bot_has_a_session_of_its_own_without_a_terminal(tmp_path: Path) -> None:
    with started("import time; time.sleep(60)", tmp_path, "sandbox") as process:
        assert os.getsid(process.pid) == process.pid
        assert os.getsid(process.bot_pid) == process.pid
        for pid in (process.pid, process.bot_pid):  # for want of memory they go before the run
            assert Path(f"/proc/{pid}/oom_score_adj").read_text() == "1000\n"


@both
def test_limits_are_set(tmp_path: Path, level: str) -> None:
    names = ("FSIZE", "NOFILE", "CPU", "DATA", "AS", "STACK", *(("CORE",) if level == "process" else ()))
    code = f"""
import json, resource
print(json.dumps({{name: resource.getrlimit(getattr(resource, "RLIMIT_" + name)) for name in {names}}}), flush=True)
"""
    with started(code, tmp_path, level, BotLimits(memory_mb=300, file_mb=3, files=40, cpu_s=77)) as process:
        found = json.loads(line_of(process))
    data, size, addresses = 300 * MEGABYTE, 3 * MEGABYTE, (4096 + 600) * MEGABYTE
    if level == "process":  # a GPU's driver reserves more
        assert found.pop("AS") == list(resource.getrlimit(resource.RLIMIT_AS))
        assert found.pop("STACK") == list(resource.getrlimit(resource.RLIMIT_STACK))
    else:
        assert found.pop("AS") == [addresses, addresses]
        assert found.pop("STACK")[1] == data
    # the kernel ignores 0 where crashes are piped to a program; in the sandbox nobody may ask
    assert found.pop("CORE", [1, 1]) == [1, 1]
    assert found == {"FSIZE": [size, size], "NOFILE": [40, 40], "CPU": [77, 82], "DATA": [data, data]}


@pytest.mark.parametrize("level", ["process", pytest.param("sandbox", marks=[pytest.mark.sandbox, pytest.mark.slow])])
def test_used_up_processor_time_ends_it_and_is_said(tmp_path: Path, level: str) -> None:
    with started("while True: pass", tmp_path, level, BotLimits(cpu_s=1)) as process:
        with pytest.raises(ProcessEnded) as ended:
            process.receive(soon(120))
        assert ended.value.how == "it was killed by SIGXCPU (its processor time is used up)"
        assert process.close() == ended.value.how


# ---------------------------------------------------------------- starting


@both
def test_the_environment_and_the_folder_are_those_given(tmp_path: Path, level: str) -> None:
    os.environ["ARENA_SECRET"] = "secret"
    try:
        code = "import json; print(json.dumps([dict(os.environ), os.getcwd()]), flush=True)"
        with started(code, tmp_path, level, environment={"PYTHONHASHSEED": "0", "LANG": "C"}) as process:
            environment, folder = json.loads(line_of(process))
    finally:
        del os.environ["ARENA_SECRET"]
    environment.pop("PWD", None)  # bubblewrap's
    environment.pop("LC_CTYPE", None)  # Python's
    assert environment == {"PATH": "/usr/bin:/bin", "HOME": "/tmp", "LANG": "C", "PYTHONHASHSEED": "0"}
    assert folder == str(tmp_path)


@both
def test_no_descriptor_but_the_three_is_passed_on(tmp_path: Path, level: str) -> None:
    secret = os.open(tmp_path, os.O_RDONLY)
    os.set_inheritable(secret, True)
    try:
        code = """
found = []
for number in range(256):
    try:
        os.fstat(number)
        found.append(number)
    except OSError:
        pass
print(found, flush=True)
"""
        with started(code, tmp_path, level) as process:
            assert line_of(process) == "[0, 1, 2]"
    finally:
        os.close(secret)


def test_what_cannot_be_started_is_said(tmp_path: Path) -> None:
    def refused(argv: tuple[str, ...], folder: Path = tmp_path) -> str:
        with pytest.raises(CannotStart) as refusal:
            BotProcess(Launch(argv, folder, "process"))
        return str(refusal.value)

    plain = tmp_path / "plain"
    plain.write_text("no program\n")
    assert refused(("/nowhere/bot", "-x")) == "cannot start /nowhere/bot: No such file or directory"
    assert refused((str(plain),)) == f"cannot start {plain}: Permission denied"
    plain.chmod(0o755)
    assert refused((str(plain),)).startswith(
        f"cannot start {plain}: Exec format error; not executable; a script needs a shebang"
    )
    assert refused((sys.executable,), tmp_path / "gone") == (
        f"cannot start folder {tmp_path / 'gone'}: No such file or directory"
    )


@pytest.mark.slow
def test_starts_and_ends_leave_nothing_open(tmp_path: Path) -> None:
    def descriptors() -> int:
        return len(os.listdir("/proc/self/fd"))

    launch = Launch(("/bin/cat",), tmp_path, "process")
    BotProcess(launch).close()
    before, family = descriptors(), children(os.getpid())
    for number in range(60):
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
