"""The field of a tournament: the bot files that patterns and folders in a list of bots stand for, and their names.

An entry such as `class/*.py` or `class/` stands for every bot file there: `.py` files whose names do not begin with
`_` or `.`, and that hold a class or the word `act`. In folders that a pattern finds (`class/*/`), `bot.py` or a file
called like its folder is the only one. A file that several entries name plays once, and files of one name get the name
of their folder before it. `PATH@REVISION` stands for files of a commit, and with a range for each commit that changed
the bot.
"""

from __future__ import annotations

import os
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from glob import glob
from pathlib import Path
from typing import Any

from arena.bots.bundle import is_alone
from arena.bots.faults import BotError
from arena.bots.revision import files_in, find_revision, history, is_history, is_pattern, split_revision
from arena.bots.spec import (
    MODULE,
    PREFIX,
    check_names,
    display_name,
    find_bot,
    find_target,
    known_bots,
    params_text,
    parse_spec,
    with_versions,
)
from arena.errors import BotWarning, did_you_mean
from arena.text import quoted
from arena.tournament.run_settings import BotSetting

_BOT = re.compile(rb"^\s*class\b|\bact\b|\bimport\s*\*", re.MULTILINE)


@dataclass(frozen=True)
class FieldBot(BotSetting):
    """An entry of a list of bots, or a bot that it stands for, whose spec works from the working directory.

    `number` is the place of the entry, from 1; `name` is empty if it gives none. `file` is equal where two entries name
    one file, None if unknown. `match` is the path of a file that a pattern or folder stands for, None for other bots.
    """

    number: int = 0
    file: Path | None = None
    match: Path | None = None

    def table(self) -> dict[str, Any]:
        """Return the bot in the form of a file."""
        return {"spec": self.spec, "name": self.name, "labels": self.labels}

    @property
    def setting(self) -> BotSetting:
        """Return the bot as a setting of a run."""
        return BotSetting(self.spec, self.name, self.params, self.isolation, self.labels)


def command_field(specs: Sequence[str], exclude: Sequence[str] = ()) -> list[FieldBot]:
    """Return the field of a command line, and check that its bots exist. BotError if not.

    >>> [bot.name for bot in command_field(["greedy", "deep=search:rollouts=50"])]
    ['greedy', 'deep']
    """
    faults: list[str] = []
    entries = [FieldBot(spec, "", number=number) for number, spec in enumerate(specs, start=1)]
    found = find_field(entries, exclude, Path(), lambda key, text: faults.append(f"{key.split(',')[0]}: {text}"))
    if faults:
        raise BotError("\n".join(faults))
    check_names([find_bot(bot.spec, name=bot.name) for bot in found])
    return found


def find_field(
    entries: list[FieldBot], exclude: Sequence[str], folder: Path, fault: Callable[[str, str], None]
) -> list[FieldBot]:
    """Return the bots that entries stand for, without excluded files; `fault` is given the place of a mistake and why.

    Paths start at `folder`, those of entries that name one file at the working directory if the file is there.
    """
    bots: list[FieldBot] = []
    excluded: set[Path] = set()
    for number, text in enumerate(exclude, start=1):
        with _noting(fault, f"exclude, entry {number}", text):
            excluded |= _excluded(text, folder)
    for entry in entries:
        with _noting(fault, f"bots, entry {entry.number}", entry.spec):
            found = _bots_of(entry, folder)
            kept = [bot for bot in found if bot.file is None or excluded.isdisjoint((bot.file, *bot.file.parents))]
            if not kept and found[0].match is not None:
                raise BotError(f"{entry.spec}: `exclude` leaves out all bot files there")
            bots += kept
    plain = [bot for bot in bots if not bot.labels]
    first = {bot.file: bot for bot in reversed(plain)} | {bot.file: bot for bot in plain if bot.match is None}
    bots = [bot for bot in bots if bot.match is None or bot is first[bot.file]]
    if len(plain) < len(bots):
        with _noting(fault, "bots", ""):
            bots = _with_versions(bots)
    return _with_folders(bots)


def _with_versions(bots: Sequence[FieldBot]) -> list[FieldBot]:
    """Name the bots beside their revisions, and leave out those that are equal to one."""
    found: dict[int, FieldBot] = {}
    for bot, spec in zip(bots, with_versions([find_bot(bot.spec, bot.params, bot.name) for bot in bots])):
        text = bot.spec if spec.revision is None else spec.spec
        labels = {**spec.labels, **bot.labels} if bot.labels.get("commit") == spec.labels.get("commit") else spec.labels
        found.setdefault(id(spec), replace(bot, spec=text, name=spec.name, labels=labels))
    return [*found.values()]


@contextmanager
def _noting(fault: Callable[[str, str], None], key: str, text: str) -> Iterator[None]:
    try:
        yield
    except BotError as error:
        fault(key, str(error))
    except (OSError, ValueError, RuntimeError) as error:  # TOML can write NUL, and any number of `*/`
        fault(key, f"{quoted(text)} cannot be used: {error}")


