# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: annotation_typing=False
"""Search over an evaluator: the best moves are tried in samples of the hidden cards, the better half tried again.

Sequential halving (Karnin, Koren and Somekh 2013): all candidates see the same samples (common random numbers), and
after each round the better half stays. A sample is played `depth` decisions on by the evaluator; the value of the last
of them, to its player and from what that player knows, is the result. So a leaf never knows hidden cards.
"""

from __future__ import annotations

from time import perf_counter

try:
    import cython
except ImportError:
    from arena.game import nocython as cython  # type: ignore[no-redef]

from arena.game.engine import State, View
from arena.game.moves import Move
from arena.game.rng import Rng
from arena.policy.evaluator import Evaluator

if not cython.compiled:
    from arena.game.board import copy_block


class Searcher:
    """Chooses moves by search; `nodes` counts decisions of the evaluator (all moves of a position judged once).

    `depth`: decisions after the move; `width`: candidates at most; `margin`: how far below the best a candidate may
    be; `prior`: how many samples the evaluator's own value counts for; `opponent`: an evaluator that plays the other
    seat's decisions, by default the same.
    """

    if not cython.compiled:
        evaluator: Evaluator
        opponent: Evaluator
        depth: int
        width: int
        margin: float
        prior: float
        work: State
        spent: int

    def __init__(self, evaluator: Evaluator, depth: int = 2, width: int = 8, margin: float = 0.12, prior: float = 2.0,
                 opponent: Evaluator | None = None) -> None:  # fmt: skip
        if evaluator is None:
            raise TypeError("a searcher needs an evaluator")
        if depth < 1 or width < 1:
            raise ValueError("depth and width are at least 1")
        self.evaluator = evaluator
        self.opponent = opponent if opponent is not None else evaluator
        self.depth = depth
        self.width = width
        self.margin = margin
        self.prior = prior
        self.work = State.__new__(State)
        self.spent = 0

    @property
    def nodes(self) -> int:
        """Decisions spent on the last choice."""
        return self.spent

    def choose(self, view: View, moves: list[Move], rng: Rng, nodes: int = 1000, seconds: float = 0.0) -> Move:
        """The best of the legal `moves`, by at most about `nodes` decisions, and `seconds` if they are not 0.

        With `nodes` alone the choice depends on the view and the generator only. Draws, the recruiter's draws and its
        returns are chosen by the evaluator's rules, without a search.
        """
        evaluator = self.evaluator
        values = evaluator.values(view, moves)
        self.spent = 1
        most = max(values)
        order = sorted(range(len(moves)), key=lambda i: (-values[i], i))
        kept = [i for i in order[: self.width] if values[i] > most - self.margin]
        if len(kept) < 2 or view.phase not in ("play", "take", "put") or most >= 1.0:
            return moves[order[0]]
        if rng is None:
            raise TypeError("a search needs a generator: view.rng, or Rng(seed)")
        end = perf_counter() + seconds if seconds > 0.0 else 0.0
        totals = [values[i] * self.prior for i in kept]
        count = 0
        rounds = (len(kept) - 1).bit_length()
        while len(kept) > 1:
            left = nodes - self.spent
            tries = left // (rounds * len(kept) * self.depth)
            if tries < 1:
                break
            rounds -= 1
            begun = perf_counter()
            share = (end - begun) / (rounds + 1) if end else 0.0
            for _ in range(tries):
                sample = view.sample(rng)
                for at in range(len(kept)):
                    totals[at] += self.trial(sample, moves[kept[at]].index, view.seat)
                count += 1
                if end and perf_counter() - begun >= share:
                    break
            ranks = sorted(range(len(kept)), key=lambda at: (-totals[at], at))[: (len(kept) + 1) // 2]
            kept = [kept[at] for at in ranks]
            totals = [totals[at] for at in ranks]
            if end and perf_counter() >= end:
                break
        return moves[kept[max(range(len(kept)), key=lambda at: (totals[at], -at))]]

    @cython.final
    def trial(self, sample: State, code: int, p: int) -> float:
        """Seat `p`'s chance to win in a sample after a move, seen `depth` decisions later."""
        state = self.work
        copy_block(state, sample)
        copy_decks(state, sample)
        state.perform(code)
        left = self.depth
        while True:
            if state.won >= 0:
                return 0.5 if state.won == 2 else 1.0 if state.won == p else 0.0
            evaluator = self.evaluator if state.mover == p else self.opponent
            best = evaluator.best_code(state)
            if evaluator.deciding():
                self.spent += 1
                left -= 1
                if left <= 0:
                    return evaluator.most if state.mover == p else 1.0 - evaluator.most
            state.perform(best)


def copy_decks(target: State, source: State) -> None:
    """Copy both decks."""
    for i in range(64):
        target.clan_deck[i] = source.clan_deck[i]
    for i in range(32):
        target.tactic_deck[i] = source.tactic_deck[i]
