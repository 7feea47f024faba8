"""The fast engine against the oracle at every decision: a short run (tools/differential.py is the long one)."""

from __future__ import annotations

import pytest

from tests.oracle import Oracle
from tools.differential import RULE_SETS, Difference, play_both

GAMES = 3


@pytest.mark.parametrize("rules_name", RULE_SETS)
def test_no_difference(rules_name: str) -> None:
    """Some games of each rule set, with other seeds than the long run; claims, tactic cards and all."""
    for number in range(GAMES):
        play_both(rules_name, 77, number)


def test_a_wrong_oracle_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A proof that is too strict: the comparison says the rule set, the seed, the game and the moves."""
    monkeypatch.setattr(Oracle, "claimable", lambda self, seat: set())
    with pytest.raises(Difference, match=r"iello-base, seed 1, game 0, claims .*, after b3@9,.*: the engine says"):
        play_both("iello-base", 1, 0)
