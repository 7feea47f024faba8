"""The fast engine against the oracle at every decision: a short run (tools/differential.py is the long one)."""

from __future__ import annotations

import pytest

from arena.game.engine import State
from arena.game.moves import Move
from tests.oracle import Oracle
from tools import differential
from tools.differential import RULE_SETS, Difference, play_both

GAMES = 8


@pytest.mark.parametrize("rules_name", RULE_SETS)
def test_no_difference(rules_name: str) -> None:
    """Some games of each rule set, with other seeds than the long run; claims, tactic cards and all."""
    for number in range(GAMES):
        play_both(rules_name, 77, number)


def play_many(rules_name: str) -> None:
    """Games enough for anything to happen."""
    for number in range(40):
        play_both(rules_name, 1, number)


class Wrong:
    """An engine with one thing falsified, in front of the right one."""

    def __init__(self, *given: object) -> None:
        self.right = State(*given)  # type: ignore[arg-type]

    def __getattr__(self, name: str) -> object:
        return getattr(self.right, name)


class MovesLeftOut(Wrong):
    def legal_moves(self) -> list[Move]:
        moves = self.right.legal_moves()
        return moves[:-1] if self.right.turns > 6 else moves


class FailsLate(Wrong):
    def apply(self, move: Move) -> None:
        if self.right.turns > 10:
            raise RuntimeError("out of order")
        self.right.apply(move)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (MovesLeftOut, "legal moves: the engine says"),
        (FailsLate, "out of order"),
    ],
)
def test_a_wrong_engine_is_found(wrong: type[Wrong], words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With one thing falsified the comparison fails, and says the rule set, the seed, the game and the moves."""
    monkeypatch.setattr(differential, "State", wrong)
    with pytest.raises(Difference, match=rf"(?s)ps-2004-tactical, seed 1, game \d+, claims .*after .*{words}"):
        play_many("ps-2004-tactical")


def test_a_wrong_oracle_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """And the other way round: a proof that is too strict."""
    monkeypatch.setattr(Oracle, "claimable", lambda self, seat: set())
    with pytest.raises(Difference):
        play_many("iello-base")
