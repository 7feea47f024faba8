"""Where the files are that travel with the program, and reading files that may be anybody's.

In a checkout they lie beside the source, in a wheel inside the package.
"""

from __future__ import annotations

import errno
import os
import stat
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
    """The bytes of a file. OSError, also for what is no file (a pipe or a device can go on for ever), or too large."""
    mode = os.stat(path).st_mode  # before it is opened, which some devices feel
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise OSError(errno.EINVAL, "it is not a regular file", str(path))
    with open(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file", str(path))
        data = file.read(most + 1)
    if len(data) > most:
        raise OSError(errno.EFBIG, f"it is larger than {most >> 20} MiB", str(path))
    return data
