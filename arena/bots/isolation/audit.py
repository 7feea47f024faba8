"""Reports what a bot's code asks the system for, on stderr, for `arena check`. Runs in the bot's process.

Python reports such calls to hooks before they are made (`sys.addaudithook`), including those that then fail. Only calls
from the bot's own files are reported, each line once. This is for the bot's author: a bot that wants to hide something
can.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys
from dataclasses import dataclass
from importlib.util import source_from_cache
from typing import Any

from arena.bots.isolation.python.messages import AUDIT_VARIABLE
from arena.bots.output import MARK
from arena.paths import PACKAGE

FILES, FOLDERS, NETWORK, PROCESSES, MEMORY, NATIVE, SPYING = (
    "files",
    "folders",
    "network",
    "processes",
    "memory",
    "native",
    "spying",
)
READS = "reads"
"""Reading a file outside of its folder; `FILES` is changing one."""
OWN = "own"
"""Reading another file of its folder, which is allowed; but that has to be submitted with it."""

_KINDS = {
    **dict.fromkeys(
        (
            "os.remove",
            "os.rename",
            "os.mkdir",
            "os.rmdir",
            "os.link",
            "os.symlink",
            "os.truncate",
            "os.chmod",
            "os.chown",
            "os.utime",
            "os.setxattr",
            "os.mkfifo",
            "os.mknod",
            "shutil.rmtree",
            "shutil.move",
        ),
        FILES,
    ),
    **dict.fromkeys(("os.listdir", "os.scandir"), FOLDERS),
    **dict.fromkeys(
        (
            "socket.__new__",
            "socket.connect",
            "socket.bind",
            "socket.sendto",
            "socket.getaddrinfo",
            "socket.gethostbyname",
            "socket.gethostbyaddr",
            "socket.gethostname",
            "urllib.Request",
        ),
        NETWORK,
    ),
    **dict.fromkeys(
        (
            "subprocess.Popen",
            "os.system",
            "os.fork",
            "os.forkpty",
            "os.exec",
            "os.posix_spawn",
            "os.spawn",
            "pty.spawn",
            "os.kill",
            "os.killpg",
        ),
        PROCESSES,
    ),
    **dict.fromkeys(("mmap.__new__",), MEMORY),
    **dict.fromkeys(
        ("ctypes.dlopen", "ctypes.dlsym", "ctypes.string_at", "ctypes.cdata", "resource.setrlimit", "resource.prlimit"),
        NATIVE,
    ),
    **dict.fromkeys(
        (
            "gc.get_objects",
            "gc.get_referrers",
            "sys._current_frames",
            "sys.settrace",
            "sys.setprofile",
            "sys.addaudithook",
        ),
        SPYING,
    ),
}
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_MOST = 100
_MOST_OWN = 20
_LONGEST = 160
_LONGEST_PATH = 300
_LAST_LINE = 10_000_000
#: What a library does while it is imported is not reported, unless it is one of these.
_LOUD = (FILES, NETWORK, PROCESSES)


@dataclass(frozen=True)
class Attempt:
    """What a bot has asked for: a `kind` of this module, Python's name of it, what with, and the bot's line.

    `importing`: it was something that the bot imports there which did it.
    """

    kind: str
    event: str
    what: str
    file: str
    line: int
    importing: bool


def audit_if_requested(path: str) -> None:
    """Start auditing the bot in the file `path` and its folder, if the environment asks for it.

    Removes the request from the environment.
    """
    mark = os.environ.pop(AUDIT_VARIABLE, "")
    if mark:
        sys.addaudithook(_Auditor(path, mark))


class _Auditor:
    def __init__(self, path: str, mark: str) -> None:
        self.path = path
        self.mark = mark
        self.folder = os.path.dirname(path)
        self.libraries = _library_folders()
        self.busy = False
        self.told: set[tuple[str, str, int]] = set()
        self.own: set[str] = set()

    def __call__(self, event: str, values: tuple[Any, ...]) -> None:
        if event != "open" and event not in _KINDS:
            return
        if self.busy:  # looking at frames is an event, too
            return
        self.busy = True
        try:
            self._look(event, values)
        except BaseException:  # an error in here would be raised in the bot
            pass
        finally:
            self.busy = False

    def _look(self, event: str, values: tuple[Any, ...]) -> None:
        if event == "open" and (path := self._own_file(values)):
            self._tell_own(path)
            return
        kind = _KINDS.get(event) or self._opening(values)
        if kind is None or (kind == FOLDERS and self._is_shown(_path_of(values[0]))):
            return
        place = self._place()
        if place is None:
            return
        file, line, importing = place
        if importing and kind not in _LOUD:
            return
        if (kind, file, line) in self.told or len(self.told) >= _MOST:
            return
        self.told.add((kind, file, line))
        what = "" if event == "socket.__new__" else ", ".join(_shown(value) for value in values[:2])
        self._tell(kind, event, what[:_LONGEST], file, line, importing)

    def _tell(self, *values: object) -> None:
        os.write(2, f"\x1e{self.mark}{json.dumps(values)}\n".encode())

    def _own_file(self, values: tuple[Any, ...]) -> str:
        """The file beside the bot's that it opens to read; empty if it opens another, writes, or there is none."""
        path = _path_of(values[0])
        if path.endswith(".pyc"):  # for a module that was imported before
            with contextlib.suppress(ValueError):
                path = source_from_cache(path)
        reads = not (isinstance(values[2], int) and values[2] & _WRITING)
        return path if reads and path != self.path and self._is_own(path) and os.path.isfile(path) else ""

    def _tell_own(self, path: str) -> None:
        place = self._place()
        if place is None or path in self.own or len(self.own) >= _MOST_OWN:
            return
        self.own.add(path)
        self._tell(OWN, "open", path, *place)

    def _opening(self, values: tuple[Any, ...]) -> str | None:
        path, _, flags = values
        if isinstance(path, int):
            return None
        if isinstance(flags, int) and flags & _WRITING:
            return None if _path_of(path) == os.devnull else FILES
        return None if self._is_shown(_path_of(path)) else READS

    def _is_shown(self, path: str) -> bool:
        """Is it the bot's, Python's, or a device that the sandbox has?"""
        own = (self.folder, *self.libraries, "/dev", "/proc")
        return any(path == one or path.startswith(one.rstrip("/") + "/") for one in own)

    def _place(self) -> tuple[str, int, bool] | None:
        """The bot's line that is being carried out, and whether it is an import."""
        frame = sys._getframe(3)
        importing = False
        while frame is not None:
            name = frame.f_code.co_filename
            if name == self.path or self._is_own(name):
                return name, frame.f_lineno, importing
            importing = importing or name.startswith("<frozen importlib")
            frame = frame.f_back  # type: ignore[assignment]
        return None

    def _is_own(self, name: str) -> bool:
        inside = name.startswith(self.folder.rstrip("/") + "/")
        return inside and not any(name.startswith(one.rstrip("/") + "/") for one in self.libraries)


