"""Keep the files of bots while they play: a bot that is edited meanwhile plays on in the version that was read first.

Its games are stored under the hash of that version, so no other may play them. As long as a bot's files are what they
were, it is loaded from where they lie, and finds there whatever else it reads. Once they differ, it is loaded from a
copy, which holds the files that its hash covers (`arena.bots.source_files`) and no others.

A worker process that needs a copy makes one of its own: what a bot writes beside itself reaches no other worker, and
not the next one.

There is no copy of commands, of classes in packages, and of bots with more than 64 MiB.
"""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Self, TypeAlias

from arena.bots.faults import BotError
from arena.bots.source_files import current_hash, source_files
from arena.bots.spec import MODULE, BotSpec, command_hash, read_source

_log = logging.getLogger("arena.bots.kept")

KEPT = ".bots"
"""The folder of the copies in that of a run, while it is played."""
MOST_KEPT_BYTES = 64 << 20
_FIRST = "first"  # the copy that nothing is loaded from

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


class BotCopies:
    """The copies of the bots of a run, in a folder that is emptied before and removed after play."""

    def __init__(self, run_folder: Path) -> None:
        self._folder = run_folder / KEPT

    def __enter__(self) -> Self:
        """Remove what a run that was killed has left."""
        self._remove()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        """Remove the copies."""
        self._remove()

    def _remove(self) -> None:
        if self._folder.is_symlink():
            self._folder.unlink()
        shutil.rmtree(self._folder, ignore_errors=True)

    def keep(self, specs: Iterable[BotSpec], without: Collection[str] = ()) -> tuple[KeptBot | None, ...]:
        """Copy the files of bots, except of those named in `without`; None for a bot without a copy.

        BotEdited if a bot is not any more what its hash says.
        """
        made: dict[tuple[str, str], KeptBot | None] = {}
        for spec in specs:
            key = spec.path, spec.source_hash
            if key not in made and spec.name not in without:
                made[key] = self._copy(spec, self._folder / str(len(made)) / _FIRST)
        return tuple(None if spec.name in without else made[spec.path, spec.source_hash] for spec in specs)

    def _copy(self, spec: BotSpec, folder: Path) -> KeptBot | None:
        if spec.command or MODULE.fullmatch(spec.target):
            return None
        try:
            found = source_files(Path(spec.path), read_source(spec.target, Path(spec.path)))
            files = {name: os.path.join(found.root, name) for name in found.hashes}
            stamps = {path: _stamp(path) for path in (*files.values(), *found.folders)}
            if sum(os.stat(path).st_size for path in files.values()) > MOST_KEPT_BYTES:
                _log.info("%s: no copy is kept of more than %d MiB", spec.name, MOST_KEPT_BYTES >> 20)
                return None
            for name, path in files.items():
                to = folder / name
                to.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, to)
            is_same = all(found.holds(name, (folder / name).read_bytes()) for name in files)
        except (BotError, OSError) as error:
            _log.warning("%s: no copy is kept: %s", spec.name, error)
            return None
        if is_same and found.source_hash == spec.source_hash:
            return KeptBot(str(folder), stamps)
        raise BotEdited(f"the bot {spec.target} has changed since it was named: {spec.path}; start again", spec.name)


class BotSources:
    """Where one worker process loads its bots from; `worker` distinguishes it from others that run at the same time."""

    def __init__(self, specs: Sequence[BotSpec], kept: Sequence[KeptBot | None], worker: str = "") -> None:
        self._specs = specs
        self._kept = kept or [None] * len(specs)
        self._stamps = [{} if one is None else one.stamps for one in self._kept]
        self._worker = worker
        self._copies: dict[str, Path] = {}
        self._from_copy: set[int] = set()
        self._numbers = {spec.name: number for number, spec in enumerate(specs)}

    def spec(self, number: int) -> BotSpec:
        """Return a bot, by its place, as it is to be loaded: from the copy if the original has changed."""
        spec, kept = self._specs[number], self._kept[number]
        if kept is None or not (number in self._from_copy or self._has_changed(number)):
            return spec
        self._from_copy.add(number)
        try:
            folder = self._own_copy(kept.folder)
        except OSError as error:
            raise BotError(
                f"the bot {spec.target} has changed since it was named, and its copy cannot be used: {error}"
            ) from None
        return replace(spec, path=str(folder / Path(spec.path).name))

    def changed(self, names: Iterable[str]) -> list[str]:
        """Return which of these bots have a copy and are loaded from originals that have changed since.

        A bot loaded from a copy may do with it what it likes: what it writes is gone with this worker.
        """
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

    def _own_copy(self, folder: str) -> Path:
        if folder not in self._copies:
            own = Path(folder).with_name(self._worker)
            shutil.rmtree(own, ignore_errors=True)  # of a worker before this one
            shutil.copytree(folder, own)
            self._copies[folder] = own
        return self._copies[folder]


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
