"""A bundle: the files that a bot consists of, read once and run from a copy. None of them is run here.

Which files these are follows from the path of the bot's own file and from what is imported, never from other words of
a source:

* `bot.py`, or a file called like its folder (`ann/ann.py`), has the folder for itself: all files below it count, but
  hidden names, `__pycache__`, `*.pyc`, `*.log`, `*.md`, `results`, `leagues`, virtual environments, and Python files
  that are not imported;
* any other file shares its folder: what it imports from there counts, and what is called like the file followed by
  `.`, `_` or `-`, folders too (`mybot.json`, `mybot_weights.npz` for `mybot.py`), unless it fits another bot better.

Every process of a run loads the bot from a copy of these files, `.bots/HASH/`, so what runs is what was hashed.
Commands and classes of packages are run where they lie.
"""

from __future__ import annotations

import ast
import hashlib
import os
import re
import shutil
import stat
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeAlias

from arena.bots.compilation import LONGEST_PARSED, source_text
from arena.bots.faults import BotError
from arena.paths import weights_hash

BUNDLES = ".bots"
"""The folder of the copies in that of a run, while it is played."""
MAX_BOT_FILES, MAX_BOT_BYTES = 2000, 256 << 20
"""Limits on all files of a bot."""
_MOST_PARSED_BYTES = 8 << 20  # of all its sources
_AS_IT_IS = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)  # neither follows a link nor waits
_LOADS_NET = re.compile(rb"\bload_net\b")
_NOT_OURS = re.compile(r"\..*|__pycache__|.*\.(pyc|pyo|log|md)|results|leagues")
_COMPILED = (".so", ".pyd")
_INSTALLED = ("site-packages", "dist-packages")
_IMPORTING = ("import_module", "__import__")
_COMPUTING = (*_IMPORTING, "exec", "eval")
COMPUTED = (0, "?")
"""Stands for modules whose names are computed."""


@dataclass(frozen=True)
class BundleFile:
    """A file of a bot."""

    content: bytes
    executable: bool = False


@dataclass(frozen=True)
class Bundle:
    """A bot's files, by their paths below its folder, with slashes. `entry` is the path of its own file.

    `unlisted` are the names of files beside it that its sources name and that are not part of it.
    """

    entry: str
    files: Mapping[str, BundleFile]
    unlisted: tuple[str, ...] = ()

    @property
    def hash(self) -> str:
        """Return the SHA-256 that identifies the content: of a bot of one file, that of the file."""
        hashes = {
            path: file_hash(file.content) if path.endswith(".py") else hashlib.sha256(file.content).hexdigest()
            for path, file in self.files.items()
        }
        return _total(hashes, self.entry)

    def write(self, folder: Path) -> Path:
        """Write the files to a folder of their own below `folder`, which nobody may write to; return its path."""
        home = folder.resolve() / self.hash / Path(self.entry).stem
        if home.exists():  # the same bot plays twice
            return home
        for path, file in self.files.items():
            to = home / path
            to.parent.mkdir(parents=True, exist_ok=True)
            to.write_bytes(file.content)
            to.chmod(0o555 if file.executable else 0o444)
        for place, _, _ in os.walk(home):
            os.chmod(place, 0o555)
        return home


@contextmanager
def bundles_folder(parent: Path) -> Iterator[Path]:
    """Give bundles a folder in that of a run, and remove it after play; a run that was killed may have left one."""
    folder = parent / BUNDLES
    remove_bundles(folder)
    try:
        yield folder
    finally:
        remove_bundles(folder)


def remove_bundles(folder: Path) -> None:
    """Remove a folder of bundles, if it exists; of a link in its place only the link."""
    if folder.is_symlink():
        folder.unlink()
    for place, _, _ in os.walk(folder):  # nothing can be removed from a folder that nobody may write to
        os.chmod(place, 0o755)
    shutil.rmtree(folder, ignore_errors=True)


