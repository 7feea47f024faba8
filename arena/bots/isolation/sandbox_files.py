"""What the file system of a sandbox shows, and what it never shows.

Everything is shown read-only, at the path it has outside: the libraries of the system, this Python with its packages
and the arena for Python bots, the system's programs for bots in other languages, and the bot's own folder. Symbolic
links stay symbolic links, so none leads to anything that is not shown.
"""

from __future__ import annotations

import errno
import functools
import os
import stat
import sys
import sysconfig
from collections.abc import Iterable
from pathlib import Path
from typing import NoReturn

from arena.errors import ArenaError
from arena.paths import PACKAGE, data_folder

#: Names in a bot's folder that the arena itself writes to: runs, and leagues with the bots of others.
OURS = ("results", "leagues")
_LIBRARIES = ("lib", "lib32", "lib64", "libx32")
_STORES = ("/nix/store", "/gnu/store")  # systems whose libraries are all over one folder
#: Folders that hold much beside a bot; what lies below them may be a bot's.
_CROWDED = (
    "/",
    "/bin",
    "/dev/shm",
    "/home",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/lost+found",
    "/media",
    "/mnt",
    "/opt",
    "/root",
    "/run/media",
    "/sbin",
    "/srv",
    "/tmp",
    "/usr",
    "/usr/bin",
    "/usr/lib",
    "/usr/local",
    "/usr/local/bin",
    "/usr/local/lib",
    "/usr/sbin",
    "/usr/share",
    "/var",
    "/var/lib",
    "/var/local",
    "/var/tmp",
)
_CLOSED = ("/boot", "/dev", "/etc", "/proc", "/run", "/sys", "/var/log", "/var/run", "/var/spool")
_OPEN = ("/dev/shm", "/run/media")  # below them, although below those
_DOCUMENTS = ("Desktop", "Documents", "Downloads", "Music", "Pictures", "Public", "Templates", "Videos")
_MOST_HIDDEN = 100
_MOST_FILES = 100_000  # each start of a bot looks at them
_SPECIAL = {stat.S_IFIFO: "a FIFO", stat.S_IFSOCK: "a socket", stat.S_IFCHR: "a device", stat.S_IFBLK: "a device"}


class SandboxRefused(ArenaError):
    """This bot cannot be put into a sandbox as it lies there; the message says what to move."""


# ---------------------------------------------------------------- what is shown


def shown(paths: Iterable[str], own: str) -> list[str]:
    """Options of bubblewrap that show files and folders, and `own`, the bot's folder, without what is hidden in it.

    What does not exist is left out. Links are shown as links, and what they lead to is shown, too.
    """
    targets = _followed([own, *paths])
    covers = hidden(own)
    options: list[str] = []
    folders: list[str] = []
    # a folder goes before what lies in it, so that it does not cover that
    for path in sorted({*targets, own}, key=lambda path: path.split("/")):
        inside = max((folder for folder in folders if within(path, folder)), key=len, default=None)
        cover = next((cover for cover in covers if within(path, cover)), None)
        if inside is None or (cover is not None and within(cover, inside)):
            target = targets[path]
            if target is not None:
                options += ["--symlink", target, path]
            else:
                options += ["--ro-bind", path, path]
                folders.append(path)
        if path == own:
            options += [option for cover in covers for option in _cover(cover)]
    return options + [option for cover in covers if os.path.isdir(cover) for option in ("--remount-ro", cover)]


def _followed(paths: Iterable[str]) -> dict[str, str | None]:
    """What exists of the paths, and what the links among them lead to; each with its target if it is a link."""
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


def within(path: str, folder: str) -> bool:
    """True if a path is the folder or below it, judged by their texts.

    >>> within("/a/b", "/a"), within("/a", "/a"), within("/ab", "/a"), within("/a", "/")
    (True, True, False, True)
    """
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def libraries() -> list[str]:
    """Where the system keeps its shared libraries."""
    roots = [f"{start}/{name}" for start in ("/usr", "") for name in _LIBRARIES]
    return [*roots, *_STORES, "/etc/ld.so.cache"]


def programs() -> list[str]:
    """The system with its programs, for bots in any language; of /etc only how names of programs lead to programs."""
    return ["/usr", "/bin", "/sbin", *libraries(), "/etc/alternatives"]


