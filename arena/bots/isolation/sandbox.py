"""The sandbox: the command line of bubblewrap around a bot's command.

The bot runs in namespaces of its own (user, processes, network, System V IPC, host name, control groups), as a user
without rights or capabilities, under a system call filter (`seccomp`), and sees a file system that holds nothing but
what `shown` lists. Limits are set before and kept. There is no silent fallback: a machine that cannot do this raises
`SandboxMissing`. `docs/security.md` says what this protects against, and what it does not.
"""

from __future__ import annotations

import functools
import os
import platform
import re
import shutil
import stat
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from arena.bots.bundle import is_within
from arena.bots.isolation.seccomp import NoFilter, filter_program, has_filter
from arena.bots.limits import MIB, Isolation, Launch
from arena.errors import ArenaError
from arena.paths import PACKAGE, data_folder

NOBODY = 65534
_DEVICES = ("null", "random", "urandom")  # not zero: mapping it is shared memory that no limit counts
#: Programs expect them; nothing can be written there. A bound on bytes is not enough: even empty files take memory of
#: the kernel that no limit counts.
_EMPTY = ("/tmp", "/dev/shm")
#: What a program in another language sees of /proc beside its own processes, and folders in it that it does not see.
_OF_THE_MACHINE = {
    *("cpuinfo", "filesystems", "meminfo", "mounts", "net", "self", "stat", "sys", "thread-self", "version")
}
_IN_SYS = ("sys/fs", "sys/kernel/random", "sys/kernel/pty")
_TRIAL_S = 30.0
_LEAST = (0, 5)  # the first version with --clearenv
_WITH_DISABLE_USERNS = (0, 8)
_WITHOUT = (
    "There is no silent fallback: at --isolation process a bot cannot see the other's cards, but it can still "
    "read and write all your files, use the network and start programs, so that is for bots you trust"
)


class SandboxMissing(ArenaError):
    """This machine cannot sandbox a bot; the message names the remedy."""


@dataclass(frozen=True)
class Bubblewrap:
    """The program that makes the sandbox: its path and its version."""

    path: str
    version: str

    @property
    def numbers(self) -> tuple[int, ...]:
        """The version as numbers, for comparisons."""
        return tuple(map(int, self.version.split(".")))


def sandboxed(launch: Launch) -> tuple[list[str], list[int]]:
    """Return the command line that runs `launch` in a sandbox, and descriptors to pass to it and close once it runs.

    The command must be started in a session of its own, where there is no terminal to type into, and with
    `launch.whole_environment` and nothing else: bubblewrap's own environment could be read inside.
    `SandboxMissing` if this machine cannot sandbox, `SandboxRefused` if the bot's folder shows too much or the program
    is not among what the sandbox shows.
    """
    bubblewrap = require_bubblewrap()
    check_folder(launch.folder)
    return _command(bubblewrap, launch)


# ---------------------------------------------------------------- the command line


def _command(bubblewrap: Bubblewrap, launch: Launch) -> tuple[list[str], list[int]]:
    argv = [bubblewrap.path, *_namespaces(bubblewrap), "--clearenv"]
    for name, value in launch.whole_environment.items():
        argv += ["--setenv", name, value]
    passed = [_memory_file(_memory_text(launch.limits.memory_mb))]
    argv += [*_proc(launch.system, passed[0]), *_file_system(launch), "--chdir", str(launch.folder)]
    if has_filter():
        passed.append(_memory_file(filter_program()))
        argv += ["--seccomp", str(passed[-1])]
    return [*argv, "--", *_counted(launch), *launch.argv], passed


def _namespaces(bubblewrap: Bubblewrap) -> list[str]:
    names = ("user", "ipc", "pid", "net", "uts", "cgroup-try")
    options = [f"--unshare-{name}" for name in names]
    options += ["--uid", str(NOBODY), "--gid", str(NOBODY), "--hostname", "sandbox", "--cap-drop", "ALL"]
    options += ["--die-with-parent"]
    if bubblewrap.numbers >= _WITH_DISABLE_USERNS and not os.stat(bubblewrap.path).st_mode & stat.S_ISUID:
        options.append("--disable-userns")
    return options


