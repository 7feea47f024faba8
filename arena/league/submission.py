"""A submission: the files of a bot in memory, checked as data. None of them is run here.

They are a Python bot's own files (`arena.bots.bundle`), everything in a folder, or what was uploaded, together with the
file or command that is the bot. A submission is identified by its content: a single file by its SHA-256, as `sha256sum`
prints it; otherwise by a SHA-256 over all paths, hashes and the entry. The files may be hostile: links and special
files are refused, sizes are limited, and those that an archive claims are not trusted.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import posixpath
import re
import shutil
import stat
import sys
import unicodedata
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path, PurePosixPath, PureWindowsPath

from arena.bots.bundle import Bundle, BundleFile, OwnFiles
from arena.bots.compilation import syntax_fault
from arena.bots.spec import (
    PREFIX,
    SYSTEM_FOLDERS,
    BotSpec,
    ParsedSpec,
    command_name,
    command_words,
    find_bot,
    overlooked_file,
    params_text,
    parse_spec,
)
from arena.errors import did_you_mean
from arena.league.league_settings import LeagueError, check_author, check_name
from arena.paths import data_folder
from arena.text import one_line, quoted

MOST_FILES = 500
MOST_BYTES = 32 << 20
_MAX_ENTRIES = 4 * MOST_FILES  # of an archive, folders included
MOST_DEPTH = 16
"""Folders in a file's path below the bot's folder."""
LONGEST_PATH = 200
"""Bytes of a file's path below the bot's folder. It is written into a longer path."""
LONGEST_ENTRY = 1000
"""Characters of an entry: the bot's file with parameters, or its command."""
_LONGEST_FAULT = 400
_UNREADABLE = (zipfile.BadZipFile, zlib.error, EOFError, KeyError, OSError, OverflowError, RuntimeError, ValueError)
_SKIPPED = re.compile(r"\..*|__pycache__|.*\.py[cod]")
_NOWHERE = "/dev/null/bot"  # a folder that cannot exist, in the place of the one that a command will run in


@dataclass(frozen=True)
class Submission:
    """A bot as submitted: its files by their paths. `entry` names it: `mine.py`, `mine.py:depth=2`, `cmd:./mine`."""

    name: str
    author: str | None
    entry: str
    files: Mapping[str, BundleFile]

    @cached_property
    def hashes(self) -> dict[str, str]:
        """The SHA-256 of each file, by its path."""
        return {path: hashlib.sha256(file.content).hexdigest() for path, file in sorted(self.files.items())}

    @property
    def hash(self) -> str:
        """The SHA-256 that identifies the content.

        >>> file = BundleFile(b"x")
        >>> Submission("a", None, "a.py", {"a.py": file}).hash == Submission("b", None, "b.py", {"b.py": file}).hash
        True
        """
        if [self.entry] == [*self.files]:
            return self.hashes[self.entry]
        parts = [[path, digest, self.files[path].executable] for path, digest in self.hashes.items()]
        # so that no file has the hash of a folder: neither Python files nor programs begin like that
        return hashlib.sha256(b"\0folder " + json.dumps([self.entry, parts]).encode()).hexdigest()

    @property
    def bytes(self) -> int:
        """The size of all files."""
        return sum(len(file.content) for file in self.files.values())


def submission_of(
    files: Mapping[str, BundleFile], bot: ParsedSpec, name: str | None = None, author: str | None = None
) -> Submission:
    """Return files in memory as a submission; `bot` is the file or the command among them that plays.

    Hidden files and compiled Python are left out. Raise ArenaError for what cannot be submitted: too many or too large
    files, paths that lead out of the bot's folder, an invalid name, a bot that is not among them.
    """
    for path in files:
        check_path(path)
        if any(str(folder) in files for folder in PurePosixPath(path).parents):
            raise LeagueError(f"the submission has a file with the name of a folder, that of {path}")
    kept = {path: file for path, file in files.items() if not any(map(_SKIPPED.fullmatch, path.split("/")))}
    if not kept:
        raise LeagueError("the submission has no files")
    if len(kept) > MOST_FILES or sum(len(file.content) for file in kept.values()) > MOST_BYTES:
        raise LeagueError(f"more than {MOST_FILES} files or {MOST_BYTES >> 20} MiB, the most that a bot may have")
    if bot.target.startswith(PREFIX):
        _check_command(bot.target, kept)
        entry, usual = bot.target, command_name(bot.target)
    else:
        path = posixpath.normpath(bot.target)
        if not path.endswith(".py"):
            raise LeagueError(
                f"{path!a} is not a Python file; name another program by its command, {f'cmd:./{path}'!a}"
            )
        if re.search(r"[:=~\\]", path) or not path.isprintable():
            raise LeagueError(f"{path!a}: the name of a bot's file must be printable, without : = ~ and backslashes")
        if path not in kept:
            raise LeagueError(f"the submission has no file {path}{did_you_mean(path, kept)}")
        entry = path + params_text(dict(sorted(bot.params.items())))
        usual = posixpath.basename(path).removesuffix(".py")
    return Submission(check_name(name or bot.name or usual, "bot"), check_author(author), entry, kept)


