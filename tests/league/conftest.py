"""Skip the check of submissions, which takes a second each, unless a test uses `real_check`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.league.store import League
from tests.league.leagues import league, shorten_check, skip_check


@pytest.fixture
def found(tmp_path: Path) -> Iterator[League]:
    """Create an empty league."""
    with league(tmp_path / "league") as made:
        yield made


@pytest.fixture(autouse=True)
def no_check(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Accept submissions unchecked, except in tests with `real_check`."""
    if "real_check" not in request.fixturenames:
        skip_check(monkeypatch)


@pytest.fixture
def real_check(monkeypatch: pytest.MonkeyPatch) -> None:
    """Check submissions as a league does, with few games."""
    shorten_check(monkeypatch)
