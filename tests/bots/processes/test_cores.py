"""Processes are pinned to cores that nobody holds, in whichever run; at names of the tests' own."""

from __future__ import annotations

import contextlib
import random
import subprocess
import sys
from collections.abc import Iterator

import pytest

from arena.bots import cores
from arena.bots.cores import NO_PINNING, core_held, usable_cores

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="cores are held by abstract sockets")


@pytest.fixture
def address(monkeypatch: pytest.MonkeyPatch) -> str:
    """Another than that of runs, which may be under way on this machine."""
    found = f"\0arena-test/{random.getrandbits(64)}/"
    monkeypatch.setattr(cores, "_ADDRESS", found)
    monkeypatch.delenv(NO_PINNING, raising=False)
    return found


@contextlib.contextmanager
def worker(address: str, place: int) -> Iterator[list[int]]:
    """A process of another run that is pinned as a worker is; the cores that it may use then."""
    code = f"""
from arena.bots import cores
cores._ADDRESS = {address!r}
cores.pin_to_core({place})
print(*cores.usable_cores(), flush=True)
input()
"""
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        yield [int(core) for core in process.stdout.readline().split()]
        process.kill()


def test_nothing_is_pinned_if_that_is_off(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(NO_PINNING, "1")
    with worker(address, 0) as late:
        assert late == usable_cores()


def test_the_first_workers_of_two_runs_take_two_cores(address: str) -> None:
    cores = usable_cores()
    if len(cores) < 2:
        pytest.skip("there is one core")
    with worker(address, 0) as one, worker(address, 0) as other:
        assert one == cores[:1]
        assert other == cores[1:2]
    assert not any(map(core_held, cores))  # freed with the process


def test_where_all_cores_are_held_nothing_is_pinned(address: str) -> None:
    usable = usable_cores()
    with contextlib.ExitStack() as others:
        for core in usable:
            found = cores._bound(core)
            assert found is not None
            others.enter_context(found)
        with worker(address, 0) as late:
            assert late == usable
