"""Helpers for processes: identity, ending what others have started, which comes first, and cores to themselves."""

from __future__ import annotations

import contextlib
import math
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.bots import cores
from arena.bots.cores import NO_PINNING, core_held, lower_priority, usable_cores
from arena.bots.processes import children, descendants, end_descendants, has_children, is_running
from tests.bots.processes.waiting import wait_for

linux = pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
SLEEPER = "import time; time.sleep(60)"


@linux
def test_a_process_runs_until_it_is_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", SLEEPER]) as process:
        assert is_running(process.pid)
        assert process.pid in children(os.getpid())
        assert has_children()
        process.kill()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # its exit code is still there
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
        preexec_fn=lower_priority(os.getpid(), 3),
    ).stdout.split()
    nice = min(os.nice(0) + 3, 19)
    assert out[0] == str(nice)
    if sys.platform == "linux" and Path("/proc/self/autogroup").exists() and os.geteuid() == 0:
        assert out[-1] == str(nice)


# ---------------------------------------------------------------- cores that nobody holds, at names of the tests' own


@pytest.fixture
def address(monkeypatch: pytest.MonkeyPatch) -> str:
    """Another than that of runs, which may be under way on this machine."""
    found = f"\0arena-test/{random.getrandbits(64)}/"
    monkeypatch.setattr(cores, "_ADDRESS", found)
    monkeypatch.delenv(NO_PINNING, raising=False)
    return found


@contextlib.contextmanager
def worker(address: str, place: int) -> Iterator[list[int]]:
    """A process of another run that is pinned as a worker is; the cores that it may use then."""
    code = f"""
from arena.bots import cores
cores._ADDRESS = {address!r}
cores.pin_to_core({place})
print(*cores.usable_cores(), flush=True)
input()
"""
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        yield [int(core) for core in process.stdout.readline().split()]
        process.kill()


@linux
def test_nothing_is_pinned_if_that_is_off(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(NO_PINNING, "1")
    with worker(address, 0) as late:
        assert late == usable_cores()


@linux
def test_the_first_workers_of_two_runs_take_two_cores(address: str) -> None:
    usable = usable_cores()
    if len(usable) < 2:
        pytest.skip("there is one core")
    with worker(address, 0) as one, worker(address, 0) as other:
        assert one == usable[:1]
        assert other == usable[1:2]
    assert not any(map(core_held, usable))  # freed with the process


# ---------------------------------------------------------------- quotas of control groups


V1 = {
    "cpu.cfs_quota_us": "150000\n",
    "cpu.cfs_period_us": "100000\n",
}
QUOTAS: list[tuple[str, dict[str, str], float]] = [
    ("", {}, math.inf),  # not Linux
    ("0::/\n", {}, math.inf),
    ("0::/\n", {"cpu.max": "max 100000\n"}, math.inf),
    ("0::/\n", {"cpu.max": "50000 100000\n"}, 0.5),  # in a container with a namespace of its own
    ("0::/a/b\n", {"cpu.max": "max 100000\n", "a/cpu.max": "250000 100000\n", "a/b/cpu.max": "max 100000\n"}, 2.5),
    ("0::/a/b\n", {"a/cpu.max": "100000 100000\n", "a/b/cpu.max": "400000 100000\n"}, 1),
    ("0::/a/b\n", {"a/cpu.max": "400000 100000\n", "a/b/cpu.max": "100000 50000\n", "c/cpu.max": "1 100000\n"}, 2),
    ("0::/../other\n", {"cpu.max": "200000 100000\n"}, 2),
    ("0::/a:b\n", {"a:b/cpu.max": "200000 100000\n"}, 2),
    ("3:cpuset:/\n2:cpu,cpuacct:/docker/1\n", {f"cpu/{name}": text for name, text in V1.items()}, 1.5),
    ("2:cpu:/a\n0::/a\n", {f"cpu/a/{name}": text for name, text in V1.items()}, 1.5),
    ("2:cpu:/\n", {"cpu/cpu.cfs_quota_us": "-1\n", "cpu/cpu.cfs_period_us": "100000\n"}, math.inf),
]


@pytest.mark.parametrize(("groups", "files", "expected"), QUOTAS)
def test_a_quota_is_the_least_of_a_group_and_those_around_it(
    groups: str, files: dict[str, str], expected: float, tmp_path: Path
) -> None:
    for name, text in {"proc/self/cgroup": groups, **{f"sys/fs/cgroup/{name}": files[name] for name in files}}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert cores.core_quota(str(tmp_path)) == expected
