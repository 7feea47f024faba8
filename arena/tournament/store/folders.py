"""Where runs are stored, and what a folder holds: a run, a comparison of several, a league."""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import secrets
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from arena.bots.spec import find_bot
from arena.errors import did_you_mean
from arena.paths import RESULTS
from arena.tournament.config.tournament import TournamentConfig
from arena.tournament.store.reader import Reader
from arena.tournament.store.schema import DATABASE, StoreError

LATEST = "latest"
"""Names the run in results/ that was worked on last, wherever a run is asked for."""
COMPARISON = "comparison.json"
"""What the folder of a comparison holds beside a folder for each variant's run."""


class Found(NamedTuple):
    """A folder and the file that says what it is: DATABASE or COMPARISON."""

    kind: str
    folder: Path


def find_folder(text: str) -> Found:
    """A run or a comparison, by its path or by its name in results/, or `latest`. StoreError if there is none."""
    for folder in _places(text):
        if (folder / DATABASE).is_file():
            return Found(DATABASE, folder)
        if is_comparison(folder):
            return Found(COMPARISON, folder)
    return Found(DATABASE, run_folder(text))


def is_comparison(folder: Path) -> bool:
    """Return whether the folder holds a comparison."""
    return (folder / COMPARISON).is_file()


def inner_runs(folder: Path) -> list[Path]:
    """The folders of runs in a folder that is none itself, in alphabetical order."""
    return [] if (folder / DATABASE).is_file() else sorted(path.parent for path in folder.glob(f"*/{DATABASE}"))


def is_begun(folder: Path) -> bool:
    """Is there a run with settings in the folder?"""
    if not (folder / DATABASE).is_file():
        return False
    with Reader(folder) as reader, contextlib.suppress(StoreError):
        return bool(reader.config())
    return False


def _places(text: str) -> Iterator[Path]:
    """The folders that a text may mean, the first that holds something is meant."""
    yield Path(text)
    yield RESULTS / text
    if Path(text).name in (DATABASE, COMPARISON):
        yield Path(text).parent
    if text == LATEST:
        found = latest()
        if found is None:
            raise StoreError(f"there is no run in {RESULTS}/ yet; name a folder, or play one: arena run quick")
        yield found.folder


def runs_in(root: Path) -> list[Found]:
    """The runs and comparisons in a folder, by their names."""
    return sorted(Found(kind, path.parent) for kind in (DATABASE, COMPARISON) for path in root.glob(f"*/{kind}"))


def last_worked_on(stored: Found) -> float:
    """When a game was last stored in a run or a comparison, or it was begun; seconds since 1970."""
    folders = inner_runs(stored.folder) if stored.kind == COMPARISON else [stored.folder]
    return max(map(_last_session, folders), default=_changed(stored.folder))


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


def latest() -> Found | None:
    """The run or comparison in results/ that was worked on last; None without any."""
    return max(runs_in(RESULTS), key=last_worked_on, default=None)


def run_folder(text: str) -> Path:
    """The folder of an existing run, by its path, by its name in results/, or `latest`. StoreError if there is none."""
    for folder in _places(text):
        if (folder / DATABASE).is_file():
            return folder
    for folder in _places(text):
        if inner := inner_runs(folder):
            some = f"{', '.join(map(str, inner[:10]))}{', ...' * (len(inner) > 10)}"
            raise StoreError(f"{folder} holds several runs; name one of them: {some}")
    names = sorted(path.parent.name for path in RESULTS.glob(f"*/{DATABASE}"))
    near = did_you_mean(Path(text).name, names)
    if Path(text).name != text:
        raise StoreError(f"there is no run in {text}")
    known = f"; {RESULTS}/ has {', '.join(names[:10])}{', ...' if len(names) > 10 else ''}" if names else ""
    raise StoreError(f"no run named '{text}'{near} (looked in ./{text} and {RESULTS}/{text}{known})")


# ---------------------------------------------------------------- new runs


def drawn_seed(isolated: bool = False) -> int:
    """A seed short enough to be read out; for isolated bots, one that cannot be found by trying."""
    return secrets.randbits(62) if isolated else secrets.randbelow(10**9)


def run_name(start: str, bots: Sequence[str]) -> str:
    """A name for a run without a file: how it is played, and its first bots."""
    shown = "-".join([start, *bots[:4]] + ["and-more"] * (len(bots) > 4))
    return re.sub(r"[^\w.]+", "-", shown).strip("-.")[:60]


def marked_folder(name: str, settings: object, config: TournamentConfig) -> Path:
    """A folder in results/ with a mark that tells settings and sources of bots from others.

    So the same command with the same seed resumes its run, and another one never meets it.
    """
    sources = [find_bot(bot.spec, bot.params, bot.name).source_hash for bot in config.bots]
    text = json.dumps([settings, sources], sort_keys=True)
    return RESULTS / f"{name}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"


def with_folder(config: TournamentConfig, folder: Path | None, named: bool) -> tuple[TournamentConfig, Path]:
    """Where a run goes: a folder of the name of its file, else a marked one, for which the seed must be drawn."""
    if folder is not None:
        return config, folder
    if config.out is not None:
        return config, Path(config.out)
    if named:
        return config, RESULTS / config.name
    if config.seed is None:
        config = config.with_seed(drawn_seed(any(level != "none" for level in config.levels)))
    return config, marked_folder(config.name, config.canonical(), config)
