"""How the tests run: several at a time, each worker a guest on a busy machine."""

from __future__ import annotations

import gc
import os
import sys

import pytest
from hypothesis import HealthCheck, settings

# Workers of runs in different tests would all pin themselves to the same cores.
os.environ.setdefault("ARENA_NO_PINNING", "1")
# One thread for linear algebra: the cores are busy with other tests.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# The tests start some thousands of processes: compile each module once.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# Workers of pytest inherit it from a library of the terminal, and piped tables would be cut to it.
os.environ.pop("COLUMNS", None)
sys.dont_write_bytecode = False

# A busy machine may take its time.
settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy")

LONGEST = (
    *("test_browser.py", "test_docs.py", "test_effective.py", "test_reference_bots.py", "test_sandbox.py"),
    *("test_check.py", "test_admission.py", "test_placement.py", "test_sprt.py", "test_report.py", "test_executors.py"),
)


@pytest.hookimpl(optionalhook=True)  # pytest also runs without xdist
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Workers for `-n auto`: none for single files, else more than there are cores, for many tests wait."""
    named = config.invocation_params.args
    if any(".py" in str(argument) for argument in named) or config.option.usepdb:
        return 0
    return 2 * (os.cpu_count() or 1)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whatever is marked `soak` is slow. The longest files come first, so that no worker is left alone with one."""
    for item in items:
        if item.get_closest_marker("soak"):
            item.add_marker(pytest.mark.slow)
    items.sort(key=lambda item: item.path.name not in LONGEST)


def pytest_collection_finish() -> None:
    """What is loaded by now stays: looking for garbage in it takes a fifth of a second each time."""
    gc.freeze()
