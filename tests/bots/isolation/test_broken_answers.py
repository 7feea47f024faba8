"""Broken answers of a bot's process, for a second or two: `tools.fuzz_bot` does the same for hours."""

from __future__ import annotations

import pytest

from tools.fuzz_bot import DIALECTS, fuzz


@pytest.mark.parametrize("dialect", DIALECTS)
def test_broken_answers_are_moves_or_faults(dialect: str) -> None:
    assert "protocol" in fuzz(dialect, 1, 400)
