"""A submission's files, read from disk as data: none of them is run here.

A submission is a Python bot's own files (`arena.bots.bundle`), or everything in a folder together with the file or
command that is the bot. It is identified
by its content: a single file by its SHA-256, as `sha256sum` prints it; otherwise by a SHA-256 over all paths, hashes
and the entry. The files may be hostile: links and special files are refused, and sizes are limited.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import stat
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PureWindowsPath

from arena.bots.faults import BotError
from arena.bots.spec import (
    PREFIX,
    SYSTEM_FOLDERS,
    BotSpec,
    command_words,
    find_bot,
    find_file,
    overlooked_file,
    parse_spec,
)
from arena.bots.syntax import syntax_fault
from arena.errors import did_you_mean
from arena.league.league_settings import LeagueError, check_author, check_name
from arena.paths import data_folder
from arena.text import one_line, quoted

MOST_FILES = 500
MOST_BYTES = 32 << 20
MOST_DEPTH = 16
LONGEST_PATH = 200
"""Bytes of a file's path below the bot's folder. The league unpacks it into a longer path."""
LONGEST_ENTRY = 1000
"""Characters of an entry: the bot's file with parameters, or its command."""
_SKIPPED = re.compile(r"\..*|__pycache__|.*\.py[cod]")


@dataclass(frozen=True)
class StoredFile:
    """A file of a bot; `path` is relative to the bot's folder, with slashes."""

    path: str
    content: bytes
    executable: bool = False

    @property
    def hash(self) -> str:
        """The SHA-256 of the content."""
        return hashlib.sha256(self.content).hexdigest()


@dataclass(frozen=True)
class Submission:
    """A bot as submitted. `entry` names it relative to its folder: `mine.py`, `mine.py:depth=2`."""

    name: str
    author: str | None
    entry: str
    files: tuple[StoredFile, ...]

    @property
    def hash(self) -> str:
        """The SHA-256 that identifies the content.

        >>> Submission("a", None, "a.py", (StoredFile("a.py", b"x"),)).hash == StoredFile("b.py", b"x").hash
        True
        """
        if len(self.files) == 1 and self.entry == self.files[0].path:
            return self.files[0].hash
        parts = [[file.path, file.hash, file.executable] for file in self.files]
        # so that no file has the hash of a folder: neither Python files nor programs begin like that
        return hashlib.sha256(b"\0folder " + json.dumps([self.entry, parts]).encode()).hexdigest()


def read_submission(
    bot: str, folder: Path | None = None, name: str | None = None, author: str | None = None
) -> Submission:
    """Read a bot's own files, as when it plays, or all files of `folder` with `bot` named relative to it.

    Raise ArenaError for what cannot be submitted: a missing file, too many or too large files, an invalid name.
    """
    author = check_author(author)
    if len(bot) > LONGEST_ENTRY or not bot.isprintable():
        raise LeagueError(
            f"{quoted(bot)} is not the name of a bot: expected at most {LONGEST_ENTRY} printable characters"
        )
    if folder is None:
        return _own_files(bot, name, author)
    if not folder.is_dir():
        near = ""
        if folder.parent.is_dir():
            near = did_you_mean(str(folder), [str(path) for path in folder.parent.iterdir() if path.is_dir()])
        raise LeagueError(f"--folder {folder}: no such folder{near}")
    files = tuple(_read_folder(folder))
    parts = parse_spec(bot)
    if parts.target.startswith(PREFIX):
        _check_relative(parts.target, folder)
        spec = _find_inside(parts.target, folder)
        return Submission(_bot_name(name, parts.name, spec.name), author, parts.target, files)
    path = _inside(parts.target, folder)
    _check_entry(path)
    names = [file.path for file in files]
    if path not in names:
        near = did_you_mean(path, names)
        raise LeagueError(f"--folder {folder}: it has no file {path}{near}")
    return Submission(_bot_name(name, parts.name, path), author, _entry(path, bot), files)


def check_syntax(submission: Submission) -> None:
    """Raise LeagueError, with the file, the line and the reason, if a Python bot has a module that is not Python.

    All its modules are compiled, with limits; none is run.
    """
    if submission.entry.startswith(PREFIX):
        return
    if fault := syntax_fault({file.path: file.content for file in submission.files if file.path.endswith(".py")}):
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        raise LeagueError(f"Python {version} cannot read {fault}")


