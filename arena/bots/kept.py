"""Keep the files of bots while they play: a bot that is edited meanwhile plays on in the version that was read first.

Its games are stored under the hash of that version, so no other may play them. As long as a bot's files are what they
were, it is loaded from where they lie, and finds there whatever else it reads. Once they differ, it is loaded from a
copy, which holds the files that its hash covers (`arena.bots.source_files`) and no others.

There is no copy of commands, of classes in packages, and of bots with more than 64 MiB.
"""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from arena.bots.faults import BotError
from arena.bots.source_files import current_hash, source_files
from arena.bots.spec import MODULE, BotSpec, command_hash, read_source

_log = logging.getLogger("arena.bots.kept")

KEPT = ".bots"
"""The folder of the copies in that of a run, while it is played."""
MOST_KEPT_BYTES = 64 << 20

Stamp: TypeAlias = tuple[int, ...]


class BotEdited(BotError):
    """The files of a bot have changed before they could be copied; `bot` is its name."""

    def __init__(self, text: str, bot: str) -> None:
        super().__init__(text)
        self.bot = bot


@dataclass(frozen=True)
class KeptBot:
    """The copy of a bot's files: the folder that stands for the bot's own.

    `stamps` say what the originals and their folders looked like; while they look the same, they need not be read.
    """

    folder: str
    stamps: Mapping[str, Stamp]


@contextmanager
def copies_folder(run_folder: Path) -> Iterator[Path]:
    """Give the copies of a run's bots a folder, and remove it after play; a run that was killed may have left one."""
    folder = run_folder / KEPT
    shutil.rmtree(folder, ignore_errors=True)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def copy_bots(specs: Iterable[BotSpec], folder: Path, without: Collection[str] = ()) -> tuple[KeptBot | None, ...]:
    """Copy the files of bots to a folder, except of those named in `without`; None for a bot without a copy.

    BotEdited if a bot is not any more what its hash says.
    """
    return tuple(
        None if spec.name in without else _copied(spec, folder / str(number)) for number, spec in enumerate(specs)
    )


def _copied(spec: BotSpec, folder: Path) -> KeptBot | None:
    if spec.command or MODULE.fullmatch(spec.target):
        return None
    try:
        found = source_files(Path(spec.path), read_source(spec.target, Path(spec.path)))
        paths = {name: os.path.join(found.home, name) for name in found.names}
        stamps = {path: _stamp(path) for path in {*paths.values(), *map(os.path.dirname, paths.values())}}
        if sum(os.stat(path).st_size for path in paths.values()) > MOST_KEPT_BYTES:
            _log.info("%s: no copy is kept of more than %d MiB", spec.name, MOST_KEPT_BYTES >> 20)
            return None
        for name, path in paths.items():
            to = folder / name
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, to)
    except (BotError, OSError) as error:
        _log.warning("%s: no copy is kept: %s", spec.name, error)
        return None
    if found.source_hash == spec.source_hash and is_unchanged(spec):
        return KeptBot(str(folder), stamps)
    raise BotEdited(f"the bot {spec.target} has changed since it was named: {spec.path}; start again", spec.name)


class BotSources:
    """Where a worker process loads its bots from."""

    def __init__(self, specs: Sequence[BotSpec], kept: Sequence[KeptBot | None]) -> None:
        self._specs = specs
        self._kept = kept or [None] * len(specs)
        self._stamps = [{} if one is None else one.stamps for one in self._kept]
        self._from_copy: set[int] = set()
        self._numbers = {spec.name: number for number, spec in enumerate(specs)}

    def spec(self, number: int) -> BotSpec:
        """Return a bot, by its place, as it is to be loaded: from the copy if the original has changed."""
        spec, kept = self._specs[number], self._kept[number]
        if kept is None or not (number in self._from_copy or self._has_changed(number)):
            return spec
        self._from_copy.add(number)
        return replace(spec, path=os.path.join(kept.folder, os.path.basename(spec.path)))

    def changed(self, names: Iterable[str]) -> list[str]:
        """Return which of these bots have a copy and are loaded from originals that have changed since."""
        numbers = {self._numbers[name] for name in names}
        return [self._specs[at].name for at in sorted(numbers - self._from_copy) if self._has_changed(at)]

    def _has_changed(self, number: int) -> bool:
        stamps = self._stamps[number]
        now = {path: _stamp(path) for path in stamps}
        if now == stamps:
            return False
        if not is_unchanged(self._specs[number]):
            return True
        self._stamps[number] = now  # it was touched, or another bot of the folder was edited
        return False


def is_unchanged(spec: BotSpec) -> bool:
    """Return whether the files of a bot are those that its hash stands for."""
    if spec.command:
        try:
            return command_hash(spec.target, map(Path, spec.files)) == spec.source_hash
        except BotError:
            return False
    module = MODULE.fullmatch(spec.target)
    return current_hash(Path(spec.path), module[1] if module else "") == spec.source_hash


def _stamp(path: str) -> Stamp:
    """Return what changes with a file; for a folder, with the names in it."""
    try:
        about = os.stat(path)
    except OSError:
        return ()
    return about.st_mtime_ns, about.st_ctime_ns, about.st_size, about.st_ino