def _file_system(launch: Launch) -> list[str]:
    options: list[str] = []
    for device in _DEVICES:
        options += ["--dev-bind", f"/dev/{device}", f"/dev/{device}"]
    for name, target in (("fd", "fd"), ("stdin", "fd/0"), ("stdout", "fd/1"), ("stderr", "fd/2")):
        options += ["--symlink", f"/proc/self/{target}", f"/dev/{name}"]
    for folder in _EMPTY:
        options += ["--tmpfs", folder]
    paths = [*map(str, launch.read_only), *(_PROGRAMS if launch.system else [*_LIBRARIES, *python_files()])]
    options += _shown(paths, os.path.normpath(launch.folder))
    if launch.system:
        _check_program(launch.argv[0], paths, launch.folder)
    for folder in _EMPTY:
        options += ["--remount-ro", folder]
    return [*options, "--remount-ro", "/"]


def _proc(processes: bool, memory: int) -> list[str]:
    """Return options that make a /proc; `memory` is the descriptor of its meminfo.

    A Python bot needs only two files and gets no others: what the kernel says about processes includes whether others
    have mapped the same pages. Programs in other languages look themselves up there (`/proc/self/exe`); they get the
    sandbox's processes, and of the machine only what `_OF_THE_MACHINE` lists: in its other figures, such as the number
    of all threads, a bot could read what its other process holds, which is stopped meanwhile.
    """
    data = ["--perms", "0444", "--ro-bind-data", str(memory), "/proc/meminfo"]
    if not processes:
        return [*data, "--ro-bind-try", "/proc/cpuinfo", "/proc/cpuinfo"]
    others = [name for name in os.listdir("/proc") if not name.isdigit() and name not in _OF_THE_MACHINE]
    covers = [f"/proc/{name}" for name in (*others, *_IN_SYS)]
    return ["--proc", "/proc", *_covers(covers), *_closed(covers), *data, "--remount-ro", "/proc"]


def _memory_text(memory_mb: int) -> bytes:
    """Return a meminfo with the bot's limit as the machine's memory, all free: programs size their heaps by it."""
    names = ("MemTotal", "MemFree", "MemAvailable")
    return "".join(f"{name + ':':<15} {memory_mb * MIB >> 10:>8} kB\n" for name in names).encode()


def _memory_file(data: bytes) -> int:
    """Return a descriptor of a file in memory, at its beginning. The caller closes it."""
    file = os.memfd_create("sandbox")
    os.write(file, data)
    os.lseek(file, 0, os.SEEK_SET)
    return file


def _check_program(program: str, paths: Sequence[str], folder: Path) -> None:
    if not any(is_within(program, path) for path in (*paths, os.path.normpath(folder))):
        raise SandboxRefused(
            f"{program} cannot be run in the sandbox, which shows the system's programs in /usr and the bot's own "
            f"folder {folder}, and nothing else; put the program there, or name one of the system's, such as "
            "cmd:/usr/bin/python3 ..."
        )


def _counted(launch: Launch) -> list[str]:
    """Return the command that bounds threads and waiting signals of a program; a Python bot's child does it itself.

    Not set before bubblewrap starts: outside, the numbers count all processes of the user. Inside, only those of the
    user namespace, since Linux 5.14. Root's processes are not counted. Without a bound on signals, one bot could
    use up those of the user, which affects all others.
    """
    tool = "/usr/bin/prlimit"
    if not launch.system or not counts_inside() or not os.access(tool, os.X_OK):
        return []
    most = launch.limits.processes
    names = ("sigpending",) if os.geteuid() == 0 else ("nproc", "sigpending")
    return [tool, *(f"--{name}={most}:{most}" for name in names), "--"]


@functools.cache
def counts_inside() -> bool:
    """Return whether RLIMIT_NPROC and the like count within a user namespace (Linux 5.14 and later)."""
    version = re.match(r"(\d+)\.(\d+)", platform.release())
    return version is not None and (int(version[1]), int(version[2])) >= (5, 14)


# ---------------------------------------------------------------- can this machine sandbox


def require_bubblewrap() -> Bubblewrap:
    """Return the machine's bubblewrap after it has started a sandbox; `SandboxMissing` with the remedy otherwise."""
    if sys.platform != "linux":
        raise _missing(f"that needs Linux, and this is {platform.system()}")
    path = shutil.which("bwrap")
    if path is None:
        raise _missing("bubblewrap is not installed (package bubblewrap)")
    bubblewrap = _asked(path)
    if bubblewrap.numbers < _LEAST:
        raise _missing(f"bubblewrap {bubblewrap.version} at {path} is too old; install version 0.5 or later")
    if has_filter():
        try:
            filter_program()
        except NoFilter as error:
            raise _missing(str(error)) from None
    elif os.geteuid() == 0:
        raise _missing(
            f"there is no system call filter for {platform.machine()}, without which root may not do so; run the arena"
            " as an ordinary user"
        )
    _trial(bubblewrap)
    return bubblewrap


