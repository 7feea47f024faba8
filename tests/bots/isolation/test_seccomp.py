"""The system call filter: its program on a small machine of our own, and in the kernel around a real process."""

from __future__ import annotations

import ctypes
import errno
import functools
import platform
import struct
import sys
from pathlib import Path

import pytest

from arena.bots.isolation.seccomp import ALLOW, FORBIDDEN, KILL_PROCESS, PRETENDED, UNKNOWN, filter_program, has_filter
from tests.bots.isolation.inside import confined, learn, run

pytestmark = pytest.mark.sandbox

EPERM, ENOSYS, DONE = 0x50000 | errno.EPERM, 0x50000 | errno.ENOSYS, 0x50000
ENOPROTOOPT = 0x50000 | errno.ENOPROTOOPT
EINVAL, ENOTTY = 0x50000 | errno.EINVAL, 0x50000 | errno.ENOTTY
AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
FORBIDDEN_NAMES = " ".join(FORBIDDEN).split()
UNKNOWN_NAMES = " ".join(UNKNOWN).split()


@pytest.fixture(autouse=True)
def _libseccomp() -> None:
    try:
        ctypes.CDLL("libseccomp.so.2")
    except OSError:
        pytest.skip("needs libseccomp")
    if not has_filter():
        pytest.skip("there is no filter for this machine")


@functools.cache
def number_of(name: str) -> int:
    """The number of a call on this machine, negative if it has none."""
    return int(ctypes.CDLL("libseccomp.so.2").seccomp_syscall_resolve_name(name.encode()))


@functools.cache
def instructions() -> list[tuple[int, int, int, int]]:
    return list(struct.iter_unpack("=HBBI", filter_program()))


def judge(number: int, *arguments: int, audit: int | None = None) -> int:
    """What the filter answers, worked out by following its program as the kernel does (`man 2 bpf`, classic)."""
    padded = (*arguments, *[0] * (6 - len(arguments)))
    data = struct.pack("=IIQ6Q", number, AUDIT[platform.machine()] if audit is None else audit, 0, *padded)
    program = instructions()
    at = value = 0
    while True:
        code, then, otherwise, k = program[at]
        at += 1
        if code == 0x20:
            value = int.from_bytes(data[k : k + 4], sys.byteorder)
        elif code == 0x05:
            at += k
        elif code == 0x54:
            value &= k
        elif code == 0x06:
            return k
        else:
            holds = {0x15: value == k, 0x25: value > k, 0x35: value >= k}[code]
            at += then if holds else otherwise


def test_each_call_gets_the_answer_of_the_lists() -> None:
    for names, answer in ((FORBIDDEN_NAMES, EPERM), (PRETENDED.split(), DONE), (UNKNOWN_NAMES, ENOSYS)):
        for name in names:
            assert number_of(name) < 0 or judge(number_of(name)) == answer, name
    for name in ("read", "write", "futex", "execve", "kill", "close_range", "faccessat2", "epoll_pwait2"):
        assert judge(number_of(name)) == ALLOW, name
    for number in (425, 428, 434, 435, 437, 444, 450, 451, 512):
        assert judge(number) == ENOSYS


def test_calls_of_another_processor_and_the_second_set_of_x86_64_end_the_process() -> None:
    for audit in (0x40000003, 0x40000028, 0):  # i386, arm
        assert judge(8, audit=audit) == KILL_PROCESS
    if platform.machine() == "x86_64":
        for number in (0x40000000, 0x40000000 | 57, 0x7FFFFFFF):
            assert judge(number) == KILL_PROCESS


THREAD = 0x3D0F00  # what pthread_create asks for
FORK = 0x01200011  # what fork of the C library asks for


