"""Control groups: bounds for a process and all below it that count the kernel's memory, too.

Of version 2, one folder of one tree holds all controllers; a group may have either processes or groups with
controllers, so the processes of the group that this one runs in move into a group of their own, `arena-runner`. That is
done where the group was handed over to its user (`Delegate=yes` of systemd, a container of its own), and root may also
make groups at the top of the tree, as containers do. Of version 1, each controller has a tree, and nothing moves.

Sources: `Documentation/admin-guide/cgroup-v2.rst` and `cgroup-v1/` of Linux; systemd, `CGROUP_DELEGATION.md`.
"""

from __future__ import annotations

import atexit
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

from arena.bots.processes.affinity import core_count
from arena.bots.processes.procfs import read_text, start_time
from arena.errors import ArenaError

NO_GROUPS = "ARENA_NO_CONTROL_GROUPS"
"""Environment variable: if it is set, no control groups are made."""
RUNNER = "arena-runner"
_NAME = re.compile(r"arena-(?P<pid>\d+)(-(?P<started>\d*))?-\d+")  # of its owner: PID, and start if that is known
_WANTED = ("memory", "pids", "cpu")  # without the first, there is no use in the others
_DELEGATED = ("user.delegate", "trusted.delegate")  # extended attributes, set by systemd
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
    """A group for one process and what it starts, one folder for each tree."""

    def __init__(self, folders: list[Path]) -> None:
        self._folders = folders
        self._entries = [str(folder / "cgroup.procs") for folder in folders]

    def enter(self) -> None:
        """Move the calling process into the group. Makes system calls only, as suits a fork."""
        for entry in self._entries:
            file = os.open(entry, os.O_WRONLY)
            os.write(file, b"0")
            os.close(file)

    def killed(self) -> bool:
        """Has the kernel killed something in it for want of memory?"""
        return any(
            re.search(r"^oom_kill [1-9]", read_text(f"{folder}/{name}"), re.MULTILINE)
            for folder in self._folders
            for name in ("memory.events", "memory.oom_control")
        )

    def processes(self) -> list[int]:
        """The processes in the group."""
        return _processes(self._folders[0]) if self._folders else []

    def remove(self) -> bool:
        """Kill what is left in the group, and remove it; False if that takes a moment yet."""
        for folder in self._folders:
            _kill_processes(folder)
        self._folders = [folder for folder in self._folders if not _removed(folder)]
        return not self._folders


@dataclass(frozen=True)
class ControlGroups:
    """Where groups are made: for each controller the folder below which its groups are."""

    version: int
    places: dict[str, Path]

    @property
    def controllers(self) -> tuple[str, ...]:
        return tuple(self.places)

    def make(self, bounds: Bounds) -> ControlGroup:
        """A new group. OSError if it cannot be made.

        In version 1, one on a single core is not bounded in processor time, which the core bounds already: between
        groups, a process that gives way to another (`sched_yield`) often goes on itself, and each question would wait.
        """
        places = self.places
        if self.version == 1 and core_count() <= bounds.processors:
            places = {name: place for name, place in places.items() if name != "cpu"}
        name = f"arena-{os.getpid()}-{start_time(os.getpid())}-{next(_numbers)}"
        _remove_at_exit()
        folders = list(dict.fromkeys(place / name for place in places.values()))
        group = ControlGroup(folders)
        try:
            for folder in folders:
                folder.mkdir()
            for controller, place in places.items():
                for file, value in _settings(self.version, controller, bounds):
                    _write(place / name / file, value)
            # later kernels have it, and no swap at all may be there
            with contextlib.suppress(OSError):
                if self.version == 2:
                    _write(folders[0] / "memory.swap.max", "0")
                    _write(folders[0] / "memory.oom.group", "1")
        except OSError:
            group.remove()
            raise
        return group

    def sweep(self) -> None:
        """Remove the groups of processes that were killed."""
        for folder, owner in self._made():
            now = start_time(int(owner["pid"]))
            if not now or owner["started"] not in (None, "", now):  # that PID has another process now
                _removed(folder)

    def remove_of(self, pid: int) -> bool:
        """End what is left in the groups that a process has made, which has ended, and remove them.

        Waits a moment for what was killed; False if something is left even then.
        """
        left = [folder for folder, owner in self._made() if int(owner["pid"]) == pid]
        deadline = time.monotonic() + _DYING_S
        while True:
            for folder in left:
                _kill_processes(folder)
            left = [folder for folder in left if not _removed(folder)]
            if not left or time.monotonic() > deadline:
                return not left
            time.sleep(_LOOK_S)

    def _made(self) -> list[tuple[Path, re.Match[str]]]:
        """The groups that processes have made here, and what their names tell of these."""
        entries = [entry for place in set(self.places.values()) for entry in place.glob("arena-*")]
        return [(entry, found) for entry in entries if (found := _NAME.fullmatch(entry.name))]


