"""Hash the files that a bot consists of. None of them is run.

A bot consists of

* its own file;
* the modules of its folder that it imports, and those that they import;
* the data files that one of these sources names in a string: `"weights.npz"`, `"data/book.json"`, or `"data"` for all
  files in that folder. Names are looked up in the folder of the source; `".npz"` is also looked up as a suffix of the
  source's own name. A string with a slash that names no file stands for the folder before its last slash, as in
  `"data/*.json"` and `f"data/{rules}.json"`.

Several bots may share a folder, so a Python file counts only if it is imported, and no string stands for the folder
itself. Nothing outside the folder counts: no installed package, no module of the program, and no path that leads out. A
file that a bot writes in its folder would make it another bot; those called `*.log` do not count.

A bot is refused if one of its files is a link that leads out of the folder, or no regular file, or if they are too many
or too large: they are copied to where the bot can read them.
"""

from __future__ import annotations

import ast
import hashlib
import os
import re
import stat
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import TypeAlias

from arena.bots.compilation import LONGEST_PARSED, source_text
from arena.bots.faults import BotError
from arena.paths import weights_hash

MOST_SOURCE_BYTES = 64 << 20
"""The largest size of a bot's file or of a module that it imports."""
MAX_BOT_FILES, MAX_BOT_BYTES = 2000, 256 << 20
"""Limits on all files of a bot."""
_MOST_PARSED_BYTES = 8 << 20  # of all its sources
_PIECE = 1 << 20
_AS_IT_IS = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)  # neither follows a link nor waits
_LOADS_NET = re.compile(rb"\bload_net\b")
_NO_DATA = re.compile(r".*\.(py|pyc|pyo|log)|__pycache__")
_COMPILED = (".so", ".pyd")
_INSTALLED = ("site-packages", "dist-packages")
_IMPORTING = ("import_module", "__import__")


@dataclass(frozen=True)
class SourceFiles:
    """The files that a bot consists of, by their paths below the folder `home`, and the hash of the bot."""

    home: str
    names: tuple[str, ...]
    source_hash: str


def file_hash(source: bytes) -> str:
    """Return the SHA-256 of a source, in hex.

    If the source names `load_net`, the packaged weights are part of the hash: with new ones the bot plays other games.
    """
    digest = hashlib.sha256(source).hexdigest()
    if _LOADS_NET.search(source):
        digest = hashlib.sha256(f"{digest} {weights_hash()}".encode()).hexdigest()
    return digest


class OwnFiles:
    """Reads the files of one bot. They are regular files in one of its `folders`, within limits; else BotError."""

    def __init__(self, bot: str, folders: Iterable[str]) -> None:
        self._bot = bot
        self._folders = [os.path.realpath(folder) for folder in folders]
        self._files = self._bytes = 0

    def pieces(self, path: str) -> Iterator[bytes]:
        """Yield the content of a file, never more than its size."""
        real = os.path.realpath(path)
        if not any(_is_within(real, folder) for folder in self._folders):
            raise BotError(
                f"the file {path} of the bot {self._bot} is a link that leads out of the bot's folder, to {real};"
                " put a copy of the file in its place"
            )
        about = os.stat(real)
        special = f"{path} of the bot {self._bot} is not a regular file; put one in its place, or remove it"
        if not stat.S_ISREG(about.st_mode):
            raise BotError(special)
        self._files += 1
        self._bytes += about.st_size
        if self._files > MAX_BOT_FILES or self._bytes > MAX_BOT_BYTES:
            raise BotError(
                f"the bot {self._bot} has more than {MAX_BOT_FILES:,} files or {MAX_BOT_BYTES >> 20} MiB, up to {path};"
                " move what it does not read: a string in a source that names a folder stands for all files in it"
            )
        with open(real, "rb", opener=lambda name, flags: os.open(name, flags | _AS_IT_IS)) as file:
            left = about.st_size
            if not left and file.read(1):  # it is made while it is read, as in /proc, and may never end
                raise BotError(special)
            while piece := file.read(min(left, _PIECE)):
                left -= len(piece)
                yield piece

    def content(self, path: str) -> bytes:
        """Return the content of a file; b"" if the bot cannot read it either."""
        try:
            return b"".join(self.pieces(path))
        except OSError:
            return b""

    def hash(self, path: str) -> str:
        """Return the SHA-256 of a file, in hex; "" if the bot cannot read it either."""
        digest = hashlib.sha256()
        try:
            for piece in self.pieces(path):
                digest.update(piece)
        except OSError:
            return ""
        return digest.hexdigest()


def source_files(path: Path, source: bytes, module: str = "") -> SourceFiles:
    """Return the files of a bot; raise BotError if one of them is refused.

    `source` is the content of its own file. `module` is the full name of the module if the bot is a class of a package:
    where that was installed, links may lead anywhere, because it is never copied.
    """
    package, inner = module.partition(".")[0], module.count(".") + (path.name == "__init__.py")
    home = str(path.parents[min(inner, len(path.parents) - 1)])
    if package == "arena":
        return SourceFiles(home, (path.name,), file_hash(source))
    only = package if os.path.basename(home) in _INSTALLED else ""  # beside an installed package lie all others
    own = str(path)
    files = OwnFiles(path.name, [Path(home).anchor if module else home])
    listing = cache(_listing)
    waiting = [own, *(_module_files(home, module.split("."), listing) if module else ())]
    modules, data = dict[str, str](), dict[str, str]()
    parsed = 0
    for file in waiting:  # grows
        if file in modules:
            continue
        text = source if file == own else files.content(file)
        modules[file] = file_hash(text)
        if not file.endswith(".py"):
            continue
        parsed += len(text) if len(text) <= LONGEST_PARSED else 0
        if parsed > _MOST_PARSED_BYTES:
            most = f"{_MOST_PARSED_BYTES >> 20} MiB of sources"
            raise BotError(f"the bot {path.name} has more than {most}, up to {file}; put tables into data files")
        imports, names = _names_in(text)
        folders = []
        for named in _named(file, names, home):
            if os.path.isdir(named):
                folders.append(named)
                found = _data_files(named)
            else:
                found = iter(() if _NO_DATA.fullmatch(os.path.basename(named)) else (named,))
            for one in found:
                if one not in data:
                    data[one] = files.hash(one)
        places = [home, os.path.dirname(file), *folders]
        waiting += (one for one in _imported(file, imports, places, only, listing) if _is_within(one, home))
    hashes = {os.path.relpath(file, home): digest for file, digest in (data | modules).items()}
    return SourceFiles(home, tuple(hashes), _total(hashes, os.path.relpath(own, home)))


