"""What is compiled, and whether the compiled files fit their sources and this processor.

Some modules of `arena.game` and `arena.policy` are compiled from their own source. A compiled file that was not made
from the source beside it is refused at import: nothing is worse than a changed rule that is not played. So is one with
instructions that this processor lacks. With the environment variable `ARENA_PURE=1` the sources run uncompiled, slow
but whole.
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
from typing import TypeVar

T = TypeVar("T")

#: The modules that setup.py compiles, by the folder below `arena/`.
COMPILED = {
    "game": (
        "rng", "moves", "event_log", "formations", "board", "turns", "playouts", "engine", "packing",
    ),
    "policy": ("stones", "evaluator", "inputs", "net", "selfplay", "search"),
}  # fmt: skip
PACKAGE = Path(__file__).resolve().parent
#: What is in `_built.json` besides the hashes.
PROCESSOR = "instructions"
#: How Linux begins the names of instructions that compilers use of their own accord. It lists others beside them, and
#: traits such as `constant_tsc` that come and go with the kernel and with virtual machines.
_USED = (
    "mmx", "sse", "pni", "ssse", "avx", "fma", "xop", "tbm", "bmi", "abm", "popcnt", "movbe", "f16c", "cx16", "cmov",
    "lahf", "adx", "gfni", "asimd", "sve", "atomics",
)  # fmt: skip


class nocython:
    """Stands in for the module `cython` where Cython is not installed and the engine runs as plain Python."""

    compiled = False

    @staticmethod
    def final(method: T) -> T:
        """Mark a method that no subclass overrides: compiled, it is called directly."""
        return method


class _SourceOnly:
    """Finds the sources of the compiled modules before their compiled files."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        package, _, name = fullname.rpartition(".")
        folder = package.removeprefix("arena.")
        if name not in COMPILED.get(folder, ()):
            return None
        return importlib.util.spec_from_file_location(fullname, PACKAGE / folder / f"{name}.py")


def source_hashes(package: Path = PACKAGE) -> dict[str, str]:
    """The hash of each source of the compiled part, by its path below the package."""
    names = [f"{folder}/{name}.py" for folder, modules in COMPILED.items() for name in modules]
    names += [f"{folder}/{path.name}" for folder in COMPILED for path in sorted((package / folder).glob("*.pxd"))]
    return {name: _hash(package / name) for name in names}


def stale_sources(package: Path = PACKAGE) -> list[str]:
    """The sources that have changed since the compiled files were built; empty if none is compiled."""
    suffixes = importlib.machinery.EXTENSION_SUFFIXES
    if not any(
        (package / folder / f"{name}{suffix}").exists()
        for folder, modules in COMPILED.items() for name in modules for suffix in suffixes
    ):  # fmt: skip
        return []
    built = _built(package)
    if not built:
        return ["_built.json"]
    now = source_hashes(package)
    return sorted(name for name in {*now, *built} - {PROCESSOR} if built.get(name) != now.get(name))


def missing_instructions(package: Path = PACKAGE) -> list[str]:
    """Instructions that the compiled files may use and this processor lacks; empty where that cannot be told."""
    wanted = _used(_built(package).get(PROCESSOR, ""))
    there = processor_instructions() if wanted else []
    return sorted(set(wanted) - set(there)) if there else []


def processor_instructions() -> list[str]:
    """Those of this processor's instruction sets that compilers use, as Linux names them; empty on other systems."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace")
    except OSError:
        return []
    for line in text.splitlines():
        key, _, value = line.partition(":")
        if key.strip() in ("flags", "Features"):
            return _used(value)
    return []


def _used(names: str) -> list[str]:
    return [name for name in names.split() if name.startswith(_USED)]


def refuse_misfits() -> None:
    """Make `ARENA_PURE` work, and raise `UnfitEngineError` for compiled files that do not fit."""
    if os.environ.get("ARENA_PURE"):
        sys.meta_path.insert(0, _SourceOnly())
        return
    from arena.errors import UnfitEngineError  # not above: setup.py loads this file alone

    if stale := stale_sources():
        raise UnfitEngineError(
            f"the compiled engine is older than its source ({', '.join(stale)} changed): build it again with "
            "'make build' or 'pip install -e .', or set ARENA_PURE=1 to run the source uncompiled"
        )
    if missing := missing_instructions():
        raise UnfitEngineError(
            f"the engine was compiled for a processor that has {', '.join(missing[:5])}, which this one lacks: build "
            "it again on this machine with 'make build' or 'pip install -e .', or set ARENA_PURE=1 to run the source "
            "uncompiled"
        )


def _built(package: Path) -> dict[str, str]:
    try:
        built = json.loads((package / "_built.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return built if isinstance(built, dict) else {}


def _hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else ""
