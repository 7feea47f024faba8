"""What the file system of a sandbox shows, and what it never shows.

Everything is shown read-only, at the path it has outside: the libraries of the system, this Python with its packages
and the arena for Python bots, the system's programs for bots in other languages, and the bot's own folder. Symbolic
links stay symbolic links, so none leads to anything that is not shown.
"""

from __future__ import annotations

import functools
import os
import sys
import sysconfig
from collections.abc import Iterable
from pathlib import Path

from arena.errors import ArenaError
from arena.paths import PACKAGE, data_folder

_OURS = ("results", "leagues")  # what the arena itself writes: runs, and leagues with the bots of others
_LIBRARIES = ("lib", "lib32", "lib64", "libx32")
_STORES = ("/nix/store", "/gnu/store")  # systems whose libraries are all over one folder
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
_MOST_HIDDEN = 100


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


def hidden(folder: str) -> list[str]:
    """What a bot's folder holds and no bot needs: names that begin with a dot, and results and leagues of ours."""
    covered = [
        entry.path
        for entry in os.scandir(folder)
        if (entry.name.startswith(".") or entry.name in _OURS) and not entry.is_symlink()
    ]
    if len(covered) > _MOST_HIDDEN:
        raise SandboxRefused(
            f"the bot lies in {folder}, among {len(covered)} files and folders whose names begin with a dot; "
            "put it into a folder of its own"
        )
    return sorted(covered)


def _cover(path: str) -> list[str]:
    return ["--tmpfs", path] if os.path.isdir(path) else ["--ro-bind", "/dev/null", path]
