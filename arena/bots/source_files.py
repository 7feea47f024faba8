"""Hash the files that a bot consists of. None of them is run.

A bot consists of

* its own file;
* the modules of its folder that it imports, and those that they import;
* the data files that one of these sources names in a string: `"weights.npz"`, `"data/book.json"`, or `"data"` for all
  files in that folder. Names are looked up in the folder of the source; `".npz"` is also looked up as a suffix of the
  source's own name, and `"data/*.json"` and `f"data/{rules}.json"` stand for the folder `data`.

Several bots may share a folder, so a Python file counts only if it is imported, and no string stands for the folder
itself. Nothing outside the folder counts: no installed package, and no module of the program. A file that a bot writes
in its folder would make it another bot; those called `*.log` do not count.

Sizes are bounded: 1,000 modules, the first 1,000 files of a folder, and of data of more than 64 MiB in total the size,
the first and the last MiB of each file.
"""

from __future__ import annotations

import ast
import hashlib
import os
import re
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from arena.paths import read_small_file, weights_hash

MOST_SOURCE_BYTES = 64 << 20
"""The largest size of a bot's file or of a module that it imports."""
_LONGEST_PARSED = 2 << 20  # a syntax tree takes up to 250 times the memory of its source
_MOST_FILES = 1000
_MOST_DATA_BYTES = 64 << 20
_END = 1 << 20
_LOADS_NET = re.compile(rb"\bload_net\b")
_WORD = re.compile(rb"\w+")
_WILDCARD = re.compile(r"[*?\[{%]")
_NO_DATA = re.compile(r".*\.(py|pyc|pyo|log)|__pycache__")
_COMPILED = (".so", ".pyd")
_INSTALLED = ("site-packages", "dist-packages")
_JOINTS = "._-"
_IMPORTING = ("import_module", "__import__")


def file_hash(source: bytes) -> str:
    """Return the SHA-256 of a source, in hex.

    If the source names `load_net`, the packaged weights are part of the hash: with new ones the bot plays other games.
    """
    digest = hashlib.sha256(source).hexdigest()
    if _LOADS_NET.search(source):
        digest = hashlib.sha256(f"{digest} {weights_hash()}".encode()).hexdigest()
    return digest


def bot_hash(path: Path, source: bytes, module: str = "") -> str:
    """Return the SHA-256 of all files that a bot consists of, in hex; of a single file, the hash of that file.

    `source` is the content of the bot's file. `module` is the full name of the module if the bot is a class of a
    package; it then consists of files of this package only.
    """
    root, package = _root(path, module)
    if root is None:
        return file_hash(source)
    files = _BotFiles(root, package)
    files.add_all(path, source, module)
    return _total(file_hash(source), files.hashes())


def _total(own: str, others: Mapping[str, str]) -> str:
    if not others:
        return own
    # without the name of the bot's own file, which may be renamed
    lines = [f"\0{own}", *(f"{name}\0{digest}" for name, digest in sorted(others.items()))]
    return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogateescape")).hexdigest()


def current_hash(path: Path, module: str = "") -> str:
    """Return what `bot_hash` says about a bot's files as they are now; "" if its own file cannot be read."""
    try:
        return bot_hash(path, read_small_file(path, MOST_SOURCE_BYTES), module)
    except OSError:
        return ""


@dataclass(frozen=True)
class SourceFiles:
    """The files that a bot consists of, and the folders in which a new file could become one of them.

    `hashes` has the hash of each file by its path below the folder `root`; `source_hash` is the hash of the bot.
    """

    root: str
    source_hash: str
    hashes: Mapping[str, str]
    folders: frozenset[str]

    def holds(self, name: str, content: bytes) -> bool:
        """Return whether this is the content of a file, which must be no data of more than 64 MiB in total."""
        return self.hashes[name] in (hashlib.sha256(content).hexdigest(), file_hash(content))


def source_files(path: Path, source: bytes) -> SourceFiles:
    """Return the files of a bot that is not a class of a package. `source` is the content of its own file."""
    root = str(path.parent)
    files = _BotFiles(root, "")
    files.add_all(path, source, "")
    own, others = file_hash(source), files.hashes()
    hashes = {**files.empty_modules(), **others, path.name: own}
    return SourceFiles(root, _total(own, others), hashes, files.folders)


def _root(path: Path, module: str) -> tuple[str | None, str]:
    """Return the folder that holds all files of a bot, None if it has only one, and the name of its package if any."""
    parts = module.split(".") if module else []
    inner = parts if path.name == "__init__.py" else parts[:-1]
    if not inner:
        alone = bool(module) and path.parent.name in _INSTALLED
        return (None if alone else str(path.parent)), ""
    if inner[0] == "arena" or path.parent.parts[-len(inner) :] != tuple(inner):  # a link to a file elsewhere
        return None, ""
    return str(path.parents[len(inner) - 1]), inner[0]


