"""Wait for something to happen elsewhere: long enough for a busy machine, but no longer than it takes."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from arena.tournament.store.reader import Reader
from arena.tournament.store.sqlite import StoreError


def wait_for(condition: Callable[[], object], seconds: float = 20.0, pause_s: float = 0.02) -> bool:
    """Wait until a condition holds; return False if it does not in time."""
    until = time.monotonic() + seconds
    while not (found := condition()) and time.monotonic() < until:
        time.sleep(pause_s)
    return bool(found)


def wait_for_games(folder: Path, process: subprocess.Popen[str]) -> int:
    """Wait until a run has stored a game; return the number."""
    found = 0

    def stored() -> bool:
        nonlocal found
        with suppress(StoreError), Reader(folder) as reader:  # the run may not have started yet
            found = reader.count()
        return found > 0 or process.poll() is not None

    wait_for(stored, 60, 0.02)
    assert found, "no game was stored within a minute, or before it has ended"
    return found
