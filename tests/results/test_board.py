"""The words of cards."""

from __future__ import annotations

import pytest

from arena.game.cards import card_name
from arena.game.rules import load_rules
from arena.results.positions import legend


@pytest.mark.parametrize("rules", ["tactical", "ps-2004-tactical", "battle-line-tactical"])
def test_legend_has_the_names_of_the_edition(rules: str) -> None:
    loaded = load_rules(rules)
    text = legend(loaded)
    for token in ("*J", f"*{loaded.spy_value}", "fog", "scout", "traitor"):
        assert f"{token} {card_name(token, loaded.edition)}" in text
    assert "scout" not in legend(load_rules("base"))
