"""The list of compiled modules, and checks that the compiled files fit their sources and this processor.

Some modules are compiled from their own source. A compiled file that was not made from the source beside it is refused
at import: nothing is worse than a changed rule that is not played. A checkout is compiled with AVX2 if its processor
has it. A wheel is compiled for any processor and once more, in `arena/_v3`, for processors of the level x86-64-v3
(Intel since 2013, AMD since 2015). All give the same games and the same numbers. Without compiled files, and with the
environment variable `ARENA_PURE=1`, the sources of `arena.game` run, slowly; those of the other folders do not.
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
from typing import Any, TypeVar

_T = TypeVar("_T")

#: The modules that setup.py compiles, by the folder below `arena/`.
COMPILED = {
    "game": ("rng", "moves", "formations", "board", "turns", "playouts", "engine", "packing"),
    "policy": ("stones", "evaluator", "inputs", "net", "search", "selfplay"),
    "adapters": ("stepping",),
}
_PACKAGE = Path(__file__).resolve().parent
#: The compiler's flags for x86-64-v3, one by one: compilers before GCC 11 do not know the level by its name.
V3_FLAGS = ("-mavx2", "-mbmi", "-mbmi2", "-mf16c", "-mfma", "-mlzcnt", "-mmovbe", "-mpopcnt")
#: The same instructions by Linux's names.
_V3_INSTRUCTIONS = frozenset({"abm", "avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "movbe", "popcnt"})


class nocython:
    """A stand-in for the module `cython` where Cython is not installed and the engine runs as plain Python."""

    compiled = False

    @staticmethod
    def final(method: _T) -> _T:
        """Mark a method that no subclass overrides; when compiled, it is called directly."""
        return method


class _Finder:
    """A finder of the compiled modules in another form than the compiled file beside their source."""

    def __init__(self, folder: Path, suffix: str) -> None:
        self.folder = folder
        self.suffix = suffix

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        package, _, name = fullname.rpartition(".")
        folder = package.removeprefix("arena.")
        if name not in COMPILED.get(folder, ()):
            return None
        if self.suffix == ".py" and folder != "game":
            from arena.errors import UnfitEngineError  # not above: setup.py loads this file alone

            remedy = "install a C compiler and build the engine ('arena doctor' says how)"
            if os.environ.get("ARENA_PURE"):
                remedy = "unset ARENA_PURE"
            raise UnfitEngineError(f"evaluators, nets and search run only compiled; {remedy}")
        return importlib.util.spec_from_file_location(fullname, self.folder / folder / f"{name}{self.suffix}")


def use_fitting_engine() -> None:
    """Make the compiled modules importable in the form that fits this processor, or the game as source.

    Raises `UnfitEngineError` when the compiled files do not fit their sources or this processor.
    """
    if os.environ.get("ARENA_PURE") or not compiled_files(_PACKAGE):
        sys.meta_path.insert(0, _Finder(_PACKAGE, ".py"))
        return
    from arena.errors import UnfitEngineError  # not above: setup.py loads this file alone

    require_fresh_engine()
    if "-mavx2" in built_as(_PACKAGE).get("flags", ()) and not has_v3():
        raise UnfitEngineError(
            "the engine was compiled for a processor with AVX2, which /proc/cpuinfo does not list: build it again here "
            "with 'make build' or 'pip install -e .', or set ARENA_PURE=1 to run the rules uncompiled"
        )
    if (_PACKAGE / "_v3").exists() and has_v3():
        sys.meta_path.insert(0, _Finder(_PACKAGE / "_v3", importlib.machinery.EXTENSION_SUFFIXES[0]))


def require_fresh_engine() -> None:
    """Raise `UnfitEngineError` if the compiled files do not fit their sources, as while they are being built."""
    if os.environ.get("ARENA_PURE"):
        return
    from arena.errors import UnfitEngineError  # not above: setup.py loads this file alone

    if stale := stale_sources():
        raise UnfitEngineError(
            f"the compiled engine is older than its source ({', '.join(stale)} changed): build it again with "
            "'make build' or 'pip install -e .', wait for a build that is under way, or set ARENA_PURE=1 to run the "
            "rules uncompiled"
        )


def has_v3() -> bool:
    """Return whether this processor has the instructions of x86-64-v3.

    Only Linux lists them, so the answer is False on other systems.
    """
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace")
    except OSError:
        return False
    for line in text.splitlines():
        key, _, value = line.partition(":")
        if key.strip() == "flags":
            return set(value.split()) >= _V3_INSTRUCTIONS
    return False


def source_hashes(package: Path = _PACKAGE) -> dict[str, str]:
    """Return the hash of each source of the compiled part, by its path below the package."""
    names = [f"{folder}/{name}.py" for folder, modules in COMPILED.items() for name in modules]
    names += [f"{folder}/{path.name}" for folder in COMPILED for path in sorted((package / folder).glob("*.pxd"))]
    return {name: _hash(package / name) for name in names}


def stale_sources(package: Path = _PACKAGE) -> list[str]:
    """Return the sources that have changed since the compiled files were built; none if nothing is compiled.

    A file that did not exist when they were built is not one of their sources.
    """
    if not compiled_files(package):
        return []
    hashes = built_as(package).get("sources")
    if not hashes:
        return ["_built.json"]
    return sorted(name for name in hashes if _hash(package / name) != hashes[name])


def compiled_files(package: Path) -> list[Path]:
    """Return the compiled files in a package's folder that this interpreter would import.

    Files of modules that are not compiled any more are among them.
    """
    suffixes = importlib.machinery.EXTENSION_SUFFIXES
    files = (path for folder in COMPILED for path in (package / folder).glob("*.*"))
    return [path for path in files if f".{path.name.partition('.')[2]}" in suffixes]


def built_as(package: Path) -> dict[str, Any]:
    """Return the contents of `_built.json`: the hashes of the `sources`, and the compiler's `flags`."""
    try:
        built = json.loads((package / "_built.json").read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return {}
    return built if isinstance(built, dict) else {}


def _hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else ""