@functools.cache
def python_files() -> tuple[str, ...]:
    """What this Python consists of, and the arena: interpreter, standard library, installed packages.

    Of a virtual environment neither scripts nor anything else that lies in its folder.
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
    """SandboxRefused if the folder holds more than a bot: a home, a folder of the system, `/tmp` itself, `/`.

    The bot may read all files of its folder. They could not leave the sandbox but through its moves, yet nothing
    that is not the bot's belongs there.
    """
    if not folder.is_dir():
        raise SandboxRefused(f"there is no folder {folder}")
    real = str(folder.resolve())
    closed = any(within(real, area) for area in _CLOSED) and not any(within(real, area) for area in _OPEN)
    if closed or real in _CROWDED:
        what = "is a folder of the system"
    elif any(within(home, real) for home in _homes()) or os.path.dirname(real) == "/home":
        what = "is, or holds, a home folder"
    elif any(real == os.path.join(home, name) for home in _homes() for name in _DOCUMENTS):
        what = "holds documents of yours"
    else:
        return
    raise SandboxRefused(
        f"the bot lies in {folder}, which {what}; in the sandbox it could read all that is in there: "
        "put it into a folder of its own"
    )


def _homes() -> set[str]:
    homes = {os.path.expanduser("~")}
    try:
        import pwd

        homes.add(pwd.getpwuid(os.getuid()).pw_dir)
    except (ImportError, KeyError):  # a system, or a user, without an entry
        pass
    return {os.path.realpath(home) for home in homes if home.startswith("/") and home != "/"}


@functools.lru_cache(maxsize=64)
def check_special(path: str) -> None:
    """`SandboxRefused` if a bot's file or folder is, or holds at whatever depth, anything but files, folders and links.

    So it is if there are more than 100,000 of them, or some cannot be looked at. A FIFO can be written to where all
    else is read-only: all processes that see it could talk by it.
    """
    try:
        kind = stat.S_IFMT(os.stat(path).st_mode)
    except FileNotFoundError:  # it is not shown either
        return
    if kind in _SPECIAL:
        _refuse_special(path, kind)
    folders = [path] if kind == stat.S_IFDIR else []
    number = 0
    while folders:
        folder = folders.pop()
        try:
            entries = list(os.scandir(folder))
        except OSError as error:
            if error.errno == errno.EACCES and not os.access(folder, os.X_OK):
                continue  # nor can the bot reach what is in there
            raise SandboxRefused(
                f"the bot's folder {path} cannot be looked through: {error.strerror}: {folder[:200]}; "
                "put the bot into a folder of its own"
            ) from None
        number += len(entries)
        if number > _MOST_FILES:
            raise SandboxRefused(
                f"the bot's folder {path} holds more than {_MOST_FILES:,} files; put the bot into a folder of its own"
            )
        for entry in entries:
            if folder == path and is_hidden(entry.name):
                continue
            if entry.is_dir(follow_symlinks=False):
                folders.append(entry.path)
            elif not entry.is_file(follow_symlinks=False) and not entry.is_symlink():
                _refuse_special(entry.path, stat.S_IFMT(entry.stat(follow_symlinks=False).st_mode))


def _refuse_special(path: str, kind: int) -> NoReturn:
    what = _SPECIAL.get(kind, "no file")
    raise SandboxRefused(f"the bot's folder holds {path}, {what}, which could be a way out of the sandbox: remove it")


def is_hidden(name: str) -> bool:
    """True if a file or folder of this name in a bot's folder is covered."""
    return name.startswith(".") or name in OURS


def hidden(folder: str) -> list[str]:
    """What a bot's folder holds and no bot needs: names that begin with a dot, and results and leagues of ours."""
    covered = [entry.path for entry in os.scandir(folder) if is_hidden(entry.name) and not entry.is_symlink()]
    if len(covered) > _MOST_HIDDEN:
        raise SandboxRefused(
            f"the bot lies in {folder}, among {len(covered)} files and folders whose names begin with a dot; "
            "put it into a folder of its own"
        )
    return sorted(covered)


def _cover(path: str) -> list[str]:
    return ["--tmpfs", path] if os.path.isdir(path) else ["--ro-bind", "/dev/null", path]
