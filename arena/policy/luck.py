"""What the draws of a game gave to whom, beyond what they could be expected to give.

At each draw the packaged net says what every card that could have been drawn is worth to who drew (both hands open, the
other's likely reply made): the value of the card drawn minus the mean of all is luck, which has mean zero (Burch,
Schmid, Moravcik, Bowling: AIVAT, 2016; arXiv 1612.06915). The initial hands need no term: in the two games of a pair
the bots hold them in turn.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from arena.errors import ArenaError
from arena.game.engine import State
from arena.game.record import Record, RecordError
from arena.game.rules import Rules
from arena.policy.evaluator import Evaluator

PARTS = 3
DRAWS_A_PART = 14
"""A game of the base rules has 42 draws."""
_DIGITS = 6
_WEIGHTS = {"base": (0.41, 0.58, 0.79), "tactical": (0.59, 0.64, 0.65)}
"""By part of the game: `benchmarks/adjusted_tests.py` of 400 deals of greedy, counter, odds and net, seed 7."""


def game_luck(record: Record, net: Evaluator) -> list[float]:
    """What the draws of a game gave its first player, in points, for PARTS parts of the game.

    Raises RecordError if the record does not replay.
    """
    state = State(record.rules, record.deal, record.auto_claim)
    parts, draws = [0.0] * PARTS, 0
    for number, move in enumerate(record.moves, 1):
        before = state.copy()
        try:
            state.apply(move)
        except ArenaError as error:
            raise RecordError(f"record, move {number} ({move}): {error}") from None
        if values := net.draw_values(before, state):
            luck = values[0] - math.fsum(values) / len(values)
            parts[min(draws // DRAWS_A_PART, PARTS - 1)] += luck if before.turn == record.deal.starter else -luck
            draws += 1
    return [round(part, _DIGITS) + 0.0 for part in parts]


def fixed_luck(parts: Sequence[float], rules: Rules) -> float:
    """What luck gave the first player, with weights that are not fitted on the games at hand."""
    return math.fsum(weight * part for weight, part in zip(_WEIGHTS["tactical" if rules.tactics else "base"], parts))