def _missing(reason: str) -> SandboxMissing:
    return SandboxMissing(f"bots cannot be sandboxed here: {reason}. {_WITHOUT}")


@functools.cache
def _asked(path: str) -> Bubblewrap:
    try:
        answer = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=_TRIAL_S, env={})
        version = re.search(r"\d+(\.\d+)+", answer.stdout + answer.stderr)
    except (OSError, subprocess.TimeoutExpired):
        version = None
    return Bubblewrap(path, version[0] if version else "0.0")


@functools.cache
def _trial(bubblewrap: Bubblewrap) -> None:
    """Start a sandbox that does nothing. `SandboxMissing` if it fails."""
    nothing = (sys.executable, "-I", "-S", "-c", "pass")
    argv, passed = _command(bubblewrap, Launch(nothing, Path(__file__).resolve().parent, Isolation.SANDBOX))
    try:
        ended = subprocess.run(argv, capture_output=True, pass_fds=passed, env={}, timeout=_TRIAL_S, cwd="/")
        said, code = ended.stderr.decode("utf-8", "replace").strip(), ended.returncode
    except (OSError, subprocess.TimeoutExpired) as error:
        said, code = str(error), 1
    finally:
        for descriptor in passed:
            os.close(descriptor)
    if code:
        said = said or f"exit code {code}"
        raise _missing(f"bubblewrap does not start a sandbox ({said[:500]}); {_remedy()}")


def _remedy() -> str:
    """Say what most likely forbids it, according to the settings of the kernel."""
    if _setting("kernel/unprivileged_userns_clone") == 0:
        return "user namespaces are forbidden: sudo sysctl kernel.unprivileged_userns_clone=1"
    if _setting("user/max_user_namespaces") == 0:
        return "user namespaces are forbidden: sudo sysctl user.max_user_namespaces=10000"
    if _setting("kernel/apparmor_restrict_unprivileged_userns") == 1:
        return (
            "AppArmor restricts user namespaces: allow them to bwrap by a profile, or to all by "
            "sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0"
        )
    return (
        "in a container, start that with leave to make user namespaces and to mount /proc (podman and docker: "
        "--security-opt seccomp=unconfined --security-opt unmask=ALL or systempaths=unconfined)"
    )


