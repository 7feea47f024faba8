"""Where the files that travel with the program are: beside the source in a checkout, inside the package in a wheel."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
_SOURCE = _PACKAGE.parent


def data_folder(name: str) -> Path:
    """The folder ``bots`` or ``configs``.

    >>> (data_folder("configs") / "rules" / "iello-base.toml").is_file()
    True
    """
    packaged = _PACKAGE / "_data" / name
    return packaged if packaged.is_dir() else _SOURCE / name
