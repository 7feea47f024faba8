"""Configure the tests for parallel runs on a busy machine."""

from __future__ import annotations

import gc
import os
import sys

import pytest
from hypothesis import HealthCheck, settings

# Otherwise workers of runs in different tests would all pin themselves to the same cores.
os.environ.setdefault("ARENA_NO_PINNING", "1")
# Use one thread for linear algebra: the cores are busy with other tests.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# The tests start some thousands of processes: compile each module once.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# Pytest workers inherit it from a terminal library, and piped tables would be cut to this width.
os.environ.pop("COLUMNS", None)
sys.dont_write_bytecode = False

# A busy machine may be slow.
settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy")

LONGEST = (
    *("test_browser.py", "test_docs.py", "test_effective.py", "test_reference_bots.py"),
    "test_sandbox.py",
    *("test_check.py", "test_admission.py", "test_placement.py", "test_sprt.py", "test_report.py", "test_executors.py"),
)


@pytest.hookimpl(optionalhook=True)  # pytest also works without xdist
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Return the workers for `-n auto`: none for single files, else more than cores, because many tests wait."""
    named = config.invocation_params.args
    if any(".py" in str(argument) for argument in named) or config.option.usepdb:
        return 0
    return 1 + (os.cpu_count() or 1)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark `soak` tests as slow, and put the longest files first, so that no worker finishes long after the others."""
    for item in items:
        if item.get_closest_marker("soak"):
            item.add_marker(pytest.mark.slow)
    items.sort(key=lambda item: item.path.name not in LONGEST)


def pytest_collection_finish() -> None:
    """Exclude loaded objects from garbage collection, which takes a fifth of a second each time."""
    gc.freeze()