def find_entry(entry: str, paths: Iterable[str], folder: Path, name: str) -> BotSpec:
    """Return the bot that an entry names in a folder with a submission's files. Raise ArenaError if there is none.

    The entry of a Python bot is the path of a stored file, optionally followed by parameters. It is not looked up
    anywhere else, so no entry can name a file or a bot of the organiser's.
    """
    if entry.startswith(PREFIX):
        return _find_inside(entry, folder, name)
    for path in paths:
        if entry == path or entry.startswith(f"{path}:"):
            return find_file(folder / path, path, parse_spec(f"x{entry.removeprefix(path)}").params, name)
    raise LeagueError(f"the submission has no file {entry!a}, which was named as the bot")


def _check_entry(path: str) -> None:
    """Raise LeagueError for a file whose name cannot be a bot's."""
    if not path.endswith(".py"):
        raise LeagueError(f"{path!a} is not a Python file; a bot in another language is a command: 'cmd:./mybot'")
    if re.search(r"[:=~\\]", path) or not path.isprintable():
        raise LeagueError(f"{path!a}: the name of a bot's file must be printable, without : = ~ and backslashes")


def _find_inside(target: str, folder: Path, name: str | None = None) -> BotSpec:
    """Return the bot of a command; raise LeagueError if the command names a path outside its folder.

    A league has only what was submitted. Whether the path exists is not checked: strangers must not learn which files
    this machine has, nor have them read, because some of these files never end.
    """
    home = os.path.realpath(folder)

    def check(word: str) -> None:
        path = Path(os.path.realpath(os.path.join(home, os.path.expanduser(word))))
        if not any(path.is_relative_to(allowed) for allowed in (home, *SYSTEM_FOLDERS)):
            raise LeagueError(f"the command '{one_line(target)}' names {one_line(word)}, which is not in its folder")

    for word in command_words(target):
        check(word)
    spec = find_bot(target, name=name, folder=folder)
    for file in spec.files:
        check(file)  # a program that was found elsewhere
    return spec


def _check_relative(target: str, folder: Path) -> None:
    """Raise LeagueError if a command names a file in its folder absolutely, because the league unpacks it elsewhere."""
    for word in command_words(target):
        if Path(word).is_absolute() and Path(word).resolve().is_relative_to(folder.resolve()):
            seen = Path(word).resolve().relative_to(folder.resolve())
            raise LeagueError(f"the command '{target}' names {word}; write it relative to --folder: {seen}")


def _own_files(bot: str, name: str | None, author: str | None) -> Submission:
    parts = parse_spec(bot)
    if parts.target.startswith(PREFIX):
        raise LeagueError(
            f"'{bot}' is a command: submit the folder that it runs in, and name the command as seen from there:"
            f" arena submit --folder DIR 'cmd:./PROGRAM'"
        )
    named = Path(os.path.expanduser(parts.target))  # unlike Path.expanduser, it accepts unknown users
    for path in (named, Path("bots", f"{parts.target}.py")):
        if os.path.islink(path):
            raise LeagueError(f"{path} is a link; submit the file itself")
    if (own := overlooked_file(parts.target)) is not None:
        packaged = data_folder("bots") / f"{parts.target}.py"
        raise LeagueError(
            f"'{parts.target}' may be the file {own} or the bot that comes with the program; write the one to submit:"
            f" {own} or {packaged}"
        )
    try:
        spec = find_bot(bot)
    except BotError as error:
        if not os.path.isdir(named):
            raise
        raise LeagueError(
            f"{parts.target} is a folder; to submit all its files, name the bot's file in it:"
            f" arena submit bot.py --folder {shlex.quote(str(named))}"
        ) from error
    path = Path(spec.path)
    if re.fullmatch(r"[\w.]+:\w+", parts.target):
        raise LeagueError(f"{parts.target} is a class in an installed package; a league stores files, so name a file")
    _check_entry(path.name)
    chosen, bundle = _bot_name(name, parts.name, path.name), spec.bundle
    assert bundle is not None  # it is a file
    files = tuple(StoredFile(name, file.content, file.executable) for name, file in sorted(bundle.files.items()))
    for file in files:
        check_path(file.path)
    if len(files) > MOST_FILES or sum(len(file.content) for file in files) > MOST_BYTES:
        raise LeagueError(f"{path}: more than {MOST_FILES} files or {MOST_BYTES >> 20} MiB, the most of a bot")
    return Submission(chosen, author, _entry(path.name, bot), files)


