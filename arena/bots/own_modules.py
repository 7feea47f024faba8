"""Import the modules of a bot: from source only, and those of its folder for this bot alone.

The hash of a bot covers sources, so no bytecode stands in for them; and none is written beside them.
"""

from __future__ import annotations

import builtins
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib.machinery import (
    EXTENSION_SUFFIXES,
    SOURCE_SUFFIXES,
    ExtensionFileLoader,
    FileFinder,
    ModuleSpec,
    PathFinder,
    SourceFileLoader,
)
from pathlib import Path
from types import ModuleType
from typing import Any

from arena.bots.source_files import is_local

_import = builtins.__import__


class SourceFinder:
    """Finds modules called `names` in `folders`, and what is inside them: their sources, or compiled extensions.

    `builtins` is the namespace of built-in names that the sources get, if it is not the common one.
    """

    def __init__(self, folders: Iterable[str], names: set[str], namespace: dict[str, Any] | None = None) -> None:
        self.folders = list(folders)
        self.names = names
        self.builtins = vars(builtins) if namespace is None else namespace

    def covers(self, name: str) -> bool:
        """Return whether a module of this full name is looked for here."""
        return name.partition(".")[0] in self.names

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: object = None) -> ModuleSpec | None:
        """Find a module, for the import system; `path` has the folders of the package around it."""
        for folder in (path or self.folders) if self.covers(name) else ():
            finder = FileFinder(folder, (ExtensionFileLoader, EXTENSION_SUFFIXES), (_SourceLoader, SOURCE_SUFFIXES))
            found = finder.find_spec(name)
            if found is None:
                continue
            if isinstance(found.loader, _SourceLoader):
                found.loader.builtins = self.builtins
            # a folder without __init__.py comes after what is installed
            other = PathFinder.find_spec(name, path) if found.loader is None else None
            return found if other is None or other.loader is None else other
        return None


class _SourceLoader(SourceFileLoader):
    builtins: dict[str, Any]

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = ModuleType(spec.name)
        module.__dict__["__builtins__"] = self.builtins
        return module

    def path_stats(self, path: str) -> Any:
        """Refuse what the import system needs for reading and writing bytecode."""
        raise OSError


class OwnModules(SourceFinder):
    """The modules in the folder of a bot, which its own code can import anywhere, and all code while this is entered.

    `modules` are those that were imported; nobody else finds them. The standard library comes before the folder: a bot
    in a file `random.py` does not shadow `random`.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__([str(folder)], _importable(folder), {**vars(builtins), "__import__": self._import})
        self.modules: dict[str, ModuleType] = {}
        self._covered: dict[str, ModuleType] = {}
        self._inside = 0

    def __enter__(self) -> None:
        """Show the modules to all code, until the last one leaves who has entered."""
        self._inside += 1
        if self._inside == 1:
            self._covered = self._taken()
            sys.modules.update(self.modules)
            sys.meta_path.insert(0, self)

    def __exit__(self, *error: object) -> None:
        self._inside -= 1
        if not self._inside:
            if self in sys.meta_path:
                sys.meta_path.remove(self)
            self.modules.update(self._taken())
            sys.modules.update(self._covered)

    def _taken(self) -> dict[str, ModuleType]:
        return {name: sys.modules.pop(name) for name in list(sys.modules) if self.covers(name)}

    def _import(
        self,
        name: str,
        globals: dict[str, Any] | None = None,
        locals: Any = None,
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> ModuleType:
        """Do what the import statements in the bot's code ask for."""
        if self._inside or not (level or self.covers(name)):
            return _import(name, globals, locals, fromlist or (), level)
        known = self.modules.get(name)
        if known is not None and "." not in name and all(hasattr(known, part) for part in fromlist or ()):
            return known  # a search may do this at each node
        with self:
            return _import(name, globals, locals, fromlist or (), level)


_packages = SourceFinder([], set())


@contextmanager
def package_sources(path: str, module: str) -> Iterator[None]:
    """Find the package of a bot's module by its sources, and from now on what is imported from inside it.

    `path` is the file of the module.
    """
    package, *inner = module.split(".")
    if is_local(package):
        _packages.names.add(package)
        _packages.folders.append(str(Path(path).parents[len(inner) + path.endswith("__init__.py")]))
    if _packages not in sys.meta_path:
        sys.meta_path.insert(0, _packages)
    try:
        yield
    finally:
        _packages.folders.clear()


def _importable(folder: Path) -> set[str]:
    """Return the names that can be imported from a folder, without the standard library's and ours."""
    with os.scandir(folder) as entries:
        names = {
            entry.name.partition(".")[0]
            for entry in entries  # folders with or without an __init__.py
            if (entry.is_dir() if entry.name.isidentifier() else entry.name.endswith((".py", ".so", ".pyd")))
        }
    return set(filter(is_local, names))