def is_local(name: str) -> bool:
    """Return whether the bot's folder is searched for a module: the standard library comes before it."""
    return name not in sys.stdlib_module_names and name != "arena"


@lru_cache(maxsize=10_000)
def _words_of(name: str) -> tuple[bytes, ...]:
    """Return the words that are in each source that names an entry of a folder."""
    if name.endswith((".py", *_COMPILED)):
        name = name.partition(".")[0]
    return tuple(_WORD.findall(os.fsencode(name)))


def _listing(folder: str) -> frozenset[str]:
    try:
        return frozenset(os.listdir(folder))
    except OSError:
        return frozenset()


# ---------------------------------------------------------------- the files of a bot


class _BotFiles:
    """The files of a bot besides its own, all below the folder `root`."""

    def __init__(self, root: str, package: str) -> None:
        self._root = root
        self._package = package
        self._modules: dict[str, str] = {}
        self._data: set[str] = set()
        self._empty: dict[str, str] = {}
        self._listings: dict[str, frozenset[str]] = {}
        self._looked_in: set[str] = set()

    @property
    def folders(self) -> frozenset[str]:
        """The folders in which a new file could be another one of them."""
        return frozenset({*self._listings, *self._looked_in, *map(os.path.dirname, self._data)})

    def add_all(self, path: Path, source: bytes, module: str) -> None:
        """Add everything that the bot's file and its modules import and name."""
        own = str(path)
        waiting = [own]
        if self._package:  # importing a module runs the packages around it
            waiting += self._module_files(os.path.dirname(self._root), module.split("."))
        seen: set[str] = set()
        for file in waiting:  # grows
            if file in seen or len(seen) == _MOST_FILES:
                continue
            seen.add(file)
            text = source if file == own else self._add_module(file)
            if self._may_use_others(file, text):
                imports, names = _names_in(text)
                folders = self._add_data(file, names)
                waiting += self._imported(file, imports, folders)

    def hashes(self) -> dict[str, str]:
        """Return the hash of each file by its path below the root."""
        sizes = {path: _size(path) for path in self._data}
        whole = sum(sizes.values()) <= _MOST_DATA_BYTES
        data = {path: _data_hash(path, whole) for path in self._data}
        return self._below_root({**data, **self._modules})

    def empty_modules(self) -> dict[str, str]:
        """Return the hash of each module without a line, by its path below the root; for the bot it does not count."""
        return self._below_root(self._empty)

    def _below_root(self, hashes: Mapping[str, str]) -> dict[str, str]:
        return {os.path.relpath(path, self._root): digest for path, digest in hashes.items()}

    def _add_module(self, path: str) -> bytes:
        """Add a module; return its source, nothing if it has none that can be read."""
        source = b""
        try:
            if os.path.isfile(path):
                source = read_small_file(Path(path), MOST_SOURCE_BYTES)
        except OSError:
            self._data.add(path)
        if source.strip():  # most files __init__.py are empty, and with or without them a package is the same
            self._modules[path] = file_hash(source)
        elif path not in self._data:
            self._empty[path] = file_hash(source)
        return source

    def _may_use_others(self, path: str, source: bytes) -> bool:
        """Return whether a source may name a file of the bot. This takes a fraction of the time of parsing it."""
        here, stem = os.path.dirname(path), Path(path).stem
        words = set(_WORD.findall(source))
        entries: set[str] = set()
        folder = here
        while _is_within(folder, self._root):
            entries |= self._names(folder)
            folder = os.path.dirname(folder)
        own = (os.path.basename(path), "__pycache__")
        return any(
            words.issuperset(_words_of(name)) or (name.startswith(stem) and name[len(stem) :][:1] in _JOINTS)
            for name in entries
            if name not in own
        )

    # ------------------------------------------------------------ modules

    def _imported(self, path: str, imports: Iterable[tuple[int, str]], folders: list[str]) -> Iterator[str]:
        """Yield the files of what a module imports; `folders` are those that it names, perhaps to import from them."""
        here = os.path.dirname(path)
        for level, name in sorted(imports):
            parts = name.split(".")
            if level:
                place = os.path.normpath(os.path.join(here, *[".."] * (level - 1)))
                places = [place] if _is_within(place, self._root) else []
            elif self._package:
                places = [os.path.dirname(self._root)] if parts[0] == self._package else []
            else:
                places = [self._root, here, *folders] if is_local(parts[0]) else []
            for place in places:
                found = self._module_files(place, parts)
                if found:
                    yield from found
                    break

    def _module_files(self, place: str, parts: list[str]) -> list[str]:
        """Return the files that are loaded from a folder for a dotted name, packages first.

        The last parts of the name may be something in a module.
        """
        files: list[str] = []
        for part in parts:
            names = self._names(place)
            inner = os.path.join(place, part)
            if part in names and "__init__.py" in self._names(inner):
                files.append(os.path.join(inner, "__init__.py"))
            else:
                found = [name for name in names if name.startswith(f"{part}.") and name.endswith((".py", *_COMPILED))]
                # compiled ones may be for another version of Python, which makes the source count
                modules = [name for name in sorted(found) if name == f"{part}.py" or not name.endswith(".py")]
                if modules or part not in names:
                    return files + [os.path.join(place, name) for name in modules]
            place = inner
        return files

    def _names(self, folder: str) -> frozenset[str]:
        if folder not in self._listings:
            self._listings[folder] = _listing(folder)
        return self._listings[folder]

    # ------------------------------------------------------------ data

    def _add_data(self, path: str, names: set[str]) -> list[str]:
        """Add the data files that a module names; return the folders that it names."""
        here, stem = os.path.dirname(path), Path(path).stem
        folders = []
        own = {stem + name for name in names if name[0] in _JOINTS}
        for name in sorted(names | own):
            file = os.path.normpath(os.path.join(here, name))
            if not _is_within(file, self._root):
                continue
            if os.path.isfile(file):
                if not _NO_DATA.fullmatch(os.path.basename(file)):
                    self._data.add(file)
            # neither the folder of the module nor what is around it, by whatever link: other bots may be there
            elif os.path.isdir(file) and not _is_within(os.path.realpath(here), os.path.realpath(file)):
                folders.append(file)
                self._data.update(_data_files(file))
                self._looked_in.add(file)
            elif "/" in name:  # it is not there, so perhaps it will be
                self._looked_in.add(_nearest_folder(file))
        return folders