def _entry(path: str, bot: str) -> str:
    """Return the spec relative to the bot's folder: the file with its parameters, without a name."""
    parts = parse_spec(bot)
    params = ",".join(f"{key}={value}" for key, value in sorted(parts.params.items()))
    return f"{path}:{params}" if params else path


def _bot_name(asked: str | None, in_spec: str | None, path: str) -> str:
    chosen = asked or in_spec
    if chosen is not None:
        return check_name(chosen, "bot")
    stem = path.rsplit("/", 1)[-1].removesuffix(".py")
    try:
        return check_name(stem, "bot")
    except LeagueError as error:
        raise LeagueError(f"{error}. Choose a name with --name") from None


def _inside(target: str, folder: Path) -> str:
    """Return the path of a file relative to the folder; `target` may also be relative to the current folder."""
    for path in (folder / target, Path(target)):
        if os.path.isfile(path) and path.resolve().is_relative_to(folder.resolve()):
            return path.resolve().relative_to(folder.resolve()).as_posix()
    return Path(target).as_posix()


def _read_folder(folder: Path) -> Iterator[StoredFile]:
    """Yield all files below a folder, ordered by path, without hidden files and compiled Python."""
    paths: list[tuple[str, Path]] = []
    for parent, folders, files in os.walk(folder):
        if len(Path(parent).relative_to(folder).parts) > MOST_DEPTH:
            raise LeagueError(f"--folder {folder}: folders nested more than {MOST_DEPTH} deep")
        folders[:] = sorted(name for name in folders if not _SKIPPED.fullmatch(name))
        if len(paths) + sum(not _SKIPPED.fullmatch(name) for name in files) > MOST_FILES:
            raise LeagueError(f"--folder {folder}: more than {MOST_FILES} files, the most that a bot may have")
        for name in [*folders, *files]:
            path = Path(parent, name)
            if path.is_symlink():
                raise LeagueError(f"--folder {folder}: {path.relative_to(folder)} is a link; copy the file")
        for name in sorted(files):
            if not _SKIPPED.fullmatch(name):
                path = Path(parent, name)
                paths.append((path.relative_to(folder).as_posix(), path))
    if not paths:
        raise LeagueError(f"--folder {folder}: it has no files")
    total = 0
    for name, path in sorted(paths):
        file = _read_file(path, name)
        total += len(file.content)
        if total > MOST_BYTES:
            raise LeagueError(f"--folder {folder}: more than {MOST_BYTES >> 20} MiB in total")
        yield file


def check_path(name: str) -> None:
    """Raise LeagueError for a path that leads out of a bot's folder or cannot be stored."""
    if not name.isprintable() or "\\" in name:
        raise LeagueError(f"the file name {name!a} has characters that cannot be stored")
    if len(os.fsencode(name)) > LONGEST_PATH:
        raise LeagueError(f"the file name {name[:40]}... is too long: at most {LONGEST_PATH} bytes, folders included")
    parts = name.split("/")
    if any(part in ("", ".", "..") for part in parts) or PureWindowsPath(name).drive:
        raise LeagueError(f"the file name {name!a} leads out of the bot's folder")


def _read_file(path: Path, name: str) -> StoredFile:
    check_path(name)
    try:
        # opening a named pipe must not block
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        with open(descriptor, "rb") as file:
            mode = os.fstat(descriptor).st_mode
            if not stat.S_ISREG(mode):
                raise LeagueError(f"{path} is not a regular file")
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise LeagueError(f"cannot read {path}: {error.strerror or error}") from error
    if len(content) > MOST_BYTES:
        raise LeagueError(f"{path}: larger than {MOST_BYTES >> 20} MiB, the most that a bot may have")
    return StoredFile(name, content, bool(mode & stat.S_IXUSR))
