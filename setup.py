"""Build the compiled part of the engine; everything else is in pyproject.toml.

The compiled modules are ordinary Python files with C types in a `.pxd` beside them. Where no C compiler is found
the installation goes on and the same files run as plain Python. `arena/_built.json` holds the hashes of the sources
that they were made from and the instructions of the processor that they were made for (see arena/compiled.py).

Built in place (`pip install -e .`), the engine uses all instructions of this processor; a wheel uses the common ones.
`ARENA_CFLAGS` replaces the compiler flags of both.
"""

import importlib.util
import json
import os
import platform
import shutil
import sys
from pathlib import Path
from typing import Any

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py


def load_compiled() -> Any:
    """arena/compiled.py by itself: the package may refuse to be imported now."""
    spec = importlib.util.spec_from_file_location("compiled", Path("arena/compiled.py").resolve())
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


compiled = load_compiled()
#: Sums in the order of the source, operations not merged: the same numbers on every machine. Python's own flags ask for
#: debugging information, four fifths of the files and a quarter of the time.
EXACT = ["-O3", "-g0", "-ffp-contract=off"]


class BuildEngine(build_ext):
    """Always compile afresh, on all cores, and say from which sources and for which processor."""

    def finalize_options(self) -> None:
        super().finalize_options()
        self.parallel = self.parallel or os.cpu_count()

    def run(self) -> None:
        self.force = True
        package = Path("arena") if self.inplace else Path(self.build_lib) / "arena"
        for folder in compiled.COMPILED:  # a failed compilation must not leave the file of the last one
            for old in [path for end in ("*.so", "*.pyd") for path in (package / folder).glob(end)]:
                old.unlink()
        flags, instructions = self.flags()
        for extension in self.extensions:
            extension.extra_compile_args = flags
        super().run()
        package.mkdir(parents=True, exist_ok=True)
        built = compiled.source_hashes(Path("arena").resolve())
        if instructions:
            built[compiled.PROCESSOR] = " ".join(sorted(instructions))
        (package / "_built.json").write_text(json.dumps(built, indent=1) + "\n")

    def flags(self) -> tuple[list[str], list[str]]:
        """The compiler's flags, and the instructions of this processor if the flags let it use them."""
        if "ARENA_CFLAGS" in os.environ:
            flags = os.environ["ARENA_CFLAGS"].split()
        elif self.compiler.compiler_type == "msvc" if hasattr(self.compiler, "compiler_type") else os.name == "nt":
            flags = ["/O2", "/fp:precise"]
        else:
            native = self.inplace and platform.machine() in ("x86_64", "AMD64")
            flags = [*EXACT, *(["-march=native"] if native and sys.platform == "linux" else [])]
        return flags, compiled.processor_instructions() if "-march=native" in flags else []


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
    kinds = (".py", ".c", ".js", ".java", ".go", ".ts", ".md", ".toml", ".npz")
    return path.is_file() and "__pycache__" not in path.parts and path.suffix in kinds


def extensions() -> list[Extension]:
    """The compiled modules, or none where Cython is missing or switched off."""
    if os.environ.get("ARENA_NO_COMPILE"):
        return []
    try:
        from Cython.Build import cythonize
    except ImportError:
        return []
    found = cythonize(
        [
            Extension(f"arena.{folder}.{name}", [f"arena/{folder}/{name}.py"])
            for folder, modules in compiled.COMPILED.items()
            for name in modules
        ],
        language_level=3,
        compiler_directives={"auto_pickle": False},  # what it adds fills objects without a look at their fields
        force=True,
    )
    for extension in found:
        extension.optional = True  # cythonize() drops it; without a compiler the files run uncompiled
    return found


setup(ext_modules=extensions(), cmdclass={"build_ext": BuildEngine, "build_py": BuildPackage})