_held: dict[Path, Bundle] | None = None


@contextmanager
def bots_held() -> Iterator[None]:
    """Read each bot once: the runs of one command play one version of it, even if its author edits it meanwhile."""
    global _held
    before, _held = _held, {} if _held is None else _held
    try:
        yield
    finally:
        _held = before


def read_bundle(path: Path) -> Bundle:
    """Read the files of the bot in a file, or give those that are held (`bots_held`)."""
    held = {} if _held is None else _held
    if path not in held:
        held[path] = _read_bundle(path)
    return held[path]


def _read_bundle(path: Path) -> Bundle:
    """Read the files of the bot in a file. Raise BotError if one of them is refused, OSError if its own is not there.

    A file is refused if it is a link that leads out of the folder, or is not a regular file, and all are refused if
    they are too many or too large.
    """
    home, reader = path.parent, OwnFiles(path.name, [str(path.parent)])
    own = reader.content(str(path))
    alone = is_alone(path)
    below = sorted(_all_below(home, home) if alone else _beside(path))
    folders = sorted({os.path.dirname(name) for name in below}, key=len) if alone else []
    contents = {str(path): own, **dict(_modules(str(path), own, str(home), folders, reader))}
    for name in below:
        if not name.endswith(".py"):
            with suppress(OSError):  # the bot cannot read it either
                contents[name] = reader.content(name)
    files = _bundle_files(home, contents)
    return Bundle(path.name, files, _unlisted(home, files))


def _bundle_files(home: Path, contents: Mapping[str, bytes]) -> dict[str, BundleFile]:
    return {
        Path(name).relative_to(home).as_posix(): BundleFile(content, os.access(name, os.X_OK))
        for name, content in contents.items()
    }


def is_alone(path: Path) -> bool:
    """Return whether the bot in a file has the folder for itself."""
    return path.name == "bot.py" or path.stem == path.parent.name


def read_folder(home: Path, named: Sequence[Path]) -> Bundle:
    """Read all files of a bot below a folder, those of a command; of a folder that holds too much, those it names.

    Raise BotError if a file is refused, and if the named ones are too many or too large.
    """
    reader = OwnFiles(home.name, [str(home)])
    try:
        found = {name: reader.content(name) for name in sorted(_all_below(home, home))}
    except TooMuch:
        reader = OwnFiles(home.name, [str(home)])
        found = {str(path): reader.content(str(path)) for path in named if is_within(str(path), str(home))}
    return Bundle(named[0].name, _bundle_files(home, found))


def package_home(path: Path, module: str) -> Path:
    """Return the folder from which a module is imported, `path` being its file."""
    inner = module.count(".") + (path.name == "__init__.py")
    return path.parents[min(inner, len(path.parents) - 1)]


def package_hash(path: Path, module: str) -> str:
    """Return the hash of a class in a package, which is run where it is installed: its modules and their data files.

    `module` is the full name of the module, `path` its file. A module of the arena stands for itself.
    """
    package, home = module.partition(".")[0], str(package_home(path, module))
    reader = OwnFiles(module, [Path(home).anchor])  # links may lead anywhere: nothing is copied
    own = reader.content(str(path))
    if package == "arena":
        return file_hash(own)
    listing = cache(_listing)
    only = package if os.path.basename(home) in _INSTALLED else ""  # beside an installed package lie all others
    around = _module_files(home, module.split("."), listing)
    found = {str(path): own, **dict(_modules(str(path), own, home, [home], reader, around, only))}
    hashes = {os.path.relpath(name, home): file_hash(content) for name, content in found.items()}
    if home != str(path.parent):
        for name in _all_below(Path(home, package), Path("/")):
            if not name.endswith(".py"):
                with suppress(OSError):
                    hashes[os.path.relpath(name, home)] = hashlib.sha256(reader.content(name)).hexdigest()
    return _total(hashes, os.path.relpath(path, home))


