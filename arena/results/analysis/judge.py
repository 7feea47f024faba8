"""How good each move of a stored game was, from what its player knew: by the net, and by search over it.

Where a budget is given, the search chooses the move to compare with, and both moves are then tried in samples of the
hidden cards that the choice has not seen: had the same samples chosen, their luck would count for the chosen move.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from arena.game.engine import View
from arena.game.moves import Move
from arena.game.rng import Rng, derive_seed
from arena.game.rules import Rules
from arena.policy import Evaluator, Playout, Searcher, load_net
from arena.results.decisions import Decision

DEPTH = 10
"""Decisions looked ahead in each sample, as many as the bot `champion` does (see `benchmarks/judge_errors.py`)."""
BY_RULE = ("draw", "scout")
"""Kinds of decisions that the net takes by a rule: which deck to draw from. They are not judged."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a decision was worth to its seat: chances to win from 0 to 1, each from what the seat knew.

    number   the decision's place in the record, from 1
    seat     who decided
    chance   after the move made, before the draw; None for a decision that is not judged
    best     the move that the judge would have made
    loss     how much less the move made is worth than `best`. With a search it is an estimate, and may be a little
             below 0: the move made then proved better
    """

    number: int
    seat: int
    chance: float | None
    best: Move
    loss: float


class Judge:
    """Judges decisions of one rule set. `nodes`: decisions of the net that are spent on each; 0: none, only the net."""

    def __init__(self, rules: Rules, nodes: int = 0) -> None:
        self.net = load_net(rules)
        self.searcher = Searcher(self.net, depth=DEPTH) if nodes else None
        self.nodes = nodes

    def all(self, made: Sequence[Decision]) -> Iterator[Judgement]:
        """The judgements of a game's decisions, the same for the same game and budget."""
        return map(self.judge, made)

    def judge(self, one: Decision) -> Judgement:
        """What one decision was worth."""
        if one.phase in BY_RULE:
            return Judgement(one.number, one.seat, None, one.move, 0.0)
        moves = list(one.legal)
        state = one.state()
        if self.searcher is None:
            values = self.net.values(state, moves)
            most = max(values)
            chance = values[moves.index(one.move)]
            best = one.move if chance == most else moves[values.index(most)]
            return Judgement(one.number, one.seat, chance, best, most - chance)
        rng = Rng(derive_seed(0, "analysis", one.number))
        view = state.view(one.seat)
        best = self.searcher.choose(view, moves, rng, self.nodes) if len(moves) > 1 else one.move
        compared = [one.move] if best is one.move else [one.move, best]
        chances = sampled_chances(self.net, view, compared, rng, max(self.nodes // (2 * DEPTH * len(compared)), 1))
        return Judgement(one.number, one.seat, chances[0], best, chances[-1] - chances[0])


def sampled_chances(
    net: Evaluator, view: View, moves: Sequence[Move], rng: Rng, samples: int, depth: int = DEPTH
) -> list[float]:
    """The chance to win after each of some legal moves, the mean over the same samples of the hidden cards.

    `depth`: decisions looked ahead; 0: to the end of the game.
    """
    totals = [0.0] * len(moves)
    playout = Playout(net)
    for _ in range(samples):
        sample = view.sample(rng)
        for at, move in enumerate(moves):
            state = sample.copy()
            state.apply(move)
            totals[at] += playout.play(state, depth, view.seat)
    return [total / samples for total in totals]
