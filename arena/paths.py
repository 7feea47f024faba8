"""Locate packaged data files, and read standard input and small files from untrusted sources.

In a checkout the data files lie beside the source, in a wheel inside the package.
"""

from __future__ import annotations

import errno
import gzip
import hashlib
import io
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import IO, TextIO, cast

PACKAGE = Path(__file__).resolve().parent
"""The folder of the package `arena`, however it is installed."""
_SOURCE = PACKAGE.parent
WEIGHTS_FOLDER = PACKAGE / "policy" / "weights"
RESULTS = Path("results")
"""The default folder of runs, in the working directory."""
LATEST = "latest"
"""Wherever a run can be named: the run in results/ that was played last."""

STDIN = Path("-")
"""Where a file to read can be named: standard input."""
_GZIP = b"\x1f\x8b"


def input_name(path: Path | str) -> str:
    """Return how messages name a file to read.

    >>> input_name("games.csv"), input_name(STDIN)
    ('games.csv', 'standard input')
    """
    return "standard input" if str(path) == str(STDIN) else str(path)


@contextmanager
def open_input(path: Path) -> Iterator[IO[bytes]]:
    """Open a file to read, also a compressed one. Standard input is read to its end and kept, to be opened again.

    Raises OSError if it cannot be read.
    """
    with io.BufferedReader(io.BytesIO(_whole(sys.stdin))) if path == STDIN else open(path, "rb") as file:
        is_compressed = file.peek(2).startswith(_GZIP)
        try:
            yield cast(IO[bytes], gzip.GzipFile(fileobj=file)) if is_compressed else file
        except (EOFError, zlib.error) as error:
            raise OSError(errno.EIO, str(error), str(path)) from None


@lru_cache(maxsize=1)
def _whole(stream: TextIO) -> bytes:
    return stream.buffer.read()


def data_folder(name: str) -> Path:
    """Return the folder `bots`, `configs` or `examples`.

    >>> (data_folder("configs") / "rules" / "iello-base.toml").is_file()
    True
    """
    packaged = PACKAGE / "_data" / name
    return packaged if packaged.is_dir() else _SOURCE / name


def weights_hash() -> str:
    """Return the SHA-256 of all packaged weights, which identifies bots that load them, besides their source."""
    total = hashlib.sha256()
    for path in sorted(WEIGHTS_FOLDER.glob("*.bin")):
        total.update(f"{path.name}\0".encode() + hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


_LONGEST_TEXT = 4 << 20
"""The largest size in bytes of a file of settings, rules or positions."""
_PIECE = 1 << 16


def read_small_text(path: Path, most: int = _LONGEST_TEXT, or_latin: bool = False) -> str:
    """Return the text of a file, or of standard input, in UTF-8, with or without a byte order mark.

    With `or_latin`, what is not UTF-8 is read as Latin-1. Raises OSError if the file cannot be read, is larger than
    `most` bytes, or is a pipe or a device, which might never end, and UnicodeDecodeError for any other encoding.
    """
    if path.exists() and not path.is_file() and not path.is_dir():
        raise OSError(errno.EINVAL, "it is not a regular file", str(path))
    data = bytearray()
    with open_input(path) as file:
        # in pieces: Python allocates at once as much as it is asked to read, however small the file is
        while len(data) <= most and (piece := file.read(_PIECE)):
            data += piece
    if len(data) > most:
        raise OSError(errno.EFBIG, f"it is larger than {most >> 20} MiB", str(path))
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        if not or_latin or b"\0" in data:  # other files, and UTF-16
            raise
        return data.decode("latin-1")
