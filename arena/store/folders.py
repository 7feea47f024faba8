"""Where runs are stored."""

from __future__ import annotations

from pathlib import Path

from arena.errors import did_you_mean
from arena.paths import RESULTS
from arena.store.schema import DATABASE, StoreError


def run_folder(text: str) -> Path:
    """The folder of an existing run, by its path or by its name in results/. StoreError if there is none."""
    for folder in (Path(text), RESULTS / text):
        if (folder / DATABASE).is_file():
            return folder
    names = sorted(path.parent.name for path in RESULTS.glob(f"*/{DATABASE}"))
    near = did_you_mean(Path(text).name, names)
    known = f" (in results/: {', '.join(names[:10])}{', ...' if len(names) > 10 else ''})" if names else ""
    raise StoreError(f"there is no run in {text}: it holds no {DATABASE}{near}{known}")