_numbers = itertools.count()
_exits: set[int] = set()  # processes that remove their groups at their ends: a fork knows those of its parent


def remove_groups_of(pid: int) -> None:
    """Remove the groups that a process has made for its bots, once it has ended."""
    found = groups()
    if found is not None:
        found.remove_of(pid)


def _remove_at_exit() -> None:
    if os.getpid() not in _exits:
        _exits.add(os.getpid())
        atexit.register(_remove_own, os.getpid())


def _remove_own(pid: int) -> None:
    if pid == os.getpid():
        remove_groups_of(pid)


def _settings(version: int, controller: str, bounds: Bounds) -> list[tuple[str, str]]:
    quota = str(bounds.processors * _PERIOD_US)
    of_version: dict[tuple[int, str], list[tuple[str, str]]] = {
        (2, "memory"): [("memory.max", str(bounds.memory))],
        (2, "pids"): [("pids.max", str(bounds.processes))],
        (2, "cpu"): [("cpu.max", f"{quota} {_PERIOD_US}")],
        (1, "memory"): [("memory.limit_in_bytes", str(bounds.memory))],
        (1, "pids"): [("pids.max", str(bounds.processes))],
        (1, "cpu"): [("cpu.cfs_period_us", str(_PERIOD_US)), ("cpu.cfs_quota_us", quota)],
    }
    return of_version[version, controller]


# ---------------------------------------------------------------- finding them


def groups() -> ControlGroups | None:
    """Where this process can make groups; None if it cannot, or is not to (`ARENA_NO_CONTROL_GROUPS`)."""
    try:
        return require_groups()
    except NoGroups:
        return None


def require_groups() -> ControlGroups:
    """The same; `NoGroups` says why there are none."""
    if os.environ.get(NO_GROUPS):
        raise NoGroups(f"control groups are switched off ({NO_GROUPS})")
    found = _found()
    if isinstance(found, str):
        raise NoGroups(found)
    return found


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
    why = []
    for look in (_version_2, _version_1):
        try:
            found = look(own, mounts)
            found.sweep()
            found.make(Bounds(1 << 30, 64)).remove()
            return found
        except NoGroups as error:
            why.append(str(error))
        except OSError as error:
            why.append(f"{error.filename or 'a control group'}: {error.strerror}")
    raise NoGroups("; ".join(why))


def _version_2(own: str, mounts: str) -> ControlGroups:
    path = re.search(r"^0::(/.*)$", own, re.MULTILINE)
    mount = next((mount for mount in _mounts(mounts) if mount[2] == "cgroup2"), None)
    if path is None or mount is None:
        raise NoGroups("there is no tree of control groups of version 2")
    point, root, _, _ = mount
    folder = _below(point, root, path[1])
    top = Path(point)
    if folder is None:
        raise NoGroups(f"its own control group {path[1]} is not shown below {point}")
    if folder.name == RUNNER:  # moved by another process of ours
        folder = folder.parent
    if "memory" not in read_text(f"{top if os.geteuid() == 0 else folder}/cgroup.controllers").split():
        raise NoGroups(f"version 2 in {folder} has no memory controller")
    if _handed_over(folder, top):
        return _enabled(folder, move=True)
    if os.geteuid() == 0:
        return _enabled(top, move=False)
    raise NoGroups(f"{folder} was not handed over to this user (systemd-run --user --scope -p Delegate=yes arena ...)")


