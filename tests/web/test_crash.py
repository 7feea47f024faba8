"""A short run of what `tools.crash` does for long."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.crash import run

pytestmark = [pytest.mark.soak, pytest.mark.process]


def test_sudden_deaths_lose_nothing(tmp_path: Path) -> None:
    outcome = run(tmp_path / "crash", seed=3, moments=2, authors=2, pause_s=2.0, isolation="process")
    assert outcome.faults == []
    assert outcome.receipts > 0
