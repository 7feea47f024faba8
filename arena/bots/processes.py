"""Processes of this system: looking at them, tying them to their parent, pinning them to cores, ending them.

What is known of processes comes from /proc (Linux, `man 5 proc`); elsewhere nothing is known. psutil would do the
same, but it finds children by reading the entry of every process of the machine (3 ms among 120 processes, where
`/proc/PID/task/*/children` takes 0.05 ms), workers ask every 20 ms, and its import would add 60 ms to each start.
"""

from __future__ import annotations

import contextlib
import ctypes
import mmap
import multiprocessing.context
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Collection
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

from arena.paths import PACKAGE

KILL: int = getattr(signal, "SIGKILL", signal.SIGTERM)
"""The signal that ends a process for good; Windows has only the other one, which does the same there."""


def read_text(path: str) -> str:
    """The text of a file; empty if there is none or it cannot be read."""
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def children(pid: int) -> list[int]:
    """The children of all threads of a process; it and they may end meanwhile."""
    pids: list[int] = []
    with contextlib.suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            pids += map(int, read_text(f"/proc/{pid}/task/{thread}/children").split())
    return pids


def descendants(pid: int) -> list[int]:
    """All processes below a process; those whose parent has ended are not found."""
    pids = children(pid)
    for child in pids:  # grows meanwhile
        pids += children(child)
    return pids


def has_children(known: Collection[int] = ()) -> bool:
    """True if this process has children, running or ended and not waited for, besides the `known` ones.

    With `known`, only those of the calling thread are looked at. Workers ask this every 20 ms.
    """
    if not hasattr(os, "waitid"):
        return False
    if known:
        pids = read_text(f"/proc/self/task/{threading.get_native_id()}/children").split()
        return any(int(pid) not in known for pid in pids)
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def start_time(pid: int) -> str:
    """When a process was started, in clock ticks since boot; empty if it has ended or that is not known.

    Together with the PID it tells a process from a later one that was given the same PID.
    """
    fields = _stat(pid)
    return "" if not fields or fields[0] in "ZX" else fields[19]  # killed, and nobody has waited for it


def is_running(pid: int) -> bool:
    """True if there is a process with this PID that has not ended."""
    return bool(start_time(pid))


def _stat(pid: int | str) -> list[str]:
    """The fields of /proc/PID/stat from the third, the state, on; empty if there is no such process."""
    return read_text(f"/proc/{pid}/stat").rpartition(")")[2].split()


def status_mb(pid: int, field: str) -> float | None:
    """A size in /proc/PID/status, such as `VmHWM` (peak memory) or `VmRSS` (memory now), in MB."""
    for line in read_text(f"/proc/{pid}/status").splitlines():
        name, _, rest = line.partition(":")
        if name == field:
            return int(rest.split()[0]) / 1024
    return None


def memory_in_use() -> int:
    """Bytes of memory that this process occupies; 0 if that is not known."""
    return _statm(1)


def data_in_use() -> int:
    """Bytes of this process that count towards the limit on data; 0 if that is not known."""
    return _statm(5)


def _statm(field: int) -> int:
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[field]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


# man 2 prctl
PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36


def prctl() -> Callable[..., int] | None:
    """The call of Linux, None elsewhere. Look it up before a fork: the child could find the loader's lock held."""
    if sys.platform != "linux":
        return None
    try:
        function: Callable[..., int] = ctypes.CDLL(None, use_errno=True).prctl
    except (OSError, AttributeError):
        return None
    return function


def tie_to_parent(parent: int, number: int = KILL) -> Callable[[], bool]:
    """A function that has the kernel end the process that calls it, with a signal, when `parent` ends; False if it
    cannot.

    To be made before a fork and called in the child.
    """
    call = prctl()

    def set_signal() -> bool:
        if call is None or call(PR_SET_PDEATHSIG, number, 0, 0, 0) != 0:
            return False
        if os.getppid() != parent:  # it ended before the call
            os._exit(1)
        return True

    return set_signal


def lead_group() -> None:
    """Make this process the leader of a process group, so that what its bots start can be killed with it."""
    if hasattr(os, "setpgid"):
        with contextlib.suppress(OSError):
            os.setpgid(0, 0)


