"""Where the files are that travel with the program, and reading files that may be anybody's.

In a checkout they lie beside the source, in a wheel inside the package.
"""

from __future__ import annotations

import errno
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
"""The folder of the package `arena`, whichever way it is installed."""
_SOURCE = PACKAGE.parent
RESULTS = Path("results")
"""Where runs are stored unless another folder is named, in the working directory."""


def data_folder(name: str) -> Path:
    """The folder `bots`, `configs` or `examples`.

    >>> (data_folder("configs") / "rules" / "iello-base.toml").is_file()
    True
    """
    packaged = PACKAGE / "_data" / name
    return packaged if packaged.is_dir() else _SOURCE / name


LONGEST_TEXT = 4 << 20
"""Bytes of the largest file of settings, rules or positions that is read."""


def read_small_file(path: Path, most: int = LONGEST_TEXT) -> bytes:
    """The bytes of a file. OSError, also for a pipe or a device, which can go on for ever, and for a larger file."""
    if path.exists() and not path.is_file() and not path.is_dir():
        raise OSError(errno.EINVAL, "it is not a regular file", str(path))
    with open(path, "rb") as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise OSError(errno.EFBIG, f"it is larger than {most >> 20} MiB", str(path))
    return data
