"""Build the compiled part of the engine; everything else is in pyproject.toml.

The compiled modules are ordinary Python files with C types in a `.pxd` beside them. Where no C compiler is found
the installation goes on and the same files run as plain Python. Beside the compiled files stands `_built.json` with
the hashes of the sources they were made from, so that a stale one is noticed at import (arena/game/__init__.py).

`ARENA_CFLAGS` replaces the compiler flags (`-O3 -march=x86-64-v3` gives some speed on machines that have it).
"""

import ast
import hashlib
import json
import os
import shutil
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py

GAME = Path("arena/game")


def compiled_modules() -> tuple[str, ...]:
    """`COMPILED` of arena/game/__init__.py, read without importing it (it refuses stale files)."""
    for node in ast.parse((GAME / "__init__.py").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "COMPILED":
            return tuple(ast.literal_eval(node.value))
    raise LookupError("arena/game/__init__.py has no COMPILED")


MODULES = compiled_modules()


def source_hashes(folder: Path) -> dict[str, str]:
    """The hash of each source of the compiled part (as in arena/game/__init__.py)."""
    names = [f"{module}.py" for module in MODULES] + sorted(path.name for path in folder.glob("*.pxd"))
    return {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in names}


class BuildEngine(build_ext):
    """Always compile afresh, on all cores, and say from which sources."""

    def finalize_options(self) -> None:
        super().finalize_options()
        self.parallel = self.parallel or os.cpu_count()

    def run(self) -> None:
        self.force = True
        folder = GAME if self.inplace else Path(self.build_lib) / GAME
        for old in [path for end in ("*.so", "*.pyd") for path in folder.glob(end)]:
            old.unlink()  # a failed compilation must not leave the file of the last one
        super().run()
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "_built.json").write_text(json.dumps(source_hashes(GAME), indent=1) + "\n")


class BuildPackage(build_py):
    """Bots, configs and examples travel inside the package."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            for name, pattern in (("bots", "**/*"), ("configs", "**/*.toml"), ("examples", "**/*")):
                for path in sorted(path for path in Path(name).glob(pattern) if _travels(path)):
                    target = Path(self.build_lib) / "arena" / "_data" / path
                    target.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(path, target)


def _travels(path: Path) -> bool:
    kinds = (".py", ".c", ".js", ".java", ".go", ".ts", ".md", ".toml")
    return path.is_file() and "__pycache__" not in path.parts and path.suffix in kinds


def extensions() -> list[Extension]:
    """The compiled modules, or none where Cython is missing or switched off."""
    if os.environ.get("ARENA_NO_COMPILE"):
        return []
    try:
        from Cython.Build import cythonize
    except ImportError:
        return []
    flags = os.environ.get("ARENA_CFLAGS", "-O3").split()
    found = cythonize(
        [
            Extension(f"arena.game.{name}", [f"arena/game/{name}.py"], extra_compile_args=flags)
            for name in MODULES
        ],
        language_level=3,
        compiler_directives={"auto_pickle": False},  # what it adds fills objects without a look at their fields
        force=True,
    )
    for extension in found:
        extension.optional = True  # cythonize() drops it; without a compiler the files run uncompiled
    return found


setup(ext_modules=extensions(), cmdclass={"build_ext": BuildEngine, "build_py": BuildPackage})