def _bots_of(entry: FieldBot, folder: Path) -> list[FieldBot]:
    """Return the bots that an entry stands for, at least one. BotError for a pattern or a folder without bots."""
    parsed = parse_spec(entry.spec)
    target, name, params = parsed.target, entry.name or parsed.name, {**parsed.params, **entry.params}
    options = params_text(parsed.params)
    place = _path(folder, target)
    if not target.startswith(PREFIX) and (at := split_revision(target, folder)) is not None:
        is_elsewhere = is_pattern(at[0]) or (place.parent.is_dir() and not os.path.isfile(_path(Path(), at[0])))
        return _revisions_of(entry, folder if is_elsewhere else Path(), *at, name or "", options)
    is_folder = os.path.isdir(place) and target not in known_bots()
    if target.startswith(PREFIX) or MODULE.fullmatch(target) or not (is_pattern(target) or is_folder):
        bot = replace(entry, name=name or display_name(target, params))
        if target.endswith(".py") and os.path.isdir(place.parent) and not os.path.isfile(_path(Path(), target)):
            bot = replace(bot, spec=_from_here(place) + options)
        with suppress(BotError):  # reported when all bots are searched for; a command is another bot than its files
            bot = replace(bot, file=None if target.startswith(PREFIX) else find_target(bot.spec))
        return [bot]
    if name:
        raise BotError(f"the name '{name}' is for one bot, but {target} stands for all bot files there")
    pattern = os.path.join(target, "*.py") if target.endswith("/") or is_folder else target
    found = [path for path in _glob(pattern, folder) if path.suffix == ".py" and path.name[0] not in "_."]
    paths = sorted(path for path in found if path.is_file())
    if is_pattern(os.path.dirname(pattern)):
        alone = {path.parent for path in paths if is_alone(path)}
        paths = [path for path in paths if is_alone(path) or path.parent not in alone]
    if others := [path for path in paths if not _may_hold_bot(path)]:
        warnings.warn(f"no bot in {', '.join(map(_from_here, others))}", BotWarning, stacklevel=1)
        paths = [path for path in paths if path not in others]
    if not paths:
        raise BotError(f"{target}: found no bot file (looked for {pattern} in {folder.resolve()})")
    bots = [replace(entry, name=display_name(path.name, params), file=path.resolve(), match=path) for path in paths]
    return [replace(bot, spec=_from_here(path) + options) for bot, path in zip(bots, paths)]


def _may_hold_bot(path: Path) -> bool:
    """Return whether a file may hold a class or a function `act`; what cannot be read may."""
    try:
        return _BOT.search(path.read_bytes()) is not None
    except OSError:
        return True


def _revisions_of(entry: FieldBot, folder: Path, path: str, revision: str, name: str, options: str) -> list[FieldBot]:
    """Return the bots that an entry with a revision stands for, each named by the full hash of its commit."""
    is_one = False
    if is_pattern(path):
        files = files_in(path, revision, folder)
    elif is_history(path, revision, folder):
        files = history(path, revision, folder)
    else:
        files, is_one = [find_revision(path, revision, folder)], True
    if name and not is_one:
        raise BotError(f"the name '{name}' is for one bot, but {path}@{revision} stands for several")
    bots = []
    for file in files:
        spec = f"{_from_here(file.path)}@{file.commit}{options}"
        found = find_bot(spec, entry.params, name or None)
        labels = {**found.labels, "named": f"{path}@{revision}"}
        bots.append(replace(entry, spec=spec, name=found.name, file=file.path, labels=labels))
    return bots


def _path(folder: Path, text: str) -> Path:
    return Path(os.path.normpath(folder / os.path.expanduser(text)))


def _glob(pattern: str, folder: Path) -> list[Path]:
    return [_path(folder, text) for text in glob(os.path.expanduser(pattern), root_dir=folder, recursive=True)]


def _from_here(path: Path) -> str:
    return (path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path).as_posix()


def _excluded(text: str, folder: Path) -> set[Path]:
    """Return the files and folders that an entry of `exclude` names."""
    if any(sign in text for sign in "*?["):
        return {path.resolve() for path in _glob(text, folder)}
    path = _path(folder, text).resolve()
    if not path.exists():
        near = did_you_mean(path.name, [other.name for other in path.parent.glob("*")])
        raise BotError(f"{quoted(text)}: there is no such file in {path.parent}{near}")
    return {path}


def _with_folders(bots: Sequence[FieldBot]) -> list[FieldBot]:
    """Put names of folders before the names of matches until they differ; other bots keep their names."""
    folders = [() if bot.match is None else Path(os.path.abspath(bot.match)).parts[1:-1] for bot in bots]
    names = [bot.name for bot in bots]
    for depth in range(1, max(map(len, folders), default=0) + 1):
        counts = Counter(names)
        names = [
            "-".join([*parts[-depth:], bot.name]) if counts[name] > 1 else name
            for bot, parts, name in zip(bots, folders, names)
        ]
    return [replace(bot, name=name) for bot, name in zip(bots, names)]
