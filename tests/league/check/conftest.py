"""A busy machine must not make bots of the tests too slow to be asked for many games at once."""

from __future__ import annotations

import pytest

from arena.tournament.referee import player


@pytest.fixture(autouse=True)
def quick_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(player, "LOCKSTEP_NS", 100_000_000)
