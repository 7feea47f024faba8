"""A check deals other cards each time, so that a bot cannot know them."""

from __future__ import annotations

import pytest

from arena.league.check import check_bot


@pytest.mark.slow
def test_each_check_deals_other_cards() -> None:
    seeds = {check_bot("first", level="process", rules=("base",), games=2).seed for _ in range(3)}
    assert len(seeds) > 1