def send_signal(pid: int, number: int) -> None:
    """Send a signal to a process that may be gone already."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def send_group_signal(pid: int, number: int) -> None:
    """Send a signal to what is left of the group that a process leads, or led."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, number)


def kill_group(pid: int) -> None:
    """Kill what is left of the group that a process led."""
    send_group_signal(pid, KILL)


def kill_with_group(pid: int) -> None:
    """Kill a process that was not waited for yet, and its group."""
    kill_group(pid)
    send_signal(pid, KILL)


def exit_text(code: int | None, who: str = "it") -> str:
    """An exit code in words, as Python reports it: a signal is its negative number.

    >>> exit_text(-9), exit_text(3, "the process")
    ('it was killed by SIGKILL', 'the process ended itself with exit code 3')
    """
    if code is None or code >= 0:
        return f"{who} ended itself with exit code {code}"
    name = str(-code)
    with contextlib.suppress(ValueError):
        name = signal.Signals(-code).name
    return f"{who} was killed by {name}"


def end_descendants(pid: int, patience_s: float = 2.0) -> None:
    """Kill everything below a process of ours, even if it keeps starting new processes.

    The process itself is stopped meanwhile and must be killed next. What has left its parents is found only if the
    process adopts orphans (`adopt_orphans`).
    """
    if sys.platform == "win32":
        return  # nothing is known of them
    send_signal(pid, signal.SIGSTOP)
    deadline = time.monotonic() + patience_s
    while (left := [child for child in descendants(pid) if is_running(child)]) and time.monotonic() < deadline:
        for child in left:
            send_signal(child, KILL)
        time.sleep(0.001)


def adopt_orphans(adopt: bool = True) -> None:
    """Become the parent of descendants whose own parent has ended (a subreaper, Linux), or stop being it."""
    if (call := prctl()) is not None:
        call(PR_SET_CHILD_SUBREAPER, int(adopt), 0, 0, 0)


def kill_orphans(known: Collection[int]) -> list[int]:
    """Kill all children of this process but the `known` ones; those that had not ended by themselves.

    For a process that adopts orphans (`adopt_orphans`): they are what bots have left behind.
    """
    killed = []
    for pid in children(os.getpid()):
        if pid not in known:
            if is_running(pid):
                killed.append(pid)
            with contextlib.suppress(ProcessLookupError, PermissionError, ChildProcessError):
                os.kill(pid, KILL)
                os.waitpid(pid, 0)
    return killed


# ---------------------------------------------------------------- who comes first


_SESSION = "/proc/self/autogroup"


def behind(parent: int, by: int, number: int = KILL) -> Callable[[], None]:
    """What a process does before it begins that comes `by` steps of nice behind `parent`, and ends with it.

    `number` is the signal that ends it. To be made before a fork and called in the child.
    """
    tie = tie_to_parent(parent, number)

    def prepare() -> None:
        os.nice(by)
        stay_behind()
        tie()

    return prepare


def stay_behind() -> None:
    """Called in a process that has begun a session: let it come as late as its parent did.

    Linux shares cores between sessions, each counting the same however nice its processes are (sched_autogroup, man 7
    sched), so a nice process in a session of its own has to say so once more.
    """
    nice = os.nice(0)
    if nice > 0:
        # a kernel without it, or one that was asked too often
        with contextlib.suppress(OSError), open(_SESSION, "w") as out:
            out.write(str(nice))


fork_lock = threading.RLock()
"""Held by a thread while no process must be forked by another one."""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=fork_lock.acquire, after_in_parent=fork_lock.release, after_in_child=fork_lock.release)


_START = (
    "import runpy, sys; sys.path.insert(0, sys.argv.pop(1)); sys.argv.pop(0);"
    " runpy.run_module(sys.argv[0], run_name='__main__', alter_sys=True)"
)


def command_of(module: str, *words: str) -> list[str]:
    """The command that runs a module of this program.

    Unlike `python -m`, it finds nothing in the working directory, which may be a folder of strangers' files.
    """
    return [sys.executable, "-P", "-c", _START, str(PACKAGE.parent), module, *words]


