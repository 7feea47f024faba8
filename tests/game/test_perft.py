"""Golden counts of move sequences for every rule set (tools/make_perft.py), and the engine beside the oracle."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.game.play import COMPILED
from tests.oracle import Oracle
from tools.differential import RULE_SETS, Difference, play_both
from tools.make_perft import FILE, oracle_depth, oracle_of, state_of

POSITIONS: list[dict[str, Any]] = json.loads(FILE.read_text())["positions"]


@pytest.mark.parametrize("rules_name", RULE_SETS)
def test_counts(rules_name: str) -> None:
    mine = [position for position in POSITIONS if position["rules"] == rules_name]
    assert mine
    for position in mine:
        state = state_of(position)
        key = state.key
        wanted = [count for count in position["counts"] if COMPILED or count < 2000]
        assert [state.perft(depth) for depth in range(len(wanted) + 1)] == [1, *wanted], position
        assert state.key == key


def test_the_oracle_has_counted_too() -> None:
    """The file notes how deep; a few counts are made again here."""
    assert all(position["oracle"] >= 1 for position in POSITIONS)
    assert sum(position["oracle"] >= 3 for position in POSITIONS) > len(POSITIONS) // 3
    for position in POSITIONS[::11]:
        depth = oracle_depth(position["counts"], nodes=60)
        assert oracle_of(position).perft(depth) == position["counts"][depth - 1], position


# ---------------------------------------------------------------- beside the oracle


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
