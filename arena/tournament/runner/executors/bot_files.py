"""Bots' files on their way to other machines.

A bot's folder travels with the run: the file or files that it is made of, and what lies beside them, because it may
import or open that. Where the machine that plays has the same file at the same place (a shared folder, or this
machine), that one is used. Elsewhere the folder is unpacked for the time of the run. Bots of installed packages
(`package.module:Class`) do not travel.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple

from arena.bots.commands import check_unchanged
from arena.bots.faults import BotError
from arena.bots.spec import MODULE, BotSpec, read_source, source_hash
from arena.errors import ArenaError
from arena.game.rules import load_rules
from arena.paths import data_folder
from arena.tournament.runner.job import Job

MOST_FILES, MOST_BYTES = 500, 32 << 20
"""A folder with more than that is not a bot's own: then only the files that the bot names travel."""
_SKIPPED = re.compile(r"\..*|__pycache__|.*\.py[cod]|results|leagues")


@dataclass(frozen=True)
class PackedFile:
    """A file; `path` is relative to its folder, with slashes."""

    path: str
    content: bytes
    executable: bool


Packed = Mapping[str, tuple[PackedFile, ...]]
"""Folders of bots by their paths on the machine that submitted them."""


def pack(job: Job) -> Packed:
    """The folders of the bots of a job."""
    own = str(data_folder("bots").resolve())
    folders: dict[str, set[str]] = {}
    for bot in job.bots:
        if not MODULE.fullmatch(bot.target):
            home = str(Path(bot.path).parent)
            folders.setdefault(home, set()).update(bot.files or (bot.path,))
    return {home: _packed(home, sorted(files)) for home, files in folders.items() if home != own}


def _packed(home: str, files: list[str]) -> tuple[PackedFile, ...]:
    inside = [file for file in files if Path(file).is_relative_to(home)]
    files_by_name: dict[str, PackedFile] = {}
    size = 0
    for path in _beside(Path(home)):
        try:
            size += path.stat().st_size
            if size > MOST_BYTES or len(files_by_name) >= MOST_FILES:
                files_by_name.clear()
                break
            _add(files_by_name, path, home)
        except OSError:  # what the bot needs is added below, or missed when it is loaded
            continue
    for file in inside:
        try:
            _add(files_by_name, Path(file), home)
        except OSError as error:
            raise ArenaError(f"cannot read {file}: {error.strerror or error}") from error
    return tuple(files_by_name[name] for name in sorted(files_by_name))


def _beside(home: Path) -> Iterator[Path]:
    """Regular files below a folder, neither hidden nor compiled."""
    for parent, folders, names in os.walk(home):
        folders[:] = sorted(folder for folder in folders if not _SKIPPED.fullmatch(folder))
        for name in sorted(names):
            path = Path(parent, name)
            if not _SKIPPED.fullmatch(name) and stat.S_ISREG(path.lstat().st_mode):
                yield path


def _add(files: dict[str, PackedFile], path: Path, home: str) -> None:
    name = path.relative_to(home).as_posix()
    files[name] = PackedFile(name, path.read_bytes(), os.access(path, os.X_OK))


# ---------------------------------------------------------------- where they are played


class About(NamedTuple):
    """What must agree on all machines: the program's version, and a hash over the sources that decide games."""

    version: str
    sources: str

    def why_not(self, there: About, machine: str) -> str:
        """Why games of this machine cannot be played on another one; "" if they can."""
        if there == self:
            return ""
        return (
            f"{machine} has another version of this program ({_version(there)}) than the machine that submits"
            f" ({_version(self)}); install the same one on all machines"
        )


def _version(machine: About) -> str:
    return f"{machine.version}, sources {machine.sources}"


@cache
def about() -> About:
    """What this machine has."""
    total = hashlib.sha256()
    for room in ("game", "players", "referee"):
        for path in sorted((Path(__file__).parents[2] / room).glob("*.py")):
            total.update(path.name.encode() + b"\0" + path.read_bytes().replace(b"\r\n", b"\n"))
    try:
        number = version("schotten-arena")
    except PackageNotFoundError:  # run from a source folder without an installation
        number = "not installed"
    return About(number, total.hexdigest()[:12])


def travelling(job: Job) -> Job:
    """The job with the rule set of a file written out, for machines that lack the file."""
    by_file = job.rules.endswith(".toml") or "/" in job.rules or os.sep in job.rules
    return replace(job, rules=load_rules(job.rules).canonical) if by_file else job


class Unpacked:
    """Folders of bots on a machine that plays them; unpacked when a bot first needs them, and gone with `close`."""

    def __init__(self, packed: Packed, below: str | None = None) -> None:
        """`below` is the folder to unpack them in, default the system's for temporary files."""
        self._packed = packed
        self._below = below
        self._root: Path | None = None
        self._places: dict[str, Path] = {}

    def placed(self, job: Job) -> Job:
        """The job with the paths that its bots have here."""
        return replace(job, bots=tuple(map(self._spec, job.bots)))

    def _spec(self, bot: BotSpec) -> BotSpec:
        home = str(Path(bot.path).parent)
        if MODULE.fullmatch(bot.target):
            return bot
        if home not in self._packed:
            # a bot of the program: every machine has it, perhaps elsewhere
            own = data_folder("bots").resolve() / Path(bot.path).name
            return replace(bot, path=str(own)) if not bot.files and own.is_file() and not _is_here(bot) else bot
        if _is_here(bot):
            return bot
        folder = self._place(home)

        def here(text: str) -> str:
            return str(folder / Path(text).relative_to(home)) if Path(text).is_relative_to(home) else text

        return replace(
            bot, path=here(bot.path), files=tuple(map(here, bot.files)), command=tuple(map(here, bot.command))
        )

    def _place(self, home: str) -> Path:
        if home not in self._places:
            if self._root is None:
                self._root = Path(tempfile.mkdtemp(prefix="arena-bots-", dir=self._below))
            folder = self._places[home] = self._root / str(len(self._places)) / (Path(home).name or "bots")
            for file in self._packed[home]:
                path = folder / file.path
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(file.content)
                path.chmod(0o755 if file.executable else 0o644)
        return self._places[home]

    def close(self) -> None:
        """Remove the folders."""
        root, self._root = self._root, None
        self._places.clear()
        if root is not None:
            shutil.rmtree(root, ignore_errors=True)


def _is_here(bot: BotSpec) -> bool:
    """Whether this machine has the bot's file as it was submitted."""
    try:
        if bot.files:
            check_unchanged(bot.target, bot.files, bot.source_hash)
            return True
        return source_hash(read_source(bot.target, Path(bot.path))) == bot.source_hash
    except (BotError, OSError):
        return False