def _is_within(path: str, folder: str) -> bool:
    return os.path.join(path, "").startswith(os.path.join(folder, ""))


def _nearest_folder(path: str) -> str:
    """Return the folder around a file that does not exist, or what there is of it."""
    while not os.path.isdir(path):
        path = os.path.dirname(path)
    return path


def _data_files(folder: str) -> list[str]:
    """Return the files below a folder that may be data, in a fixed order and at most 1,000 of them."""
    files: list[str] = []
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name[0] != "." and not _NO_DATA.fullmatch(name))
        for name in sorted(names):
            path = os.path.join(parent, name)
            if name[0] != "." and not _NO_DATA.fullmatch(name) and os.path.isfile(path):
                files.append(path)
                if len(files) == _MOST_FILES:
                    return files
    return files


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


def _data_hash(path: str, whole: bool) -> str:
    """Return the SHA-256 of a file, in hex; if it is not to be read as a whole, over its size, its start and its end.

    A file that cannot be read has an empty hash: the bot cannot read it either.
    """
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            if whole or size <= 2 * _END:
                return hashlib.file_digest(file, "sha256").hexdigest()
            total = hashlib.sha256(f"{size} ".encode() + file.read(_END))
            file.seek(size - _END)
            total.update(file.read(_END))
            return total.hexdigest()
    except OSError:
        return ""


# ---------------------------------------------------------------- what a source names


def _names_in(source: bytes) -> tuple[set[tuple[int, str]], set[str]]:
    """Return what a source imports, each with its number of leading dots, and what may be names of data files in it.

    Sources that are not valid Python, or are too long to parse, name nothing.
    """
    imports: set[tuple[int, str]] = set()
    names: set[str] = set()
    if len(source) > _LONGEST_PARSED:
        return imports, names
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # loading the bot warns of strings such as "\d"
            tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return imports, names
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            names.update(_file_names(node.value))
        elif isinstance(node, ast.JoinedStr):
            texts = [part.value for part in node.values if isinstance(part, ast.Constant)]
            names.update(str(text).rpartition("/")[0] for text in texts)
        elif isinstance(node, ast.Import):
            imports.update((0, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            before = f"{node.module}." if node.module else ""
            imports.update((node.level, before + alias.name) for alias in node.names)
        elif isinstance(node, ast.Call) and node.args:
            called, first = node.func, node.args[0]
            word = called.id if isinstance(called, ast.Name) else getattr(called, "attr", "")
            if word in _IMPORTING and isinstance(first, ast.Constant) and isinstance(first.value, str):
                name = first.value.lstrip(".")
                imports.add((len(first.value) - len(name), name))
    return imports, names - {""}


def _file_names(text: str) -> Iterator[str]:
    """Yield the names that a string may stand for.

    >>> list(_file_names("book.json")), list(_file_names("nets/*/best.npz"))
    (['book.json'], ['nets/*/best.npz', 'nets'])
    """
    yield text
    fixed = _WILDCARD.split(text, maxsplit=1)[0]
    if fixed != text:
        yield fixed.rpartition("/")[0]
