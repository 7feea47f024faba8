"""Folders of runs and comparisons: find one by its path or its name, and name a new one."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import re
import secrets
from collections.abc import Iterator, Sequence
from pathlib import Path

from arena.bots.spec import find_bot
from arena.errors import did_you_mean
from arena.paths import RESULTS
from arena.tournament.config import TournamentConfig
from arena.tournament.store.reader import Reader
from arena.tournament.store.sqlite import DATABASE, StoreError

LATEST = "latest"
"""Names the run in results/ that was worked on last, wherever a run is asked for."""
COMPARISON = "comparison.json"
"""What the folder of a comparison holds beside a folder for each variant's run."""


def find_folder(text: str) -> Path:
    """Find a run or a comparison by its path, its name in results/, or `latest`. StoreError if there is none."""
    for folder in _places(text):
        if (folder / DATABASE).is_file() or is_comparison(folder):
            return folder
    return run_folder(text)


def is_comparison(folder: Path) -> bool:
    """Return whether the folder holds a comparison, which is a run for each of several rule sets."""
    return (folder / COMPARISON).is_file() and not (folder / DATABASE).is_file()


def inner_runs(folder: Path) -> list[Path]:
    """The folders of runs in a folder that is none itself, in alphabetical order."""
    if not folder.is_dir() or (folder / DATABASE).is_file():
        return []
    return sorted(path.parent for path in folder.glob(f"*/{DATABASE}"))


def is_begun(folder: Path) -> bool:
    """Return whether the folder holds a run with settings; a database that was never begun does not count."""
    if not (folder / DATABASE).is_file():
        return False
    with contextlib.suppress(StoreError), Reader(folder) as reader:
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
        yield found
    marked = [folder for folder in runs_in(RESULTS) if folder.name[:-_MARK] == f"{text}-"]
    if marked:  # `mybot-random` for the last of mybot-random-x7ab and others
        yield max(marked, key=last_worked_on)


def runs_in(root: Path) -> list[Path]:
    """Return the folders of the runs and comparisons in a folder, sorted by name."""
    return sorted({path.parent for kind in (DATABASE, COMPARISON) for path in root.glob(f"*/{kind}")})


def last_worked_on(folder: Path) -> float:
    """Return when a game of a run or a comparison was last stored, or it was begun, in seconds since 1970."""
    folders = inner_runs(folder) if is_comparison(folder) else [folder]
    return max(map(_last_session, folders), default=_changed(folder))


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
    """Return the run or comparison in results/ that was worked on last; None without any."""
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

_MARK = 4  # letters and digits: few enough to be typed, and a million of them


def drawn_seed(isolated: bool = False) -> int:
    """A seed of at most eight digits; for isolated bots, one that cannot be found by trying."""
    return secrets.randbits(62) if isolated else secrets.randbelow(10**8)


def run_name(format_: str, bots: Sequence[str]) -> str:
    """A name for a run without a file: its first bots, and how it is played, unless each bot simply meets the others.

    >>> run_name("match", ["mybot", "greedy"]), run_name("swiss", ["mybot", "greedy", "odds", "net", "uct"])
    ('mybot-greedy', 'swiss-mybot-greedy-and-3-more')
    """
    start = [] if format_ in ("match", "round-robin") else [format_]
    shown = bots if len(bots) <= 3 else [*bots[:2], f"and-{len(bots) - 2}-more"]
    return re.sub(r"[^\w.]+", "-", "-".join([*start, *shown])).strip("-.")[:40] or format_


def folder_name(text: str) -> str:
    """The folder of a variant or a match.

    >>> folder_name("tactical:hand_size=6,scout_return=top"), folder_name("rules/mine.toml")
    ('tactical-hand_size=6-scout_return=top', 'rules-mine.toml')
    """
    return re.sub(r"[^\w.=+-]+", "-", text).strip("-.")


def marked_folder(name: str, settings: object, config: TournamentConfig) -> Path:
    """A folder in results/ with a mark that tells settings and sources of bots from others.

    So the same command with the same seed resumes its run, and another one never meets it.
    """
    sources = [find_bot(bot.spec, bot.params, bot.name).source_hash for bot in config.bots]
    text = json.dumps([settings, sources], sort_keys=True)
    mark = base64.b32encode(hashlib.sha256(text.encode()).digest())[:_MARK].decode().lower()
    return RESULTS / f"{name}-{mark}"


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
