"""A short run of what `benchmarks.web_load` does for long; what its figures are is measured, not tested."""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

import pytest

pytest.importorskip("uvicorn", reason="the extra web is not installed")

from benchmarks.web_load import load

pytestmark = [pytest.mark.slow, pytest.mark.process]


@pytest.mark.skipif(shutil.which("wrk") is None, reason="wrk is not installed")
def test_every_upload_is_answered_and_decided_under_load(tmp_path: Path) -> None:
    given = argparse.Namespace(
        seed=1, authors=3, readers=50, minutes=0.1, workers=1, isolation="process", pause_ms=0, patience=10.0
    )
    found = load(tmp_path, given)
    assert found["uploads_failed"] == []
    assert found["uploads_answered"] == found["results"] == 3
    assert found["states"] == {"active": 3}
    assert found["page_errors"] == 0
    assert found["pages"] > 100  # type: ignore[operator]