def file_hash(source: bytes) -> str:
    """Return the SHA-256 of a source, in hex.

    If the source names `load_net`, the packaged weights are part of the hash: with new ones the bot plays other games.
    """
    digest = hashlib.sha256(source).hexdigest()
    if _LOADS_NET.search(source):
        digest = hashlib.sha256(f"{digest} {weights_hash()}".encode()).hexdigest()
    return digest


def _total(hashes: Mapping[str, str], own: str) -> str:
    """Return the hash over those of all files; of a single file, that of the file."""
    if len(hashes) == 1:
        return hashes[own]
    # without the name of the bot's own file, which may be renamed
    lines = sorted(f"{'' if name == own else name}\0{digest}" for name, digest in hashes.items())
    return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogateescape")).hexdigest()


class TooMuch(BotError):
    """A bot has too many files, or too large ones."""


class OwnFiles:
    """Reads the files of one bot. They are regular files in one of its `folders`, within limits; else BotError."""

    def __init__(self, bot: str, folders: Iterable[str]) -> None:
        self._bot = bot
        self._folders = [os.path.realpath(folder) for folder in folders]
        self._files = self._bytes = 0

    def content(self, path: str) -> bytes:
        """Return the content of a file, never more than its size. Raise OSError if it cannot be read."""
        real = os.path.realpath(path)
        if not any(is_within(real, folder) for folder in self._folders):
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
            raise TooMuch(
                f"the bot {self._bot} has more than {MAX_BOT_FILES:,} files or {MAX_BOT_BYTES >> 20} MiB, up to {path};"
                " move what it does not read out of its folder"
            )
        with open(real, "rb", opener=lambda name, flags: os.open(name, flags | _AS_IT_IS)) as file:
            content = file.read(max(about.st_size, 1))
        if len(content) > about.st_size:  # it is made while it is read, as in /proc, and may never end
            raise BotError(special)
        return content


def is_local(name: str) -> bool:
    """Return whether the bot's folder is searched for a module: the standard library comes before it."""
    return name not in sys.stdlib_module_names and name != "arena"


# ---------------------------------------------------------------- files below and beside


def _all_below(folder: Path, home: Path) -> Iterator[str]:
    """Yield the paths of all files below a folder that may be a bot's, following links within `home`."""
    top = os.path.realpath(home)
    for parent, folders, names in os.walk(folder, followlinks=True):
        real = os.path.realpath(parent)
        inner = [name for name in sorted(folders) if not _NOT_OURS.fullmatch(name)]
        folders[:] = [name for name in inner if not _is_other(os.path.join(parent, name), real, top)]
        yield from (os.path.join(parent, name) for name in names if not _NOT_OURS.fullmatch(name))


def _is_other(folder: str, around: str, top: str) -> bool:
    """Return whether a folder is an environment, or a link back to a folder around it. Refuse one that leads out."""
    real = os.path.realpath(folder)
    if not is_within(real, top):
        raise BotError(f"the folder {folder} is a link that leads out of the bot's folder, to {real}; put a copy there")
    return is_within(around, real) or os.path.exists(os.path.join(folder, "pyvenv.cfg"))


def _beside(path: Path) -> Iterator[str]:
    """Yield the paths of the files that belong to a bot in a folder of several, by their names."""
    # only names that begin like the bot can fit it, or a longer name of another bot better
    names = [name for name in os.listdir(path.parent) if name.startswith(path.stem)]
    stems = [name.removesuffix(".py") for name in names if name.endswith(".py")]
    for name in names:
        fits = [stem for stem in stems if name.startswith((f"{stem}.", f"{stem}_", f"{stem}-"))]
        if max(fits, key=len, default="") == path.stem and not name.endswith(".py") and not _NOT_OURS.fullmatch(name):
            inner = path.parent / name
            yield from _all_below(inner, path.parent) if inner.is_dir() else [str(inner)]


