"""The game itself: cards, rules, moves, the engine, views, records. Knows no bots, clocks, files of runs or processes.

Some of its modules are compiled from their own source (`COMPILED`). A compiled file that was not made from the
source beside it is refused at import: nothing is worse than a changed rule that is not played. With the environment
variable `ARENA_PURE=1` the sources run uncompiled, slow but whole.
"""

from __future__ import annotations

import hashlib
import importlib.machinery
import importlib.util
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

#: The modules that setup.py compiles.
COMPILED = (
    "rng", "moves", "event_log", "formations", "board", "public_state", "choices", "turns", "playouts", "engine",
    "packing",
)  # fmt: skip
_FOLDER = Path(__file__).resolve().parent


class _SourceOnly:
    """Finds the sources of the compiled modules before their compiled files."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        package, _, name = fullname.rpartition(".")
        if package != __name__ or name not in COMPILED:
            return None
        return importlib.util.spec_from_file_location(fullname, _FOLDER / f"{name}.py")


def stale_sources(folder: Path = _FOLDER) -> list[str]:
    """The sources that have changed since the compiled files in the folder were built; empty if none is compiled."""
    suffixes = importlib.machinery.EXTENSION_SUFFIXES
    if not any((folder / f"{name}{suffix}").exists() for name in COMPILED for suffix in suffixes):
        return []
    try:
        built = json.loads((folder / "_built.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return ["_built.json"]
    names = {f"{name}.py" for name in COMPILED} | {path.name for path in folder.glob("*.pxd")} | set(built)
    return sorted(name for name in names if built.get(name) != _hash(folder / name))


def _hash(path: Path) -> str | None:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else None


if os.environ.get("ARENA_PURE"):
    sys.meta_path.insert(0, _SourceOnly())
elif _stale := stale_sources():
    raise ImportError(
        f"the compiled engine is older than its source ({', '.join(_stale)} changed): build it again with "
        "'make build' or 'pip install -e .', or set ARENA_PURE=1 to run the source uncompiled"
    )
