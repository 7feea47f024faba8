"""What a sandbox tells of the machine, and that programs which ask for it get on."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from arena.bots.limits import BotLimits
from tests.bots.isolation.inside import PROGRAM, confined, learn, run

pytestmark = pytest.mark.sandbox

READ_ONLY = "OSError 30"


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    (tmp_path / "bot.py").write_text("answer = 42", encoding="utf-8")
    return tmp_path


def test_proc_shows_two_processes(bot: Path) -> None:
    code = """
numbers = [int(name) for name in os.listdir("/proc") if name.isdigit()]
tell([sorted(numbers), os.getpid(), os.getppid(), attempt(lambda: open("/proc/sys/kernel/hostname", "w"))])
"""
    numbers, own, parent, writing = learn(code, bot, **PROGRAM)
    assert len(numbers) == 2
    assert numbers == sorted([own, parent])
    assert writing == READ_ONLY


def test_a_python_bot_sees_nothing_of_processes(bot: Path) -> None:
    """What /proc tells of a process tells also what others do: whether they use the same pages of files."""
    code = """
listed = sorted(os.path.join(root, name) for root, folders, names in os.walk("/proc") for name in names)
tell([listed, [os.path.exists(f"/proc/{name}") for name in ("self", "thread-self", "1", os.getpid())],
      attempt(lambda: open("/proc/new", "w"))])
"""
    listed, processes, writing = learn(code, bot)
    assert listed == ["/proc/cpuinfo", "/proc/meminfo"]
    assert (processes, writing) == ([False] * 4, READ_ONLY)


@pytest.mark.parametrize("more", [{}, PROGRAM], ids=["python", "other"])
def test_the_memory_of_the_machine_is_the_bots_limit(more: dict[str, Any], bot: Path) -> None:
    told = learn("tell(open('/proc/meminfo').read())", bot, limits=BotLimits(memory_mb=300), **more)
    assert re.findall(r"(Mem\w+): +(\d+) kB", told) == [
        (name, str(300 << 10)) for name in ("MemTotal", "MemFree", "MemAvailable")
    ]


def test_what_the_machine_counts_is_not_told_by_calls_either(bot: Path) -> None:
    code = """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
tell([attempt(lambda: os.statvfs("/")), attempt(lambda: os.fstatvfs(0)),
      [libc.sysinfo(ctypes.create_string_buffer(256)), ctypes.get_errno()]])
"""
    assert learn(code, bot) == ["OSError 38", "OSError 38", [-1, 38]]


@pytest.mark.parametrize(
    ("program", "arguments", "said"),
    [
        (
            "node",
            ("-e", "const os=require('os');console.log(os.totalmem(),os.cpus().length>0,process.execPath)"),
            r"1073741824 true /.*node\n",
        ),
        ("java", ("-Xmx200m", "-version"), ""),
        ("perl", ("-e", "print $$"), r"2"),
        ("free", ("-m",), r"(?s).*Mem: +1024 +0 +1024 .*"),
        ("cp", ("bot.py", "/dev/null"), ""),
        ("touch", ("/dev/null",), ""),
    ],
    ids=lambda value: value if isinstance(value, str) and value.isalpha() else "",
)
def test_programs_that_ask_for_the_machine_get_on(
    program: str, arguments: tuple[str, ...], said: str, bot: Path
) -> None:
    path = shutil.which(program)
    if path is None or not os.path.realpath(path).startswith("/usr/"):
        pytest.skip(f"there is no {program} in /usr")
    ended = run(confined((path, *arguments), bot, system=True))
    assert ended.returncode == 0, ended.stderr
    assert re.fullmatch(said, ended.stdout), ended.stdout