def named_bot(text: str) -> ParsedSpec:
    """Parse the text that names a submission's bot. Raise ArenaError if it is malformed or could not be stored."""
    if len(text) > LONGEST_ENTRY or not text.isprintable():
        raise LeagueError(
            f"{quoted(text)} is not the name of a bot: expected at most {LONGEST_ENTRY} printable characters"
        )
    return parse_spec(text)


def read_submission(bot: str, folder: Path | None = None, author: str | None = None) -> Submission:
    """Read a bot's own files, as when it plays, or all files of `folder` with `bot` named relative to it.

    Raise ArenaError for a missing file and for a link, and as `submission_of` does.
    """
    parts = named_bot(bot)
    if folder is None:
        return _own_files(bot, parts, author)
    if not folder.is_dir():
        raise LeagueError(f"--folder {folder}: no such folder")
    return submission_of(_read_folder(folder), parts, author=author)


def check_syntax(submission: Submission) -> None:
    """Raise LeagueError, with the file, the line and the reason, if a Python bot has a module that is not Python.

    All its modules are compiled, with limits; none is run.
    """
    if submission.entry.startswith(PREFIX):
        return
    if fault := syntax_fault({path: file.content for path, file in submission.files.items() if path.endswith(".py")}):
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        raise LeagueError(f"Python {version} cannot read {one_line(fault, _LONGEST_FAULT)}")


def placed_bot(entry: str, files: Mapping[str, BundleFile], folder: Path, name: str) -> BotSpec:
    """Write a submission's files to a folder for it alone, and return the bot that its entry names among them.

    It is not looked up anywhere else, so no entry can name a file or a bot of the organiser's. Raise ArenaError if
    there is none.
    """
    if entry.startswith(PREFIX):
        home = Bundle(min(files), files).write(folder)
        spec = find_bot(entry, name=name, folder=home)
        for file in spec.files:
            _check_inside(file, str(home), entry)  # a program that was found elsewhere
        return spec
    parts = parse_spec(entry)
    if parts.target not in files:
        raise LeagueError(f"the submission has no file {parts.target!a}, which was named as the bot")
    bundle, params = Bundle(parts.target, files), tuple(parts.params.items())
    return BotSpec(name, entry, parts.target, parts.target, bundle.hash, params, bundle=bundle).placed(folder)


def check_path(name: str) -> None:
    """Raise LeagueError for a path that leads out of a bot's folder or cannot be stored."""
    if not name.isprintable() or "\\" in name:
        raise LeagueError(f"the file name {name!a} has characters that cannot be stored")
    if len(os.fsencode(name)) > LONGEST_PATH:
        raise LeagueError(f"the file name {name[:40]}... is too long: at most {LONGEST_PATH} bytes, folders included")
    parts = name.split("/")
    if any(part in ("", ".", "..") for part in parts) or PureWindowsPath(name).drive:
        raise LeagueError(f"the file name {name!a} leads out of the bot's folder")
    if len(parts) - 1 > MOST_DEPTH:
        raise LeagueError(f"the file name {name[:40]}... has folders nested more than {MOST_DEPTH} deep")


def _check_command(target: str, files: Mapping[str, BundleFile]) -> None:
    """Raise LeagueError if a command names a path outside its folder, or a program that cannot be run.

    A league has only what was submitted. Whether another path exists is not checked: strangers must not learn which
    files this machine has.
    """
    words = command_words(target)
    for word in words:
        _check_inside(word, _NOWHERE, target)
    program = posixpath.normpath(words[0])
    if program in files and not files[program].executable:
        raise LeagueError(f"{program} is not executable: chmod +x, or name what runs it: 'cmd:python3 {program}'")
    if program not in files and not posixpath.isabs(program) and ("/" in words[0] or shutil.which(program) is None):
        raise LeagueError(f"no program {program} for the bot '{target}'{did_you_mean(program, files)}")


def _check_inside(word: str, home: str, target: str) -> None:
    path = Path(os.path.realpath(os.path.join(home, os.path.expanduser(word))))
    if not any(path.is_relative_to(allowed) for allowed in (home, *SYSTEM_FOLDERS)):
        raise LeagueError(f"the command '{one_line(target)}' names {one_line(word)}, which is not in its folder")


def _own_files(bot: str, parts: ParsedSpec, author: str | None) -> Submission:
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
    spec = None if parts.target.startswith(PREFIX) else find_bot(bot)
    if spec is None or spec.bundle is None:
        raise LeagueError(
            f"'{bot}' is not a file, and a league stores files. Submit the folder that it needs:"
            " arena submit --folder DIR bot.py, or arena submit --folder DIR cmd:./PROGRAM"
        )
    return submission_of(spec.bundle.files, replace(parts, target=spec.bundle.entry), author=author)


