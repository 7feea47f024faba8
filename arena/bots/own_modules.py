"""Import the modules of a bot: from source only, and those of its folder for this bot alone.

The hash of a bot covers sources, so no bytecode stands in for them; and none is written beside them.
"""

from __future__ import annotations

import builtins
import linecache
import os
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from importlib import machinery
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from arena.bots.bundle import is_local
from arena.bots.compilation import source_text

_LOADED = machinery.ExtensionFileLoader, machinery.EXTENSION_SUFFIXES


class SourceFinder:
    """Finds modules called `names` in `folders`, and what is inside them: their sources, or compiled extensions.

    The sources get the built-in names `namespace`. Messages show a path in the first of `folders` as one in `shown_as`.
    """

    def __init__(self, folders: list[str], names: set[str], namespace: dict[str, Any], shown_as: str = "") -> None:
        self.folders = folders
        self.names = names
        self.namespace = namespace
        self.shown_as = shown_as

    def covers(self, name: str) -> bool:
        """Return whether a module of this full name is looked for here."""
        return name.partition(".")[0] in self.names

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: object = None
    ) -> machinery.ModuleSpec | None:
        """Find a module, for the import system; `path` has the folders of the package around it."""
        for folder in (path or self.folders) if self.covers(name) else ():
            found = machinery.FileFinder(folder, _LOADED, (_SourceLoader, machinery.SOURCE_SUFFIXES)).find_spec(name)
            if found is None or (found.loader is None and self is PACKAGES):
                continue  # folders without __init__.py are put together by the import system
            if isinstance(found.loader, _SourceLoader):
                found.loader.finder = self
            # a folder without __init__.py comes after what is installed
            other = machinery.PathFinder.find_spec(name, path) if found.loader is None else None
            return found if other is None or other.loader is None else other
        return None


class _SourceLoader(machinery.SourceFileLoader):
    finder: SourceFinder

    def create_module(self, spec: machinery.ModuleSpec) -> ModuleType:
        module = ModuleType(spec.name)
        module.__dict__["__builtins__"] = self.finder.namespace
        return module

    def source_to_code(self, data: Any, path: Any, **options: Any) -> CodeType:  # type: ignore[override]
        """Compile a source, which must be UTF-8."""
        if self.finder.shown_as:
            path = self.finder.shown_as + path.removeprefix(self.finder.folders[0])
        return compile_as(data, path)

    def path_stats(self, path: str) -> Any:
        """Refuse what the import system needs for reading and writing bytecode."""
        raise OSError


def compile_as(source: bytes, path: str) -> CodeType:
    """Compile a source for its run; messages show it under a path, where another file or none may be."""
    text = source_text(source, path)
    code = compile(text, path, "exec", dont_inherit=True)
    linecache.cache[path] = len(source), None, text.splitlines(keepends=True), path
    return code


PACKAGES = SourceFinder(sys.path, set(), vars(builtins))
"""Finds the packages of bots, which all code can import."""


class OwnModules(SourceFinder):
    """The modules in the folder of a bot, which its own code can import anywhere, and all code while this is entered.

    `modules` are those that were imported; nobody else finds them. The standard library comes before the folder: a bot
    in a file `random.py` does not shadow `random`.
    """

    def __init__(self, folder: Path, shown_as: Path) -> None:
        namespace = {**vars(builtins), "__import__": self._import}
        super().__init__([str(folder)], _importable(folder), namespace, str(shown_as))
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
            self.modules.update(self._taken())
            sys.modules.update(self._covered)
            sys.meta_path.remove(self)

    def _taken(self) -> dict[str, ModuleType]:
        return {name: sys.modules.pop(name) for name in list(sys.modules) if self.covers(name)}

    def _import(self, name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> Any:
        """Do what the import statements in the bot's code ask for."""
        known = self.modules.get(name)
        if known is not None and not level and "." not in name and all(hasattr(known, one) for one in fromlist or ()):
            return known  # a search may do this at each node
        with self if level or self.covers(name) else nullcontext():
            return builtins.__import__(name, globals, locals, fromlist, level)


def _importable(folder: Path) -> set[str]:
    """Return the names that can be imported from a folder, without the standard library's and ours."""
    with os.scandir(folder) as entries:
        names = {
            entry.name.partition(".")[0]
            for entry in entries  # folders with or without an __init__.py
            if (entry.is_dir() if entry.name.isidentifier() else entry.name.endswith((".py", ".so", ".pyd")))
        }
    return set(filter(is_local, names))
