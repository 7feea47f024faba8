"""Control groups of version 2: bounds for a process and all below it that count the kernel's memory, too.

One folder of one tree holds all controllers; a group may have either processes or groups with
controllers, so the processes of the group that this one runs in move into a group of their own, `arena-runner`. That is
done in a group that was handed over to its user (`Delegate=yes` of systemd, a container of its own); root makes groups
at the top of the tree, as containers do.

Sources: `Documentation/admin-guide/cgroup-v2.rst` of Linux; systemd, `CGROUP_DELEGATION.md`.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import itertools
import os
import re
import signal
import time
from dataclasses import dataclass
from pathlib import Path

from arena.bots.processes.procfs import is_running, read_text
from arena.errors import ArenaError

NO_GROUPS = "ARENA_NO_CONTROL_GROUPS"
"""Environment variable: if it is set, no control groups are made."""
RUNNER = "arena-runner"
_NAME = re.compile(r"arena-(\d+)-\d+")  # with the PID of the process that has made it
_WANTED = ("memory", "pids", "cpu")  # without the first, there is no use in the others
_PERIOD_US = 100_000
_MOST_MOVES = 5  # processes may be started meanwhile
_DYING_S, _LOOK_S = 2.0, 0.002  # killed processes leave their groups within a moment


class NoGroups(ArenaError):
    """No control groups can be made here; the message says why."""


@dataclass(frozen=True)
class Bounds:
    """What a group may use: bytes of memory, processes and threads together, processors."""

    memory: int
    processes: int
    processors: int = 1


class ControlGroup:
    """A group for one process and what it starts."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._entry = str(folder / "cgroup.procs")

    def enter(self) -> None:
        """Move the calling process into the group. Makes system calls only, as suits a fork."""
        file = os.open(self._entry, os.O_WRONLY)
        os.write(file, b"0")
        os.close(file)

    def killed(self) -> bool:
        """True if the kernel has killed a process in it because its memory was used up."""
        return bool(re.search(r"^oom_kill [1-9]", read_text(f"{self._folder}/memory.events"), re.MULTILINE))

    def processes(self) -> list[int]:
        """The processes in the group."""
        return _processes(self._folder)

    def remove(self) -> bool:
        """Kill what is left in the group, and remove it; False if that takes a moment yet."""
        _kill_processes(self._folder)
        return _removed(self._folder)


@dataclass(frozen=True)
class ControlGroups:
    """Where groups are made: a folder, and the controllers that groups in it have."""

    folder: Path
    controllers: tuple[str, ...]

    def make(self, bounds: Bounds) -> ControlGroup:
        """A new group. OSError if it cannot be made."""
        folder = self.folder / f"arena-{os.getpid()}-{next(_numbers)}"
        group = ControlGroup(folder)
        settings = {
            "memory": ("memory.max", str(bounds.memory)),
            "pids": ("pids.max", str(bounds.processes)),
            "cpu": ("cpu.max", f"{bounds.processors * _PERIOD_US} {_PERIOD_US}"),
        }
        try:
            folder.mkdir()
            for controller in self.controllers:
                file, value = settings[controller]
                _write(folder / file, value)
            # later kernels have it, and no swap at all may be there
            with contextlib.suppress(OSError):
                _write(folder / "memory.swap.max", "0")
                _write(folder / "memory.oom.group", "1")
        except OSError:
            group.remove()
            raise
        return group

    def sweep(self) -> None:
        """Remove the groups of processes that have ended without doing so."""
        for folder, pid in self._made():
            if not is_running(pid):
                _removed(folder)

    def remove_of(self, pid: int) -> bool:
        """End what is left in the groups that a process has made, which has ended, and remove them.

        Waits a moment for what was killed; False if something is left even then.
        """
        left = [folder for folder, owner in self._made() if owner == pid]
        deadline = time.monotonic() + _DYING_S
        while True:
            for folder in left:
                _kill_processes(folder)
            left = [folder for folder in left if not _removed(folder)]
            if not left or time.monotonic() > deadline:
                return not left
            time.sleep(_LOOK_S)

    def _made(self) -> list[tuple[Path, int]]:
        """The groups that processes have made here, and the PIDs of these."""
        return [(entry, int(name[1])) for entry in self.folder.glob("arena-*") if (name := _NAME.fullmatch(entry.name))]


_numbers = itertools.count()


def remove_groups_of(pid: int) -> None:
    """Remove the groups that a process has made for its bots, once it has ended."""
    control_groups = groups()
    if control_groups is not None:
        control_groups.remove_of(pid)


# ---------------------------------------------------------------- finding them


def groups() -> ControlGroups | None:
    """Where this process can make groups; None if it cannot, or is not to (`ARENA_NO_CONTROL_GROUPS`)."""
    try:
        return require_groups()
    except NoGroups:
        return None


def require_groups() -> ControlGroups:
    """Where this process can make groups; `NoGroups` says why it cannot."""
    if os.environ.get(NO_GROUPS):
        raise NoGroups(f"control groups are switched off ({NO_GROUPS})")
    result = _found()
    if isinstance(result, str):
        raise NoGroups(result)
    return result