def _library_folders() -> tuple[str, ...]:
    import sysconfig  # not needed by those who are not asked

    found = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    found |= {entry for entry in sys.path if "-packages" in entry}
    return (str(PACKAGE), *sorted(found))


def _path_of(value: Any) -> str:
    return os.path.abspath(os.fsdecode(value)) if isinstance(value, str | bytes | os.PathLike) else ""


def _shown(value: Any) -> str:
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    if isinstance(value, str):
        return value
    if isinstance(value, int | float | None) or (isinstance(value, list | tuple) and len(value) < 20):
        return str(value)
    return ""


# ---------------------------------------------------------------- the runner's side


class AuditReader:
    """Extracts the lines of `_Auditor` from what a bot's process writes to stderr, and counts the rest.

    `folder` is the bot's. A bot can read the mark and write such lines itself: what they name outside of its folder
    is not believed.
    """

    def __init__(self, mark: str, folder: str) -> None:
        self.mark = mark
        self.folder = folder
        self.attempts: list[Attempt] = []
        self.characters = 0
        self._lines = re.compile(f"\x1e{re.escape(mark)}([^\n]*)\n?")

    def read(self, text: str) -> str:
        """The text without those lines."""
        for found in self._lines.finditer(text):
            attempt = read_attempt(found[1], self.folder)
            if attempt is not None and len(self.attempts) < 2 * _MOST:
                self.attempts.append(attempt)
        rest = self._lines.sub("", text)
        self.characters += len(MARK.sub("", rest))
        return rest


def read_attempt(text: str, folder: str) -> Attempt | None:
    """What a line tells of a bot in a folder, None if it is none: a bot may write what it likes.

    >>> read_attempt('["network", "socket.connect", "", "/bots/mine.py", 7, false]', "/bots").line
    7
    >>> read_attempt('["network", "socket.connect", "", "/bots/../etc/passwd", 7, false]', "/bots")
    """
    try:
        kind, event, what, file, line, importing = json.loads(text)
    except (ValueError, TypeError, RecursionError):
        return None
    if not all(isinstance(one, str) for one in (kind, event, what, file)) or type(line) is not int:
        return None
    known = kind == _KINDS[event] if event in _KINDS else event == "open" and kind in (FILES, READS)
    own = own_file(file, folder)
    if event == "open" and kind == OWN:
        beside = own_file(what, folder)
        known, what = beside is not None, beside or ""
    if not known or own is None or not 0 < line < _LAST_LINE:
        return None
    return Attempt(kind, event, what if kind == OWN else what[:_LONGEST], own, line, bool(importing))


def own_file(file: str, folder: str) -> str | None:
    """The path of a file, normalised, if it lies in the folder of a bot that has named it, and can be printed.

    Looks at the text alone: because of what a bot says, nobody looks into the file system.

    >>> own_file("/bots/./a/../mine.py", "/bots"), own_file("/bots/../mine.py", "/bots"), own_file("mine.py", "/bots")
    ('/bots/mine.py', None, None)
    """
    before = os.path.join(os.path.normpath(folder), "")
    found = os.path.normpath(file)
    inside = found.removeprefix(before)
    own = found.startswith(before) and inside.isprintable() and 0 < len(inside) <= _LONGEST_PATH
    return found if own else None