def _setting(name: str) -> int | None:
    try:
        return int(Path("/proc/sys", name).read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None


_OURS = ("results", "leagues")  # what the arena itself writes: runs, and leagues with the bots of others
#: Where the system keeps its shared libraries; the stores are of systems whose libraries are all over one folder.
_LIBRARIES = (
    *(f"{start}/{name}" for start in ("/usr", "") for name in ("lib", "lib32", "lib64", "libx32")),
    *("/nix/store", "/gnu/store", "/etc/ld.so.cache"),
)
#: The system with its programs, for bots in any language; of /etc only how names lead to programs.
_PROGRAMS = ("/usr", "/bin", "/sbin", *_LIBRARIES, "/etc/alternatives")
#: Folders that hold much beside a bot; what lies below them may be a bot's.
_CROWDED = (
    *("/", "/home", "/lost+found", "/media", "/mnt", "/opt", "/root", "/srv", "/tmp", "/dev/shm", "/run/media"),
    *("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"),
    *("/usr", "/usr/bin", "/usr/lib", "/usr/sbin", "/usr/share", "/usr/local", "/usr/local/bin", "/usr/local/lib"),
    *("/var", "/var/lib", "/var/local", "/var/tmp"),
)
_CLOSED = ("/boot", "/dev", "/etc", "/proc", "/run", "/sys", "/var/log", "/var/run", "/var/spool")
_OPEN = ("/dev/shm", "/run/media")  # below them, although below those
_DOCUMENTS = ("Desktop", "Documents", "Downloads", "Music", "Pictures", "Public", "Templates", "Videos")


class SandboxRefused(ArenaError):
    """This bot cannot be sandboxed where it is; the message says what to move."""


# ---------------------------------------------------------------- what is shown


def _shown(paths: Iterable[str], own: str) -> list[str]:
    """Return options of bubblewrap that show files, folders and `own`, the bot's folder, without its hidden parts.

    What does not exist is left out. Links are shown as links, together with what they lead to.
    """
    targets = _followed([own, *paths])
    covers = hidden(own)
    options: list[str] = []
    folders: list[str] = []
    # a folder goes before what lies in it, so that it does not cover that
    for path in sorted({*targets, own}, key=lambda path: path.split("/")):
        inside = max((folder for folder in folders if is_within(path, folder)), key=len, default=None)
        cover = next((cover for cover in covers if is_within(path, cover)), None)
        if inside is None or (cover is not None and is_within(cover, inside)):
            target = targets[path]
            if target is not None:
                options += ["--symlink", target, path]
            else:
                options += ["--ro-bind", path, path]
                folders.append(path)
        if path == own:
            options += _covers(covers)
    return options + _closed(covers)


def _followed(paths: Iterable[str]) -> dict[str, str | None]:
    """Return the paths that exist and what links among them lead to, each with its target if it is a link."""
    targets: dict[str, str | None] = {}
    waiting = [os.path.normpath(path) for path in paths]
    for path in waiting:
        if path in targets:
            continue
        if os.path.islink(path):
            targets[path] = target = os.readlink(path)
            waiting.append(os.path.normpath(os.path.join(os.path.dirname(path), target)))
        elif os.path.exists(path):
            targets[path] = None
    return targets


@functools.cache
def python_files() -> tuple[str, ...]:
    """Return what this Python consists of, and the arena: interpreter, standard library, installed packages.

    Leave out scripts and everything else in the folder of a virtual environment.
    """
    bases = {sys.base_prefix, sys.base_exec_prefix}
    names = {sys.executable, os.path.join(sys.prefix, "pyvenv.cfg")}
    names |= {os.path.join(base, name) for base in bases for name in ("lib", "lib64")}
    names |= {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    names |= {entry for entry in sys.path if entry.endswith(("site-packages", "dist-packages", ".zip"))}
    names |= {str(PACKAGE), str(data_folder("configs") / "rules")}
    # a folder goes before what lies in it, so that it is not shown twice
    return tuple(sorted(os.path.abspath(name) for name in names if name))


# ---------------------------------------------------------------- the bot's folder


def check_folder(folder: Path) -> None:
    """Raise `SandboxRefused` if the folder holds more than a bot: a home, a folder of the system, `/tmp` itself, `/`.

    The bot may read all files of its folder. They can leave the sandbox only through its moves, yet nothing but
    the bot's files belongs there.
    """
    if not folder.is_dir():
        raise SandboxRefused(f"there is no folder {folder}")
    real, home = str(folder.resolve()), os.path.realpath(os.path.expanduser("~"))
    closed = any(is_within(real, area) for area in _CLOSED) and not any(is_within(real, area) for area in _OPEN)
    if closed or real in _CROWDED:
        what = "is a folder of the system"
    elif is_within(home, real) or os.path.dirname(real) == "/home":
        what = "is, or holds, a home folder"
    elif os.path.dirname(real) == home and os.path.basename(real) in _DOCUMENTS:
        what = "holds documents of yours"
    else:
        return
    raise SandboxRefused(
        f"the bot lies in {folder}, which {what}; in the sandbox it could read all that is in there: "
        "put it into a folder of its own"
    )


def hidden(folder: str) -> list[str]:
    """Return what a bot's folder holds and no bot needs: names that begin with a dot, and our results and leagues."""
    return sorted(
        entry.path
        for entry in os.scandir(folder)
        if (entry.name.startswith(".") or entry.name in _OURS) and not entry.is_symlink()
    )


def _covers(paths: Iterable[str]) -> list[str]:
    """Return options that show an empty folder, or a file that cannot be read, in the place of each path."""
    options: list[str] = []
    for path in paths:
        options += ["--tmpfs", path] if os.path.isdir(path) else ["--ro-bind", "/dev/null", path]
    return options


def _closed(covers: Iterable[str]) -> list[str]:
    """Return options with which nothing can be written to the empty folders."""
    return [option for path in covers if os.path.isdir(path) for option in ("--remount-ro", path)]