@functools.cache
def _found() -> ControlGroups | str:
    try:
        return find(read_text("/proc/self/cgroup"), read_text("/proc/self/mountinfo"))
    except NoGroups as error:
        return str(error)


def find(own: str, mounts: str) -> ControlGroups:
    """Where groups can be made, tried by making one; `NoGroups` if nowhere.

    `own` is the text of /proc/self/cgroup, `mounts` that of /proc/self/mountinfo.
    """
    try:
        control_groups = _usable(own, mounts)
        control_groups.sweep()
        control_groups.make(Bounds(1 << 30, 64)).remove()
    except OSError as error:
        raise NoGroups(f"{error.filename or 'a control group'}: {error.strerror}") from None
    return control_groups


def _usable(own: str, mounts: str) -> ControlGroups:
    path = re.search(r"^0::(/.*)$", own, re.MULTILINE)
    mount = _mount(mounts)
    if path is None or mount is None:
        raise NoGroups("there is no tree of control groups of version 2")
    point, root = mount
    folder = _below(point, root, path[1])
    top = Path(point)
    if folder is None:
        raise NoGroups(f"its own control group {path[1]} is not shown below {point}")
    if folder.name == RUNNER:  # moved by another process of ours
        folder = folder.parent
    if "memory" not in read_text(f"{top if os.geteuid() == 0 else folder}/cgroup.controllers").split():
        raise NoGroups(f"version 2 in {folder} has no memory controller")
    if os.geteuid() == 0 and folder != top:  # to root all are open, and that of others is not to be rearranged
        return _enabled(top, move=False)
    if all(os.access(folder / name, os.W_OK) for name in ("", "cgroup.procs", "cgroup.subtree_control")):
        return _enabled(folder, move=True)
    raise NoGroups(f"{folder} was not handed over to this user (systemd-run --user --scope -p Delegate=yes arena ...)")


def _enabled(folder: Path, move: bool) -> ControlGroups:
    """The folder, with controllers for the groups in it; `move`: its processes may be moved out of the way."""
    control = folder / "cgroup.subtree_control"
    offered = read_text(f"{folder}/cgroup.controllers").split()
    for name in _WANTED:
        if name not in offered or name in read_text(str(control)).split():
            continue
        try:
            _write(control, f"+{name}")
        except OSError as error:
            if error.errno == errno.EBUSY and move:
                _move_processes(folder)
                _write(control, f"+{name}")
            elif name == "memory":
                raise
    enabled = read_text(str(control)).split()
    if "memory" not in enabled:
        raise NoGroups(f"the memory controller cannot be had in {folder}")
    return ControlGroups(folder, tuple(name for name in _WANTED if name in enabled))


def _move_processes(folder: Path) -> None:
    """Into a group beside those that will be made: a group with controllers for others has no processes itself."""
    group = folder / RUNNER
    group.mkdir(exist_ok=True)
    for _ in range(_MOST_MOVES):
        pids = _processes(folder)
        if not pids:
            return
        for pid in pids:
            try:
                _write(group / "cgroup.procs", str(pid))
            except ProcessLookupError:  # it has ended
                continue


def _mount(text: str) -> tuple[str, str] | None:
    """Where the tree of version 2 is mounted, and which folder of it; None if it is not."""
    for line in text.splitlines():
        before, _, after = line.partition(" - ")
        fields = before.split()
        if after.split()[:1] == ["cgroup2"] and len(fields) >= 5:
            return fields[4], fields[3]
    return None


def _below(point: str, root: str, path: str) -> Path | None:
    """Where a group is found, of a tree of which `root` is mounted at `point`.

    >>> str(_below("/sys/fs/cgroup", "/", "/user.slice")), str(_below("/cg", "/docker/1", "/docker/1/a"))
    ('/sys/fs/cgroup/user.slice', '/cg/a')
    >>> _below("/cg", "/docker/1", "/docker/2")
    """
    relative = os.path.relpath(path, root)
    path_here = Path(point, relative) if not relative.startswith("..") else None
    return path_here if path_here is None or relative != "." else Path(point)


# ---------------------------------------------------------------- files


def _write(path: Path, text: str) -> None:
    file = os.open(path, os.O_WRONLY)
    try:
        os.write(file, text.encode())
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
    finally:
        os.close(file)


def _kill_processes(folder: Path) -> None:
    pids = _processes(folder)
    if pids:
        with contextlib.suppress(OSError):
            _write(folder / "cgroup.kill", "1")  # since Linux 5.14
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)


def _processes(folder: Path) -> list[int]:
    """Those in a group, but for those of other PID namespaces, whose number is told as 0."""
    return [int(pid) for pid in read_text(f"{folder}/cgroup.procs").split() if pid != "0"]


def _removed(folder: Path) -> bool:
    """Remove a group; False if there is still something in it."""
    try:
        folder.rmdir()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True