def _read_folder(folder: Path) -> dict[str, BundleFile]:
    """Read all files below a folder. Raise ArenaError for a link, and for a file that is not a regular one."""
    files: dict[str, BundleFile] = {}
    reader = OwnFiles(folder.name, [str(folder)])  # it stops at a limit
    for parent, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not _SKIPPED.fullmatch(name)]
        for path in (Path(parent, name) for name in [*folders, *names] if not _SKIPPED.fullmatch(name)):
            inner = path.relative_to(folder).as_posix()
            if path.is_symlink():
                raise LeagueError(f"--folder {folder}: {inner} is a link; copy the file")
            if path.name not in folders:
                check_path(inner)
                try:
                    files[inner] = BundleFile(reader.content(str(path)), os.access(path, os.X_OK))
                except OSError as error:
                    raise LeagueError(f"cannot read {path}: {error.strerror or error}") from error
    return files


# ---------------------------------------------------------------- what is uploaded


def read_upload(
    file: str, content: bytes, author: str, name: str | None = None, entry: str | None = None
) -> Submission:
    """Return the submission that was uploaded as `file`.

    `name` is the bot's name (default: the file's). `entry` names the bot in an archive, with any parameters after a
    colon. Raise LeagueError for what cannot be submitted, such as a bot that is not Python.
    """
    file = re.split(r"[/\\]", file)[-1] or "bot.py"
    if content[:4] in (b"PK\3\4", b"PK\5\6"):
        try:
            files = _without_common_folder(dict(_unpacked(content)))
        except _UNREADABLE as error:
            raise LeagueError(f"the archive cannot be read: {one_line(str(error), 200)}") from error
        entry = entry or _likely_entry(files, file)
    elif b"\0" in content[:4096] or content[:2] == b"\x1f\x8b":
        raise LeagueError(f"'{one_line(file, 60)}' is neither a Python file nor a zip archive")
    else:
        check_path(file)
        files = {file: BundleFile(content)}
        entry = entry or file
    submission = submission_of(files, named_bot(entry), name or None, author)
    check_syntax(submission)
    return submission


def _unpacked(content: bytes) -> Iterator[tuple[str, BundleFile]]:
    """Yield the files of a zip archive by their paths."""
    if content.count(b"PK\1\2") > _MAX_ENTRIES:  # counted before they become objects
        raise _too_many()
    left = MOST_BYTES
    seen: set[str] = set()
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for info in archive.infolist():
            path, mode = info.orig_filename, info.external_attr >> 16
            if info.is_dir() or info.filename.startswith("__MACOSX/"):
                continue
            check_path(path)
            name = unicodedata.normalize("NFC", path).casefold()  # as a Mac or Windows compares names
            if name in seen:
                raise LeagueError(f"the archive has {path!a} twice; names must differ in more than case")
            seen.add(name)
            if len(seen) > MOST_FILES:
                raise _too_many()
            if mode and not stat.S_ISREG(mode) and stat.S_IFMT(mode):
                raise LeagueError(f"{path!a} is a link or a special file; put the file itself into the archive")
            if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise LeagueError("the archive's compression method is not supported; use the usual one (deflate)")
            with archive.open(info) as packed:
                data = packed.read(left + 1)
            left -= len(data)
            if left < 0:
                raise LeagueError(f"the archive unpacks to more than {MOST_BYTES >> 20} MiB, the most a bot may have")
            yield path, BundleFile(data, bool(mode & stat.S_IXUSR))


def _too_many() -> LeagueError:
    return LeagueError(f"the archive has more than {MOST_FILES} files, the most a bot may have")


def _without_common_folder(files: dict[str, BundleFile]) -> dict[str, BundleFile]:
    """Return the files without the folder that contains all of them, if there is one."""
    if len({path.partition("/")[0] for path in files}) > 1 or any("/" not in path for path in files):
        return files
    return {path.partition("/")[2]: file for path, file in files.items()}


def _likely_entry(files: Iterable[str], archive: str) -> str:
    """Return a guess at which file is the bot; raise LeagueError if there is no likely one."""
    top = [path for path in files if path.endswith(".py") and "/" not in path]
    for name in ("bot.py", "main.py", f"{archive.partition('.')[0]}.py"):
        if name in top:
            return name
    if len(top) == 1:
        return top[0]
    raise LeagueError("name the bot's file in the archive, such as bot.py, or 'cmd:./mybot' for a program")


def packed(submission: Submission) -> bytes:
    """Return a zip archive of the submission's files."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, file in submission.files.items():
            info = zipfile.ZipInfo(path)
            info.external_attr = (stat.S_IFREG | (0o755 if file.executable else 0o644)) << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, file.content)
    return out.getvalue()
