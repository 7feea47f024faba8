"""How the tests run: several at a time, each worker a guest on a busy machine."""

from __future__ import annotations

import getpass
import os
import tempfile
from pathlib import Path

import pytest

# Workers of runs in different tests would all pin themselves to the same cores.
os.environ.setdefault("ARENA_NO_PINNING", "1")
# One thread for linear algebra: the cores are busy with other tests.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# The key that marks a user's own runs; all tests and the programs they start share one.
os.environ["XDG_STATE_HOME"] = str(Path(tempfile.gettempdir(), f"arena-tests-{getpass.getuser()}"))


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Workers for `-n auto`: none for single files, else more than there are cores, for many tests wait."""
    named = config.invocation_params.args
    if any(".py" in str(argument) for argument in named) or config.option.usepdb:
        return 0
    return 2 * (os.cpu_count() or 1)