def _unlisted(home: Path, files: Mapping[str, BundleFile]) -> tuple[str, ...]:
    """Return the files and folders beside a bot that its sources name in quotes and that are not part of it."""
    own = {path.partition("/")[0] for path in files}
    text = b"\n".join(file.content for path, file in files.items() if path.endswith(".py"))
    quoted = set(re.findall(rb"""(?:(?<=["'])|(?<=["'}]/)|(?<=["']\./))[^"'/\n]+(?=["'/])""", text))
    return tuple(
        sorted(name for name in os.listdir(home) if name not in own and os.fsencode(name) in quoted and "." in name[1:])
    )


def is_within(path: str, folder: str) -> bool:
    """Return whether a path is the folder or below it, judged by their texts.

    >>> is_within("/a/b", "/a"), is_within("/a", "/a"), is_within("/ab", "/a"), is_within("/a", "/")
    (True, True, False, True)
    """
    return os.path.join(path, "").startswith(os.path.join(folder, ""))


# ---------------------------------------------------------------- modules


def _modules(
    path: str,
    source: bytes,
    home: str,
    places: Sequence[str],
    reader: OwnFiles,
    around: Iterable[str] = (),
    only: str = "",
) -> Iterator[tuple[str, bytes]]:
    """Yield the modules below `home` that a source imports, and those that they import, with their contents.

    They are looked for in `places` and in the folder of the module that imports them. `around` are modules that are
    imported with it; `only` is the name of an installed package, to which the bot belongs.
    """
    listing = cache(_listing)
    waiting, seen, parsed = [path, *around], set[str](), 0
    for file in waiting:  # grows
        if file in seen:
            continue
        seen.add(file)
        try:
            text = source if file == path else reader.content(file)
        except OSError:  # the bot cannot import it either
            continue
        if file != path:
            yield file, text
        if not file.endswith(".py"):
            continue
        parsed += len(text) if len(text) <= LONGEST_PARSED else 0
        if parsed > _MOST_PARSED_BYTES:
            most = f"{_MOST_PARSED_BYTES >> 20} MiB of sources"
            raise BotError(f"the bot {os.path.basename(path)} has more than {most}, up to {file}; use data files")
        found = _imported(file, imports_of(text), [home, os.path.dirname(file), *places], only, listing)
        waiting += (one for one in found if is_within(one, home))


_Listing: TypeAlias = Callable[[str], Mapping[str, Sequence[str]]]


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
            places = [place] if is_within(place, folders[0]) else []
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


def _listing(folder: str) -> dict[str, list[str]]:
    """Return the names in a folder, by what comes before their first dot: a source may import a million modules."""
    names: dict[str, list[str]] = {}
    try:
        for name in sorted(os.listdir(folder)):
            names.setdefault(name.partition(".")[0], []).append(name)
    except OSError:
        pass
    return names


def imports_of(source: bytes) -> set[tuple[int, str]]:
    """Return what a source imports, each with its number of leading dots; `COMPUTED` if it may compute names.

    So does a source that is not valid Python, or too long to parse.
    """
    imports: set[tuple[int, str]] = set()
    if len(source) > LONGEST_PARSED:
        return {COMPUTED}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # loading the bot warns of strings such as "\d"
            tree = ast.parse(source_text(source))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {COMPUTED}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imports.update((0, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            before = f"{node.module}." if node.module else ""
            imports.update((node.level, before + alias.name) for alias in node.names)
        elif isinstance(node, ast.Name | ast.Attribute):
            if (node.id if isinstance(node, ast.Name) else node.attr) in _COMPUTING:
                imports.add(COMPUTED)
        elif isinstance(node, ast.Call) and node.args:
            called, first = node.func, node.args[0]
            word = called.id if isinstance(called, ast.Name) else getattr(called, "attr", "")
            if word in _IMPORTING and isinstance(first, ast.Constant) and isinstance(first.value, str):
                name = first.value.lstrip(".")
                imports.add((len(first.value) - len(name), name))
    return imports
