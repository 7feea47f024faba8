"""Where the files that travel with the program are: beside the source in a checkout, inside the package in a wheel."""

from __future__ import annotations

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