def _handed_over(folder: Path, top: Path) -> bool:
    """May this process arrange a group as it likes? To root all are open, so somebody must have said so."""
    if os.geteuid() != 0:
        return all(os.access(folder / name, os.W_OK) for name in ("", "cgroup.procs", "cgroup.subtree_control"))
    if folder == top:
        return True
    for name in _DELEGATED:
        with contextlib.suppress(OSError):
            if os.getxattr(folder, name) == b"1":
                return True
    return False


def _enabled(folder: Path, move: bool) -> ControlGroups:
    """The folder, with controllers for the groups in it; `move`: its processes may be moved out of the way."""
    offered = read_text(f"{folder}/cgroup.controllers").split()
    control = folder / "cgroup.subtree_control"
    for name in _WANTED:
        if name not in offered or name in read_text(str(control)).split():
            continue
        try:
            _enable(control, name)
        except OSError as error:
            if error.errno != errno.EBUSY or not move:
                if name == "memory":
                    raise
                continue
            _move_processes(folder)
            _enable(control, name)
    found = [name for name in _WANTED if name in read_text(str(control)).split()]
    if "memory" not in found:
        raise NoGroups(f"the memory controller cannot be had in {folder}")
    return ControlGroups(2, dict.fromkeys(found, folder))


def _enable(control: Path, name: str) -> None:
    _write(control, f"+{name}")


def _move_processes(folder: Path) -> None:
    """Into a group beside those that will be made: a group with controllers for others has no processes itself."""
    place = folder / RUNNER
    place.mkdir(exist_ok=True)
    for _ in range(_MOST_MOVES):
        pids = _processes(folder)
        if not pids:
            return
        for pid in pids:
            try:
                _write(place / "cgroup.procs", str(pid))
            except ProcessLookupError:  # it has ended
                continue


def _version_1(own: str, mounts: str) -> ControlGroups:
    places: dict[str, Path] = {}
    for names, path in re.findall(r"^\d+:([^:]*):(/.*)$", own, re.MULTILINE):
        for name in set(names.split(",")) & set(_WANTED):
            for point, root, kind, options in _mounts(mounts):
                if kind == "cgroup" and name in options.split(",") and (folder := _below(point, root, path)):
                    places[name] = folder
    usable = {name: places[name] for name in _WANTED if name in places and os.access(places[name], os.W_OK)}
    if "memory" not in usable:
        raise NoGroups("version 1 is not there" if not places else f"{places.get('memory')} cannot be written to")
    return ControlGroups(1, usable)


def _mounts(text: str) -> list[tuple[str, str, str, str]]:
    """Of each mounted file system its place, the folder of it that is shown, its type and its options."""
    found = []
    for line in text.splitlines():
        before, _, after = line.partition(" - ")
        fields, (kind, _, options) = before.split(), (*after.split(), "", "", "")[:3]
        if kind.startswith("cgroup") and len(fields) >= 5:
            found.append((fields[4], fields[3], kind, options))
    return found


def _below(point: str, root: str, path: str) -> Path | None:
    """Where a group is found, of a tree of which `root` is mounted at `point`.

    >>> str(_below("/sys/fs/cgroup", "/", "/user.slice")), str(_below("/cg", "/docker/1", "/docker/1/a"))
    ('/sys/fs/cgroup/user.slice', '/cg/a')
    >>> _below("/cg", "/docker/1", "/docker/2")
    """
    relative = os.path.relpath(path, root)
    found = Path(point, relative) if not relative.startswith("..") else None
    return found if found is None or relative != "." else Path(point)


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
