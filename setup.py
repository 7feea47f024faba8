"""Build the compiled part of the engine; everything else is in pyproject.toml.

The compiled modules are Python files with C types in a `.pxd` beside them. If no C compiler is found, the installation
continues, and the rules (`arena.game`) run as plain Python. `arena/_built.json` holds the hashes of the sources and the
compiler's flags (see arena/compiled.py); files that were built from the same sources with the same flags are kept.

Built in place (`pip install -e .`), the engine uses AVX2 if this processor has it; a wheel for x86-64 Linux contains
both versions and chooses one at import. `ARENA_CFLAGS` replaces the compiler flags of both.
"""

import compileall
import importlib.util
import json
import os
import platform
import shutil
import sys
import sysconfig
from pathlib import Path
from typing import Any

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py


def load_compiled() -> Any:
    """Load arena/compiled.py alone, because the package may currently refuse to be imported."""
    spec = importlib.util.spec_from_file_location("compiled", Path("arena/compiled.py").resolve())
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


compiled = load_compiled()
#: Sum in the order of the source without merging operations: the same numbers on every machine. Python's own flags add
#: debugging information, which takes four fifths of the size and a quarter of the time.
EXACT = ["-O3", "-g0", "-ffp-contract=off"]
#: What is as fast with less optimisation than -O3: texts and tables; what waits for pipes; the policy.
LEVELS = {
    "-O1": ("arena.game.moves", "arena.game.packing"),
    "-O2": ("arena.game.rng", "arena.policy.", "arena.adapters."),
}
MODULES = [f"{folder}/{name}" for folder, modules in compiled.COMPILED.items() for name in modules]


class BuildEngine(build_ext):
    """Compile on all cores, unless compiled files from the same sources already exist."""

    def finalize_options(self) -> None:
        """Use all cores by default."""
        super().finalize_options()
        self.parallel = self.parallel or os.cpu_count()

    def run(self) -> None:
        """Compile the modules, once or twice, and write the hashes of their sources; without a compiler, do nothing."""
        self.force = True
        self.target = Path("arena") if self.inplace else Path(self.build_lib) / "arena"
        if self.inplace:  # as pip does for other packages: the first command begins a second sooner
            compileall.compile_dir(self.target, quiet=2)
        common, faster = self.flags()
        built = {"sources": compiled.source_hashes(Path("arena").resolve()), "flags": common}
        folders = [self.target, *([self.target / "_v3"] if faster else [])]
        if compiled.built_as(self.target) == built and all(map(complete, folders)):
            return
        forget(self.target)  # files of other sources or flags, and of modules that are not compiled any more
        if not self.translate():
            return
        self.compile_with(common)
        super().run()
        if faster:
            self.compile_with(faster)
            self.build_lib = self.build_temp = str(Path(self.build_temp) / "v3")
            self.build_extensions()
            shutil.copytree(Path(self.build_lib) / "arena", folders[1], dirs_exist_ok=True)
        if all(map(complete, folders)):
            (self.target / "_built.json").write_text(json.dumps(built, indent=1) + "\n")
        else:
            forget(self.target)

    def translate(self) -> bool:
        """Translate the modules to C; return False if Cython is missing or disabled."""
        if os.environ.get("ARENA_NO_COMPILE"):
            return False
        try:
            from Cython.Build import cythonize
        except ImportError:
            return False
        directives = {"auto_pickle": False}  # the added code would fill objects without checking their fields
        translated = cythonize(
            [Extension(extension.name, extension.sources) for extension in self.extensions],
            language_level=3,
            compiler_directives=directives,
            force=True,
            nthreads=self.parallel,
            quiet=True,
        )
        sources = {extension.name: extension.sources for extension in translated}
        for extension in self.extensions:
            extension.sources = sources[extension.name]
        return True

    def flags(self) -> tuple[list[str], list[str]]:
        """Return the compiler flags, and the flags of a second compilation for newer processors (empty: none)."""
        if "ARENA_CFLAGS" in os.environ:
            return os.environ["ARENA_CFLAGS"].split(), []
        if os.name == "nt":
            return ["/O2", "/fp:precise"], []
        if sys.platform != "linux" or platform.machine() != "x86_64":
            return EXACT, []
        faster = [*EXACT, *compiled.V3_FLAGS]
        if self.inplace:
            return (faster if compiled.has_v3() else EXACT), []
        return EXACT, faster

    def compile_with(self, flags: list[str]) -> None:
        """Set the flags, with -O3 only where it makes the engine faster: it takes the compiler twice as long as -O1."""
        for extension in self.extensions:
            level = next((level for level, names in LEVELS.items() if extension.name.startswith(names)), "-O3")
            extension.extra_compile_args = [level if flag == "-O3" else flag for flag in flags]

    def copy_extensions_to_source(self) -> None:
        """Replace the old files by new ones, so that a process that has loaded an old file keeps it."""
        forget(self.target)
        super().copy_extensions_to_source()


def complete(folder: Path) -> bool:
    """Check whether a folder holds all compiled modules for this interpreter."""
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    return all((folder / f"{module}{suffix}").exists() for module in MODULES)


def forget(package: Path) -> None:
    """Delete the compiled modules, so that the sources run."""
    for path in compiled.compiled_files(package):
        path.unlink()
    (package / "_built.json").unlink(missing_ok=True)


class BuildPackage(build_py):
    """Copy bots, configs and examples into the package."""

    def run(self) -> None:
        """Build the package, then copy the data files."""
        super().run()
        if not self.editable_mode:
            for name, pattern in (("bots", "**/*"), ("configs", "**/*.toml"), ("examples", "**/*")):
                for path in sorted(path for path in Path(name).glob(pattern) if _travels(path)):
                    target = Path(self.build_lib) / "arena" / "_data" / path
                    target.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(path, target)


def _travels(path: Path) -> bool:
    kinds = (".py", ".c", ".js", ".java", ".go", ".ts", ".md", ".toml", ".npz", ".yml")
    return path.is_file() and "__pycache__" not in path.parts and path.suffix in kinds


#: `optional`: without a compiler, the rules run uncompiled.
EXTENSIONS = [
    Extension(f"arena.{module.replace('/', '.')}", [f"arena/{module}.py"], optional=True) for module in MODULES
]

setup(ext_modules=EXTENSIONS, cmdclass={"build_ext": BuildEngine, "build_py": BuildPackage})