JUDGED = {
    # fork, vfork, CLONE_NEWUSER, CLONE_NEWNS, CLONE_PTRACE; the kernel looks at the low half
    ("clone", ALLOW): [(THREAD,)],
    ("clone", EPERM): [
        *[(FORK,), (0x4111,), (FORK | 0x10000 << 32,)],
        *[(THREAD | flag,) for flag in (0x10000000, 0x20000, 0x2000)],
    ],
    # private, or a file; not shared and anonymous, MAP_SHARED_VALIDATE, MAP_GROWSDOWN, MAP_HUGETLB
    ("mmap", ALLOW): [(0, 4096, 3, 0x22), (0, 4096, 1, 0x01)],
    ("mmap", EPERM): [(0, 4096, 3, flags) for flags in (0x21, 0x23, 0x122, 0x40022)],
    ("socketpair", ALLOW): [(1, 1)],
    ("socketpair", EPERM): [(2, 1), (1 << 32 | 2, 1)],
    # SO_ERROR, SO_PEERCRED; not SO_COOKIE, SO_NETNS_COOKIE
    ("getsockopt", ALLOW): [(3, 1, 4), (3, 1, 17), (3, 6, 57)],
    ("getsockopt", ENOPROTOOPT): [(3, 1, 57), (3, 1, 71), (3, 1 << 32 | 1, 1 << 32 | 57)],
    # the descriptor may have any number; F_DUPFD_CLOEXEC, F_GET_SEALS
    ("fcntl", ALLOW): [(0, 1), (1031, 3), (0, 36), (0, 1030), (0, 1034)],
    # F_SETSIG, and to be told when files of a folder are read
    ("fcntl", EPERM): [(0, command) for command in (10, 1024, 1026, 1031)],
    ("fcntl", DONE): [(0, command) for command in (6, 7, 37, 38)],
    # hints and later ones
    ("fcntl", EINVAL): [(0, command) for command in (1035, 1036, 1037, 1038, 1040, 1 << 32 | 1036)],
    # FIONREAD, FIONBIO, FIOCLEX; not FS_IOC_FIEMAP, EXT4_IOC_GETSTATE
    ("ioctl", ALLOW): [(0, request) for request in (0x5401, 0x541B, 0x5421, 0x5451)],
    ("ioctl", ENOTTY): [(0, request) for request in (0x53FF, 0x5500, 0xC020660B, 0x6629, 1 << 32 | 0x6629)],
    ("ioctl", EPERM): [(0, request) for request in (0x5412, 0x541C, 1 << 32 | 0x5412)],
    ("madvise", ALLOW): [(0, 4096, advice) for advice in (0, 1, 2, 4, 8, 9, 10, 15, 16, 22, 23)],
    ("madvise", DONE): [(0, 4096, advice) for advice in (3, 12, 14, 20, 21, 25)],
    ("prctl", ALLOW): [(15,)],  # PR_SET_NAME
    ("prctl", EPERM): [(62,), (67,)],
    ("setrlimit", ALLOW): [(7,)],
    ("setrlimit", EPERM): [(4,)],  # RLIMIT_CORE
    ("prlimit64", EPERM): [(0, 4)],
    ("utimensat", DONE): [(0, 0, 0, 0)],  # futimens
    ("utimensat", EPERM): [(0, 4096, 0, 0)],
}


@pytest.mark.parametrize(("name", "answer"), JUDGED)
def test_calls_that_are_judged_by_their_arguments(name: str, answer: int) -> None:
    for arguments in JUDGED[name, answer]:
        assert judge(number_of(name), *arguments) == answer, arguments


def test_each_forbidden_call_fails_in_a_sandbox(tmp_path: Path) -> None:
    called = {name: number_of(name) for name in (*FORBIDDEN_NAMES, *UNKNOWN_NAMES) if number_of(name) >= 0}
    code = f"""
import ctypes
call = ctypes.CDLL(None, use_errno=True).syscall
own = os.getpid()
found = {{}}
for name, number in {called}.items():
    ctypes.set_errno(0)
    result = call(number, *[ctypes.c_long(-1)] * 6)
    if os.getpid() != own:
        os._exit(0)
    found[name] = ctypes.get_errno() if result == -1 else result
tell(found)
"""
    expected = {name: errno.ENOSYS if name in UNKNOWN_NAMES else errno.EPERM for name in called}
    assert learn(code, tmp_path) == expected


def test_threads_work_and_processes_do_not(tmp_path: Path) -> None:
    code = """
import asyncio, threading, subprocess
found = []
threads = [threading.Thread(target=found.append, args=(n,)) for n in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
async def hello(): return await asyncio.sleep(0, "asyncio")
tell({
    "threads": sorted(found), "asyncio": asyncio.run(hello()), "fork": attempt(os.fork),
    "vfork": attempt(lambda: subprocess.run(["/bin/true"])),
    "spawn": attempt(lambda: os.posix_spawn(sys.executable, ["python"], {})),
})
"""
    assert learn(code, tmp_path) == {
        "threads": list(range(8)),
        "asyncio": "asyncio",
        "fork": "PermissionError 1",
        "vfork": "PermissionError 1",
        "spawn": "PermissionError 1",
    }


def test_another_program_is_below_the_same_filter(tmp_path: Path) -> None:
    """Why `execve` may stay allowed."""
    inner = "import os\ntry: os.fork()\nexcept PermissionError: print('\"still forbidden\"')"
    code = f"os.execv(sys.executable, [sys.executable, '-I', '-S', '-c', {inner!r}])"
    assert learn(code, tmp_path) == "still forbidden"


def test_the_second_set_of_calls_kills_in_the_kernel(tmp_path: Path) -> None:
    if platform.machine() != "x86_64":
        pytest.skip("this machine has one set of calls")
    code = "import ctypes; ctypes.CDLL(None).syscall(0x40000000 | 39); print('alive')"
    ended = run(confined((sys.executable, "-I", "-S", "-c", code), tmp_path))
    assert (ended.returncode, ended.stdout) == (128 + 31, "")  # SIGSYS
