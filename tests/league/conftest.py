"""Submissions are not checked here but where the check is what is tested: it takes a second for each."""

from __future__ import annotations

import pytest

from arena.league import admission


@pytest.fixture(autouse=True)
def no_checks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a check does is in test_admission, test_docs and tests/cli."""
    if not request.module.__name__.endswith(("test_admission", "test_docs")):
        monkeypatch.setattr(admission, "check", lambda runner, one: admission.Admission(True))
