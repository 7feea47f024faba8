"""What a sandboxed process sees, may write, inherits and learns of the machine; no sandbox but a whole one."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest

import arena
from arena.bots.isolation.sandbox import SandboxMissing, SandboxRefused, check_folder, sandboxed
from arena.bots.limits import BotLimits
from tests.bots.isolation.inside import PROGRAM, confined, learn, need_sandbox

READ_ONLY = "OSError 30"


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    """A bot's folder, with a neighbour that is none of its business."""
    folder = tmp_path / "bot"
    folder.mkdir()
    (folder / "bot.py").write_text("answer = 42", encoding="utf-8")
    (tmp_path / "secret.txt").write_text("secret", encoding="utf-8")
    return folder


# ---------------------------------------------------------------- what it sees


@pytest.mark.sandbox
def test_the_file_system_holds_python_the_arena_and_the_bot(bot: Path) -> None:
    """All files and folders are walked over; what was shown on purpose is taken off, and nothing may be left."""
    packages = [entry for entry in sys.path if entry.endswith(("site-packages", "dist-packages"))]
    house = Path(arena.__file__).parent
    code = f"checkout = {str(house.parent)!r}; shown = {[str(house), str(bot), *packages]!r}"
    code += """
shown += ["/proc", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/libx32", "/lib", "/lib32", "/lib64", "/libx32"]
shown += [os.path.join(base, name) for base in (sys.base_prefix, sys.prefix) for name in ("lib", "lib64")]
shown += ["/nix/store", "/gnu/store", *(path for path in sys.path if path not in ("", checkout))]
files = []
for root, folders, names in os.walk("/"):
    folders[:] = [name for name in folders if os.path.join(root, name) not in shown]
    files += [os.path.join(root, name) for name in names]
tell([os.getcwd(), os.listdir(), files, os.listdir(os.path.dirname(os.getcwd()))])
"""
    where, own, files, beside = learn(code, bot)
    assert (where, own, beside) == (str(bot), ["bot.py"], ["bot"])
    rest = [path for path in files if not path.startswith("/dev/") and path != "/etc/ld.so.cache"]
    known = [path for path in rest if "/bin/python" in path or path.endswith((".toml", "/pyvenv.cfg"))]
    assert sorted(set(rest) - set(known)) == []
    assert {os.path.basename(path) for path in rest if path.endswith(".toml")} >= {"iello-base.toml"}


# ---------------------------------------------------------------- what it may do


@pytest.mark.sandbox
def test_it_is_nobody_without_rights_and_sees_nothing_of_ours(bot: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_TOKEN", "secret")
    code = """
lines = dict(line.split(":\\t") for line in open("/proc/self/status").read().splitlines() if ":\\t" in line)
tell([os.getuid(), os.getgid(), {name: int(lines[name], 16) for name in lines if name.startswith("Cap")},
      lines["NoNewPrivs"], lines["Seccomp"], attempt(lambda: os.setuid(0)), os.uname().nodename,
      open("/proc/1/environ").read()])
"""
    user, group, capabilities, *rest, of_the_first = learn(code, bot, **PROGRAM)
    assert (user, group) == (65534, 65534)
    assert len(capabilities) == 5
    assert not any(capabilities.values())
    assert rest == ["1", "2", "OSError 22", "sandbox"]
    assert "secret" not in of_the_first


# ---------------------------------------------------------------- bots in other languages


@pytest.mark.sandbox
def test_a_program_elsewhere_is_refused(bot: Path) -> None:
    need_sandbox()
    with pytest.raises(SandboxRefused, match="put the program there"):
        sandboxed(confined((str(bot.parent / "mybot"),), bot, system=True))


# ---------------------------------------------------------------- refusals


def test_a_folder_with_more_than_a_bot_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "people" / "ann"
    for name in ("Downloads", "bots"):
        (home / name).mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    for folder, reason in (
        (Path("/usr/lib"), "folder of the system"),
        (home, "home folder|folder of the system"),
        (home / "Downloads", "documents of yours"),
        (home / "nowhere", "no folder"),
    ):
        with pytest.raises(SandboxRefused, match=reason):
            check_folder(folder)
    check_folder(home / "bots")


def test_without_bubblewrap_the_sandbox_refuses_with_the_remedy(bot: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(bot))
    with pytest.raises(SandboxMissing, match=r"not installed \(.*bubblewrap.*--isolation process.*your files"):
        sandboxed(confined((sys.executable,), bot))


# ---------------------------------------------------------------- what it learns of the machine


@pytest.mark.sandbox
def test_a_program_learns_nothing_of_what_other_processes_hold(bot: Path) -> None:
    """A figure such as the number of all threads would tell one process of a bot what the other one knows."""
    code = """
def readable(name):
    try:
        return bool(os.listdir(name) if os.path.isdir(name) else open(name, "rb").read(1))
    except OSError:
        return False
names = [name for name in os.listdir("/proc") if not name.isdigit()]
tell([name for name in [*names, "sys/fs"] if readable(f"/proc/{name}")])
"""
    known = {"cpuinfo", "filesystems", "meminfo", "mounts", "net", "self", "stat", "sys", "thread-self", "version"}
    assert {"self", "stat"} <= set(learn(code, bot, **PROGRAM)) <= known


def test_a_python_bot_learns_nothing_of_the_machine_and_of_processes(bot: Path) -> None:
    """What /proc tells of a process tells also what others do: whether they use the same pages of files."""
    code = """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
listed = sorted(os.path.join(root, name) for root, folders, names in os.walk("/proc") for name in names)
tell([listed, [os.path.exists(f"/proc/{name}") for name in ("self", "thread-self", "1", os.getpid())],
      attempt(lambda: open("/proc/new", "w")), attempt(lambda: os.statvfs("/")), attempt(lambda: os.fstatvfs(0)),
      [libc.sysinfo(ctypes.create_string_buffer(256)), ctypes.get_errno()],
      attempt(lambda: os.sched_setaffinity(0, {0})), attempt(lambda: os.nice(5))])
"""
    listed, processes, writing, *calls = learn(code, bot)
    assert listed == ["/proc/cpuinfo", "/proc/meminfo"]
    assert (processes, writing) == ([False] * 4, READ_ONLY)
    assert calls == ["OSError 38", "OSError 38", [-1, 38], "PermissionError 1", "PermissionError 1"]


@pytest.mark.sandbox
@pytest.mark.parametrize("more", [{}, PROGRAM], ids=["python", "other"])
def test_the_memory_of_the_machine_is_the_bots_limit(more: dict[str, Any], bot: Path) -> None:
    told = learn("tell(open('/proc/meminfo').read())", bot, limits=BotLimits(memory_mb=300), **more)
    assert re.findall(r"(Mem\w+): +(\d+) kB", told) == [
        (name, str(300 << 10)) for name in ("MemTotal", "MemFree", "MemAvailable")
    ]