def _total(hashes: Mapping[str, str], own: str) -> str:
    """Return the hash over those of all files; of a single file, that of the file."""
    if len(hashes) == 1:
        return hashes[own]
    # without the name of the bot's own file, which may be renamed
    lines = sorted(f"{'' if name == own else name}\0{digest}" for name, digest in hashes.items())
    return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogateescape")).hexdigest()


def current_hash(path: Path, module: str = "") -> str:
    """Return the hash of a bot's files as they are now; "" if one of them is refused."""
    try:
        return source_files(path, OwnFiles(path.name, [str(path.parent)]).content(str(path)), module).source_hash
    except BotError:
        return ""


def is_local(name: str) -> bool:
    """Return whether the bot's folder is searched for a module: the standard library comes before it."""
    return name not in sys.stdlib_module_names and name != "arena"


# ---------------------------------------------------------------- modules


def _imported(
    path: str, imports: Iterable[tuple[int, str]], folders: list[str], only: str, listing: _Listing
) -> Iterator[str]:
    """Yield the files of what a module imports, from the first of the folders that has it.

    The first folder holds all files of the bot. `only` is the name of an installed package, to which the bot belongs.
    """
    for level, name in sorted(imports):
        parts = name.split(".")
        places = folders if is_local(parts[0]) and only in ("", parts[0]) else []
        if level:
            place = os.path.normpath(os.path.join(os.path.dirname(path), *[".."] * (level - 1)))
            places = [place] if _is_within(place, folders[0]) else []
        yield from next(filter(None, (_module_files(place, parts, listing) for place in places)), [])


def _module_files(place: str, parts: list[str], listing: _Listing) -> list[str]:
    """Return the files that are loaded from a folder for a dotted name; its last parts may be something in a module."""
    files: list[str] = []
    for part in parts:
        beside = listing(place).get(part, ())
        if not beside:
            return files
        inner = os.path.join(place, part)
        if os.path.isfile(os.path.join(inner, "__init__.py")):
            files.append(os.path.join(inner, "__init__.py"))
        else:
            # compiled ones may be for another version of Python, which makes the source count
            found = [name for name in beside if name.endswith(_COMPILED)]
            found += [f"{part}.py"] * os.path.isfile(f"{inner}.py")
            if found or not os.path.isdir(inner):
                return files + [os.path.join(place, name) for name in found]
        place = inner
    return files


_Listing: TypeAlias = Callable[[str], Mapping[str, Sequence[str]]]


def _listing(folder: str) -> dict[str, list[str]]:
    """Return the names in a folder, by what comes before their first dot: a source may import a million modules."""
    names: dict[str, list[str]] = {}
    try:
        for name in sorted(os.listdir(folder)):
            names.setdefault(name.partition(".")[0], []).append(name)
    except OSError:
        pass
    return names


# ---------------------------------------------------------------- data


def _named(path: str, texts: Iterable[str], home: str) -> Iterator[str]:
    """Yield the files and folders that strings in a source name."""
    here, stem = os.path.dirname(path), Path(path).stem
    for text in [*texts, *(stem + text for text in texts if text[0] in "._-")]:
        name = os.path.normpath(os.path.join(here, text))
        if not os.path.exists(name):
            name = os.path.normpath(os.path.join(here, text.rpartition("/")[0]))
        # neither the folder of the source nor one around it: other bots may be there
        if _is_within(name, home) and not _is_within(here, name) and os.path.exists(name):
            yield name


def _is_within(path: str, folder: str) -> bool:
    return os.path.join(path, "").startswith(os.path.join(folder, ""))


def _data_files(folder: str) -> Iterator[str]:
    """Yield the files below a folder that may be data, in a fixed order."""
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name[0] != "." and not _NO_DATA.fullmatch(name))
        for name in sorted(names):
            path = os.path.join(parent, name)
            if name[0] != "." and not _NO_DATA.fullmatch(name) and os.path.exists(path):
                yield path


# ---------------------------------------------------------------- what a source names


@lru_cache(maxsize=200)
def _names_in(source: bytes) -> tuple[set[tuple[int, str]], set[str]]:
    """Return what a source imports, each with its number of leading dots, and the strings in it.

    Sources that are not valid Python, or are too long to parse, name nothing.
    """
    imports: set[tuple[int, str]] = set()
    texts: set[str] = set()
    if len(source) > LONGEST_PARSED:
        return imports, texts
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # loading the bot warns of strings such as "\d"
            tree = ast.parse(source_text(source))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return imports, texts
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            texts.add(node.value)
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
    return imports, texts - {""}
