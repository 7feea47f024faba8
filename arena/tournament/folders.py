"""Folders of runs and comparisons: find one by its path or its name, and name a new one."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import math
import re
import secrets
from collections.abc import Iterator, Sequence
from pathlib import Path

from arena.errors import did_you_mean
from arena.paths import LATEST, RESULTS
from arena.tournament.config import TournamentConfig
from arena.tournament.store.reader import Reader
from arena.tournament.store.sqlite import DATABASE, StoreError


def find_folder(text: str) -> Path:
    """Find a run or a comparison by its path, its name in results/, or `latest`. StoreError if there is none."""
    for folder in _places(text):
        if (folder / DATABASE).is_file() or variant_runs(folder):
            return folder
    return run_folder(text)


def inner_runs(folder: Path) -> list[Path]:
    """Return the folders of runs in a folder that is not a run itself, in alphabetical order."""
    if not folder.is_dir() or (folder / DATABASE).is_file():
        return []
    return sorted(path.parent for path in folder.glob(f"*/{DATABASE}"))


def stored_run(folder: Path) -> Reader | None:
    """Open the run in a folder; None if it holds none with settings. StoreError if its database cannot be read."""
    if not (folder / DATABASE).is_file() or not (folder / DATABASE).stat().st_size:
        return None
    reader = Reader(folder)
    if reader.is_begun:
        return reader
    reader.close()
    return None


def variant_runs(folder: Path) -> dict[str, Path]:
    """Return the runs of a comparison by rule set, in the order in which they were begun; none for any other folder.

    A comparison is a folder of runs that have the same seed and different rules. One that cannot be read is left out. A
    run alone is the first of a comparison if it is called like its rules.
    """
    begun: list[tuple[float, str, Path]] = []
    kinds: set[tuple[int, str]] = set()
    for inner in inner_runs(folder):
        with contextlib.suppress(StoreError):
            if (reader := stored_run(inner)) is not None:
                with reader:
                    config, first = reader.config(), min((each.started for each in reader.sessions()), default=math.inf)
                kinds.add((config["seed"], config["rules"]))
                begun.append((first, config["rules"], inner))
                if len(kinds) < len(begun) or len({seed for seed, _ in kinds}) > 1:
                    return {}
    if len(begun) == 1 and folder_name(begun[0][1]) != begun[0][2].name:
        return {}
    return {rules: inner for _, rules, inner in sorted(begun)}


def _places(text: str) -> Iterator[Path]:
    """Yield the folders that `text` may mean; the first that holds a run counts."""
    yield Path(text)
    yield RESULTS / text
    if Path(text).name == DATABASE:
        yield Path(text).parent
    if text == LATEST:
        found = latest()
        if found is None:
            raise StoreError(f"there is no run in {RESULTS}/ yet; name a folder, or play one: arena run quick")
        yield found
    marked = [folder for folder in runs_in(RESULTS) if folder.name[:-_MARK] == f"{text}-"]
    if marked:  # `mybot-random` for the last of mybot-random-x7ab and others
        yield max(marked, key=last_worked_on)


def runs_in(root: Path) -> list[Path]:
    """Return the folders of the runs and comparisons in a folder, sorted by name."""
    runs = {path.parent for path in root.glob(f"*/{DATABASE}")}
    outer = {path.parent.parent for path in root.glob(f"*/*/{DATABASE}")}
    return sorted(runs | {folder for folder in outer if variant_runs(folder)})


def last_worked_on(folder: Path) -> float:
    """Return when a run or a comparison last stored a game, or was begun, in seconds since 1970."""
    return max(map(_last_session, inner_runs(folder) or [folder]))


def _last_session(folder: Path) -> float:
    with contextlib.suppress(StoreError), Reader(folder) as reader:
        sessions = reader.sessions()
        if sessions:
            return max(session.ended for session in sessions)
    return _changed(folder / DATABASE)


def _changed(path: Path) -> float:
    with contextlib.suppress(OSError):
        return path.stat().st_mtime
    return 0.0


def latest() -> Path | None:
    """Return the run or comparison in results/ that was played last; None without any."""
    return max(runs_in(RESULTS), key=last_worked_on, default=None)


def run_folder(text: str) -> Path:
    """Find a run by its path, its name in results/, or `latest`. StoreError if there is none."""
    for folder in _places(text):
        if (folder / DATABASE).is_file():
            return folder
    for folder in _places(text):
        if inner := inner_runs(folder):
            some = f"{', '.join(map(str, inner[:10]))}{', ...' * (len(inner) > 10)}"
            raise StoreError(f"{folder} holds runs; name one of them: {some}")
    names = [path.name for path in runs_in(RESULTS)]
    near = did_you_mean(Path(text).name, names)
    if Path(text).name != text:
        raise StoreError(f"there is no run in {text}")
    known = f"; {RESULTS}/ has {', '.join(names[:10])}{', ...' if len(names) > 10 else ''}" if names else ""
    raise StoreError(f"no run named '{text}'{near} (looked in ./{text} and {RESULTS}/{text}{known})")


# ---------------------------------------------------------------- new runs

_MARK = 4  # letters and digits: short enough to type, and a million combinations


def drawn_seed(isolated: bool = False) -> int:
    """Draw a seed of at most eight digits; for isolated bots, one that cannot be guessed by trying."""
    return secrets.randbits(62) if isolated else secrets.randbelow(10**8)


def with_drawn_seed(config: TournamentConfig) -> TournamentConfig:
    """Return the config with a seed, drawn if it has none."""
    if config.seed is not None:
        return config
    return config.with_seed(drawn_seed(any(level != "none" for level in config.levels)))


def run_name(format_: str, bots: Sequence[str]) -> str:
    """Return a name for a run without a file: its format, except match and round robin, and its first bots.

    >>> run_name("match", ["mybot", "greedy"]), run_name("swiss", ["mybot", "greedy", "odds", "net", "uct"])
    ('mybot-greedy', 'swiss-mybot-greedy-and-3-more')
    """
    start = [] if format_ in ("match", "round-robin") else [format_]
    shown = bots if len(bots) <= 3 else [*bots[:2], f"and-{len(bots) - 2}-more"]
    return re.sub(r"[^\w.]+", "-", "-".join([*start, *shown])).strip("-.")[:40] or format_


def folder_name(text: str) -> str:
    """Return the name of the folder of a variant.

    >>> folder_name("tactical:hand_size=6,scout_return=top"), folder_name("rules/mine.toml")
    ('tactical-hand_size=6-scout_return=top', 'rules-mine.toml')
    """
    return re.sub(r"[^\w.=+-]+", "-", text).strip("-.")


def marked_folder(name: str, settings: object, config: TournamentConfig) -> Path:
    """Return a folder in results/ that is marked with a hash of the settings and of the bots' sources.

    So the same command with the same seed resumes its run, and no other command gets the same folder.
    """
    sources = [bot.source_hash for bot in config.find_bots()]
    text = json.dumps([settings, sources], sort_keys=True)
    mark = base64.b32encode(hashlib.sha256(text.encode()).digest())[:_MARK].decode().lower()
    return RESULTS / f"{name}-{mark}"


def with_folder(config: TournamentConfig, folder: Path | None, named: bool) -> tuple[TournamentConfig, Path]:
    """Return the folder of a run, named like its file, else marked, and the config, with the seed that a mark needs."""
    if folder is not None:
        return config, folder
    if config.out is not None:
        return config, Path(config.out)
    if named:
        return config, RESULTS / config.name
    config = with_drawn_seed(config)
    return config, marked_folder(config.name, config.canonical(), config)
