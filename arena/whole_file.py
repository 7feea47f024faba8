"""Files that are written completely or not at all."""

from __future__ import annotations

import contextlib
import gzip
import io
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

from arena.errors import ArenaError


class ExportError(ArenaError):
    """A file that cannot be written; an old one is left unchanged."""


@contextlib.contextmanager
def whole_file(path: Path, follow: bool = True) -> Iterator[IO[bytes]]:
    """Open a file to write in place of `path`; it takes that name when complete, and is deleted after an error.

    A reader therefore sees the old file or the new one, never a part of one; a process that is killed may leave a
    hidden `.part` file. Pipes and devices are written to directly. Without `follow`, anything with that name (also a
    link or a pipe) is replaced by a file, which is safe in folders that a stranger may have made. Raises ExportError
    if the system refuses.
    """
    try:
        if follow and path.exists() and not path.is_file() and not path.is_dir():
            with open(path, "wb") as there:
                yield there
            return
        goal = Path(os.path.realpath(path)) if follow else path  # a link stays a link
        made = goal.with_name(f".{goal.name}.{os.getpid()}.part")
        try:
            made.unlink(missing_ok=True)  # because it could be a link to anywhere
            with open(made, "xb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())  # because a crash of the machine could leave an empty file under the name
            os.replace(made, goal)
        except BaseException:
            with contextlib.suppress(OSError):
                made.unlink()
            raise
    except OSError as error:
        raise ExportError(f"cannot write {path}: {error.strerror or error}") from error


@contextlib.contextmanager
def whole_text(path: Path, follow: bool = True) -> Iterator[IO[str]]:
    """Open a file of UTF-8 text to write, as `whole_file` does.

    It is compressed if the name ends in `.gz`; equal texts give equal bytes.
    """
    with contextlib.ExitStack() as stack:
        file: Any = stack.enter_context(whole_file(path, follow))
        if path.suffix == ".gz":
            file = stack.enter_context(gzip.GzipFile("", "wb", 6, file, mtime=0))
        text = io.TextIOWrapper(file, encoding="utf-8", newline="")
        try:
            yield text
        finally:
            text.detach()  # closing it would close the file before it is safe on the disk


def make_folder(folder: Path) -> None:
    """Make a folder and its parents; raise ExportError if that is impossible."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ExportError(f"cannot make the folder {folder}: {error.strerror or error}") from error


def write_whole(path: Path, parts: Iterable[str], follow: bool = True) -> Path:
    """Write a text file completely or not at all, with `follow` as in `whole_file`; raise ExportError on failure."""
    with whole_text(path, follow) as file:
        file.writelines(parts)
    return path