def die_with_parent(parent: int) -> None:
    """Have this process killed when its parent ends, however that ends.

    On Linux the kernel does it. Elsewhere a thread waits for the end of the parent, if multiprocessing started this
    process; it cannot act while C code holds the interpreter lock, and the process ends right after that.

    For the kernel, the parent ends with the thread that made this process, so that thread must live as long as the
    process is wanted.
    """
    starter = multiprocessing.parent_process()
    if not tie_to_parent(parent)() and starter is not None:
        threading.Thread(target=_exit_with, args=(starter.sentinel,), name="parent watcher", daemon=True).start()


def _exit_with(parent: int) -> None:
    with contextlib.suppress(OSError):
        wait([parent])
    os._exit(1)


def forget_descriptors(*kept: int) -> None:
    """Let all descriptors that a forked process has inherited, but the standard ones and those `kept`, lead nowhere.

    Else a bot that writes to a wrong number writes to the database of the run. They are not closed: objects of the
    parent's are still there, and at their end would close what has got their numbers since.
    """
    forked = getattr(multiprocessing.context, "ForkProcess", ())  # Windows has none
    if not isinstance(multiprocessing.current_process(), forked):
        return
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in map(int, os.listdir("/dev/fd")):
        with contextlib.suppress(OSError):
            if number > 2 and number not in (*kept, nowhere) and os.fstat(number):
                os.dup2(nowhere, number, inheritable=False)
    os.close(nowhere)


def keep_from_forks(memory: Any) -> None:
    """Let `memory`, shared with the parent, not be there in processes forked from this one, where the system can.

    A bot that forks and forgets to end the copy would go on playing in it, and write into the same memory: so the copy
    dies when it returns to our code.
    """
    if sys.platform == "linux":
        page = mmap.PAGESIZE
        start = ctypes.addressof(memory) // page * page
        end = ctypes.addressof(memory) + ctypes.sizeof(memory)
        ctypes.CDLL(None).madvise(ctypes.c_void_p(start), ctypes.c_size_t(end - start), mmap.MADV_DONTFORK)


def widen_pipe(end: int, size: int = 1 << 20) -> None:
    """Let a pipe hold `size` bytes, where the system allows it: fewer turns for large messages."""
    if sys.platform == "linux":
        import fcntl

        with contextlib.suppress(OSError):
            fcntl.fcntl(end, fcntl.F_SETPIPE_SZ, size)


NO_PINNING = "ARENA_NO_PINNING"
"""Environment variable: if it is set, nothing is pinned."""

_ADDRESS = "\0schotten-arena/core/"
_held: socket.socket | None = None


def usable_cores() -> list[int]:
    """The cores that this process may use; empty where the system does not tell."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []


def core_count() -> int:
    """The number of cores that this process may use."""
    return len(usable_cores()) or os.cpu_count() or 1


def core_held(core: int) -> bool:
    """True if some process of this machine, perhaps this one, holds a core."""
    holder = _bound(core)
    if holder is not None:
        holder.close()
    return holder is None


def pin_to_core(number: int | None = None) -> bool:
    """Pin this process, and the children it starts from now on, to a core that nobody holds; was there one?

    Worker `number` of this machine begins to look at the core of that number; None: at the current one. If
    `ARENA_NO_PINNING` is set, nothing is pinned.
    """
    global _held
    if os.environ.get(NO_PINNING) or sys.platform != "linux":
        return False
    cores = usable_cores()
    with contextlib.suppress(OSError, ValueError, IndexError):
        # from the core on that this process runs on
        first = cores.index(int(_stat("self")[36])) if number is None else number % len(cores)
        for core in (*cores[first:], *cores[:first]):
            if (holder := _bound(core)) is not None:
                _held = holder
                os.sched_setaffinity(0, {core})
                return True
    return False


def _bound(core: int) -> socket.socket | None:
    """What holds a core; None if a process does already."""
    holder = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    try:
        holder.bind(f"{_ADDRESS}{core}")
    except OSError:
        holder.close()
        return None
    return holder
