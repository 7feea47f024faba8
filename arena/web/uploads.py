"""What was uploaded, as a submission: a file, an archive of a folder, or a pasted text. Nothing of it is run.

An archive is hostile until it is read: what it says about sizes is not believed, links and special files are refused,
no path may lead out of the folder, and what it unpacks to is bounded while it is unpacked.
"""

from __future__ import annotations

import io
import re
import stat
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from arena.errors import ArenaError
from arena.league.settings import LeagueError
from arena.league.submission import MOST_BYTES, MOST_FILES, StoredFile, Submission, check_path, read_submission
from arena.league.versions import write_files
from arena.text import one_line

ARCHIVES = "zip, tar or tar.gz"
_ENTRIES = 4 * MOST_FILES
"""Entries of an archive that are looked at; folders count."""
_TAR_BYTES = MOST_BYTES + 1024 * _ENTRIES
_LIKELY = ("bot.py", "main.py")
_UNREADABLE = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    EOFError,
    ValueError,
    OSError,
    NotImplementedError,
    RuntimeError,
    OverflowError,
    KeyError,
)


def read_upload(
    file: str, content: bytes, author: str, name: str | None = None, entry: str | None = None
) -> Submission:
    """The submission that was uploaded as `file`.

    `name` is that of the bot (default: the file's), `entry` names the bot in an archive, as `arena submit` does with
    `--folder`; with parameters after a colon. LeagueError for what cannot be submitted.
    """
    file = re.split(r"[/\\]", file)[-1] or "bot.py"
    try:
        files = list(_unpacked(content))
    except _UNREADABLE as error:
        raise LeagueError(f"the archive cannot be read: {one_line(str(error), 200)}") from error
    if files:
        files = _without_top(files)
        entry = entry or _entry(files, file)
    elif content[:1] == b"\x7f" or b"\0" in content[:4096]:
        raise LeagueError(f"'{one_line(file, 60)}' is no Python file and no archive ({ARCHIVES})")
    else:
        check_path(file)
        files = [StoredFile(file, content)]
        entry = entry or file
    return _submission(files, entry, name, author)


def _submission(files: list[StoredFile], entry: str, name: str | None, author: str) -> Submission:
    """The files as they would be read from a folder; errors name no folder of ours."""
    with tempfile.TemporaryDirectory(prefix="arena-upload-") as place:
        folder = Path(place, "bot")
        folder.mkdir()
        try:
            write_files(files, folder)
            return read_submission(entry, folder, name or None, author)
        except ArenaError as error:
            text = str(error).replace(f"--folder {folder}: ", "").replace(f"{folder}/", "").replace(str(folder), "it")
            raise LeagueError(text.replace("Choose a name with --name", "Give another name")) from error


def _unpacked(content: bytes) -> Iterator[StoredFile]:
    """The files of an archive; none if it is not one."""
    if content[:4] in (b"PK\3\4", b"PK\5\6"):
        yield from _zip(content)
    elif content[:2] == b"\x1f\x8b":
        unzip = zlib.decompressobj(31)
        plain = unzip.decompress(content, _TAR_BYTES + 1)
        if len(plain) > _TAR_BYTES:
            raise _too_large()
        yield from _tar(plain)
    elif content[257:262] == b"ustar":
        yield from _tar(content)


def _zip(content: bytes) -> Iterator[StoredFile]:
    if content.count(b"PK\1\2") > _ENTRIES:  # counted before they become objects
        raise _too_many()
    left = MOST_BYTES
    seen: set[str] = set()
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for one in archive.infolist():
            mode = one.external_attr >> 16
            if one.is_dir() or one.filename.startswith("__MACOSX/"):
                continue
            _check(one.orig_filename, seen)
            if mode and not stat.S_ISREG(mode) and stat.S_IFMT(mode):
                raise LeagueError(f"{one.orig_filename!a} is a link or a special file; put the file itself in")
            if one.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise LeagueError("the archive is packed in a way that is not read; use the usual one (deflate)")
            with archive.open(one) as file:
                data = file.read(left + 1)
            left -= len(data)
            if left < 0:
                raise _too_large()
            yield StoredFile(one.orig_filename, data, bool(mode & stat.S_IXUSR))


def _tar(content: bytes) -> Iterator[StoredFile]:
    left = MOST_BYTES
    seen: set[str] = set()
    with tarfile.open(fileobj=io.BytesIO(content), mode="r:") as archive:
        for number, one in enumerate(archive):
            if number >= _ENTRIES:
                raise _too_many()
            if one.isdir():
                continue
            path = one.name.removeprefix("./")
            _check(path, seen)
            if not one.isreg():
                raise LeagueError(f"{path!a} is a link or a special file; put the file itself in")
            file = archive.extractfile(one)
            assert file is not None
            data = file.read(left + 1)  # a sparse file says any size
            left -= len(data)
            if left < 0:
                raise _too_large()
            yield StoredFile(path, data, bool(one.mode & stat.S_IXUSR))


def _check(path: str, seen: set[str]) -> None:
    check_path(path)
    if path in seen:
        raise LeagueError(f"the archive has {path!a} twice")
    seen.add(path)
    if len(seen) > MOST_FILES:
        raise _too_many()


def _too_many() -> LeagueError:
    return LeagueError(f"the archive has more than {MOST_FILES} files, the most that a bot may have")


def _too_large() -> LeagueError:
    return LeagueError(f"the archive unpacks to more than {MOST_BYTES >> 20} MiB, the most that a bot may have")


def _without_top(files: list[StoredFile]) -> list[StoredFile]:
    """The files without the one folder that all of them lie in, if there is such a folder."""
    tops = {PurePosixPath(file.path).parts[0] for file in files}
    if len(tops) > 1 or any("/" not in file.path for file in files):
        return files
    return [StoredFile(file.path.partition("/")[2], file.content, file.executable) for file in files]


def _entry(files: list[StoredFile], archive: str) -> str:
    """A guess at which file is the bot."""
    top = [file.path for file in files if file.path.endswith(".py") and "/" not in file.path]
    for name in (*_LIKELY, f"{archive.partition('.')[0]}.py"):
        if name in top:
            return name
    if len(top) == 1:
        return top[0]
    raise LeagueError("say which file of the archive is the bot, such as bot.py, or 'cmd:./mybot' for a program")
