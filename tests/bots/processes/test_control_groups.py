"""Control groups: found in trees of version 2, which here are folders; and made where this machine lets us."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from arena.bots.processes import control_groups
from arena.bots.processes.control_groups import NO_GROUPS, RUNNER, Bounds, ControlGroups, NoGroups, find, require_groups
from tests.bots.processes.waiting import wait_for

WIDE_PIPES = """
import fcntl, os, resource
most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
while True:
    _, end = os.pipe()
    fcntl.fcntl(end, fcntl.F_SETPIPE_SZ, 1 << 20)
    os.write(end, bytes(1 << 20))
"""
BOUNDS = Bounds(memory=96 << 20, processes=12)
FILES = ("cgroup.procs", "cgroup.controllers", "cgroup.subtree_control")


@pytest.fixture
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tree of version 2 whose files do what the kernel's do, seen by an ordinary user."""

    def write(path: Path, text: str) -> None:
        if path.name == "cgroup.subtree_control":
            if (path.parent / "cgroup.procs").read_text().split():
                raise OSError(errno.EBUSY, "busy", str(path))
            path.write_text(f"{path.read_text()} {text[1:]}")
        elif path.name == "cgroup.procs":
            for other in tmp_path.rglob("cgroup.procs"):
                other.write_text("\n".join(pid for pid in other.read_text().split() if pid != text))
            path.write_text(f"{path.read_text() if path.exists() else ''}\n{text}")
        else:
            path.write_text(text)

    def removed(folder: Path) -> bool:
        for file in folder.glob("*"):
            file.unlink()
        folder.rmdir()
        return True

    monkeypatch.setattr(control_groups, "_write", write)
    monkeypatch.setattr(control_groups, "_removed", removed)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    return tmp_path


def group(folder: Path, controllers: str = "", processes: str = "", enabled: str = "") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in zip(FILES, (processes, controllers, enabled), strict=True):
        (folder / name).write_text(text)
    return folder


def mounted(point: Path, root: str = "/") -> str:
    return f"32 31 0:29 {root} {point} rw,relatime shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"


def test_a_group_that_was_handed_over_moves_its_processes_and_bounds_each_bot(kernel: Path) -> None:
    scope = group(kernel / "user.slice" / "run-1.scope", "cpuset cpu io memory pids", "41\n42\n")
    group(scope / RUNNER)
    found = find("0::/user.slice/run-1.scope\n", mounted(kernel))
    assert found == ControlGroups(scope, ("memory", "pids", "cpu"))
    assert (scope / "cgroup.subtree_control").read_text().split() == ["memory", "pids", "cpu"]
    assert (scope / RUNNER / "cgroup.procs").read_text().split() == ["41", "42"]
    made = found.make(BOUNDS)
    folder = made._folder
    settings = {path.name: path.read_text() for path in folder.iterdir()}
    assert settings == {
        "memory.max": str(96 << 20),
        "memory.swap.max": "0",
        "memory.oom.group": "1",
        "pids.max": "12",
        "cpu.max": "100000 100000",
    }
    (folder / "memory.events").write_text("oom 1\noom_kill 0\n")
    assert not made.killed()
    (folder / "memory.events").write_text("oom 1\noom_kill 2\n")
    assert made.killed()
    assert made.remove()
    assert not folder.exists()


def test_a_worker_whose_runner_was_moved_finds_the_same_place(kernel: Path) -> None:
    scope = group(kernel / "run-1.scope", "memory pids", "", "memory pids")
    group(scope / RUNNER, "memory pids", "41")
    assert find(f"0::/run-1.scope/{RUNNER}\n", mounted(kernel)) == ControlGroups(scope, ("memory", "pids"))


def test_a_container_shows_its_part_of_the_tree(kernel: Path) -> None:
    group(kernel, "memory", "1")
    group(kernel / RUNNER)
    assert find("0::/docker/7\n", mounted(kernel, "/docker/7")) == ControlGroups(kernel, ("memory",))


def test_what_another_process_has_left_is_swept_and_what_is_in_use_stays(kernel: Path) -> None:
    scope = group(kernel / "a.scope", "memory", "", "memory")
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    left, used = scope / f"arena-{ended.pid}-3", scope / f"arena-{os.getppid()}-1"
    for folder in (left, used):
        folder.mkdir()
    find("0::/a.scope\n", mounted(kernel))
    assert (left.exists(), used.exists()) == (False, True)


@pytest.mark.parametrize(
    ("own", "controllers", "root", "why"),
    [
        ("4:memory:/x\n", "memory", "/", "no tree of control groups of version 2"),
        ("0::/a.scope\n", "pids", "/", "no memory controller"),
        ("0::/b.scope\n", "memory", "/a.scope", "is not shown below"),
    ],
)
def test_why_there_are_none_is_said(kernel: Path, own: str, controllers: str, root: str, why: str) -> None:
    group(kernel / "a.scope", controllers)
    with pytest.raises(NoGroups, match=why):
        find(own, mounted(kernel, root))


def test_what_was_not_handed_over_is_left_alone(kernel: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scope = group(kernel / "a.scope", "memory", "41")
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(NoGroups, match="Delegate=yes"):
        find("0::/a.scope\n", mounted(kernel))
    assert sorted(path.name for path in scope.iterdir()) == sorted(FILES)


def test_root_makes_them_at_the_top(kernel: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    group(kernel, "memory", "", "memory")
    scope = group(kernel / "a.scope", "memory", "41")
    group(scope / RUNNER)
    assert find("0::/a.scope\n", mounted(kernel)) == ControlGroups(kernel, ("memory",))
    assert (scope / "cgroup.procs").read_text() == "41"


def test_they_can_be_switched_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(NO_GROUPS, "1")
    assert control_groups.groups() is None
    with pytest.raises(NoGroups, match=NO_GROUPS):
        require_groups()


# ---------------------------------------------------------------- of this machine


@pytest.fixture
def real() -> ControlGroups:
    try:
        return require_groups()
    except NoGroups as why:
        pytest.skip(f"no control groups can be made here: {why}")


def ended_in(groups: ControlGroups, code: str) -> tuple[int, bool]:
    """The exit code of a Python program in a group, and whether the kernel has killed it for its memory."""
    made = groups.make(BOUNDS)
    try:
        code = subprocess.run([sys.executable, "-I", "-S", "-c", code], preexec_fn=made.enter, timeout=60).returncode
        return code, made.killed()
    finally:
        assert wait_for(made.remove)  # its last processes may still be on their way out


@pytest.mark.sandbox
def test_memory_in_the_kernel_is_counted_and_ends_the_process(real: ControlGroups) -> None:
    assert ended_in(real, "bytearray(32 << 20)") == (0, False)
    assert ended_in(real, "x = bytearray(200 << 20)") == (-9, True)
    code, killed = ended_in(real, WIDE_PIPES)
    assert killed == (code == -9)  # an ordinary user's pipes are few
    assert code


@pytest.mark.sandbox
def test_processes_are_counted(real: ControlGroups) -> None:
    if "pids" not in real.controllers:
        pytest.skip("there is no controller of processes")
    code = """
import os, signal, sys
started = []
try:
    for _ in range(40):
        started.append(os.fork())
        if not started[-1]:
            signal.pause()
except BlockingIOError:
    for pid in started:
        os.kill(pid, 9)
    sys.exit(len(started))
"""
    assert ended_in(real, code) == (11, False)
