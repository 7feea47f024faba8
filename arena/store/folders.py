"""Where runs are stored, and what a folder holds: a run, a comparison of several, a league."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import NamedTuple

from arena.errors import did_you_mean
from arena.paths import RESULTS
from arena.store.reader import Reader
from arena.store.schema import DATABASE, StoreError

COMPARISON = "comparison.json"
"""What the folder of a comparison holds beside a folder for each variant's run."""


class Found(NamedTuple):
    """A folder and the file that says what it is: DATABASE or COMPARISON."""

    kind: str
    folder: Path


def find_folder(text: str) -> Found:
    """A run or a comparison, by its path or by its name in results/. StoreError if there is none."""
    for folder in (Path(text), RESULTS / text):
        if (folder / DATABASE).is_file():
            return Found(DATABASE, folder)
        if is_comparison(folder):
            return Found(COMPARISON, folder)
    return Found(DATABASE, run_folder(text))


def is_comparison(folder: Path) -> bool:
    """Does the folder hold a comparison? One of an earlier version has no file: its runs differ in their rules only."""
    if (folder / COMPARISON).is_file():
        return True
    rules: list[object] = []
    others: list[dict[str, object]] = []
    for inner in inner_runs(folder):
        if not is_begun(inner):
            return False
        with Reader(inner) as reader:
            config = reader.config()
        rules.append(config.pop("rules"))
        others.append(config)
    same = all(one == others[0] for one in others)
    return len(rules) > 1 and same and others[0]["format"] == "round-robin" and len({*rules}) == len(rules)


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


def run_folder(text: str) -> Path:
    """The folder of an existing run, by its path or by its name in results/. StoreError if there is none."""
    for folder in (Path(text), RESULTS / text):
        if (folder / DATABASE).is_file():
            return folder
    names = sorted(path.parent.name for path in RESULTS.glob(f"*/{DATABASE}"))
    near = did_you_mean(Path(text).name, names)
    known = f" (in results/: {', '.join(names[:10])}{', ...' if len(names) > 10 else ''})" if names else ""
    raise StoreError(f"there is no run in {text}: it holds no {DATABASE}{near}{known}")
