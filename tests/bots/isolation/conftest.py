"""Check after each test of isolated bots that none of their processes is left."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from arena.bots.isolation import process as processes


@pytest.fixture(autouse=True)
def _nothing_left() -> Iterator[None]:
    yield
    if processes.own_children():
        gc.collect()
    assert not processes.own_children()
