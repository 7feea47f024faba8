# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: annotation_typing=False
"""Search over an evaluator: the best moves are tried in samples of the hidden cards, the better ones more often.

Sequential halving (Karnin, Koren and Somekh 2013): all candidates see the same samples (common random numbers), and
the better half stays after each round. A candidate that is far behind leaves within a round, as in a race (Maron and
Moore 1997), and its samples go to those that are close. The evaluator plays each sample on for `depth` decisions. The
result is the mean of the values of the last `tail` decisions, each for its player and from what that player knows, so
hidden cards play no part. A single value would depend more on chance: on whose turn it is, and on the last cards drawn.
"""

from __future__ import annotations

from time import perf_counter

import cython

from arena.game.engine import State, View
from arena.game.moves import Move
from arena.game.rng import Rng
from arena.policy.evaluator import Evaluator

#: Samples between two checks for candidates that are far behind.
LOOK = 8


class Playout:
    """A player of positions by evaluators: the best move of each decision, to the end or for some decisions.

    `policy` decides for the seat in question, `opponent` for the other seat; by default they are the same.

    >>> from arena import State, load_rules, make_deal
    >>> from arena.policy import Evaluator
    >>> rules = load_rules("base")
    >>> state = State(rules, make_deal(rules, 1, 0))
    >>> Playout(Evaluator()).play(state) in (0.0, 0.5, 1.0)
    True
    >>> 0.3 < Playout(Evaluator()).play(state, depth=2) < 0.7
    True
    """

    def __init__(self, policy: Evaluator, opponent: Evaluator | None = None) -> None:
        if policy is None:
            raise TypeError("a playout needs an evaluator")
        self.policy = policy
        self.opponent = opponent if opponent is not None else policy
        self.work = State.__new__(State)
        self.spent = 0

    def play(self, state: State, depth: int = 0, seat: int = -1, tail: int = 1) -> float:
        """Return the chance of `seat` (-1: the seat to decide) to win, as judged `depth` decisions later.

        With depth 0 the game is played to its end. The last of the decisions is not made: the result is the value of
        its best move for its player, from what that player knows; with a `tail`, the mean over that many last
        decisions. The state is not changed. Give a sample of a view, so that hidden cards play no part. Raises
        ValueError for an impossible depth, seat or tail.
        """
        if state is None or state.rules is None:
            raise TypeError("expected a state of a game, such as a sample of a view")
        if depth < 0 or seat not in (-1, 0, 1):
            raise ValueError(f"depth must be at least 0 and seat 0, 1 or -1, not {depth!r} and {seat!r}")
        if not 1 <= tail <= max(depth, 1):
            raise ValueError(f"tail must be at least 1 and at most depth, not {tail!r}")
        self.begin(state)
        return self.run(depth, tail, seat if seat >= 0 else state.mover)

    @cython.final
    def begin(self, state: State) -> None:
        """Start from a copy of a state."""
        copy_block(self.work, state)
        copy_decks(self.work, state)
        self.spent = 0

    @cython.final
    def run(self, depth: int, tail: int, p: int) -> float:
        """Return seat `p`'s chance to win, `depth` decisions after the start; `spent` counts the decisions."""
        state = self.work
        before = depth - tail
        total = 0.0
        while state.won < 0:
            evaluator = self.policy if state.mover == p else self.opponent
            best = evaluator.best_code(state)
            if evaluator.deciding():
                self.spent += 1
                if depth and self.spent > before:
                    total += evaluator.most if state.mover == p else 1.0 - evaluator.most
                    if self.spent == depth:
                        return total / tail
            perform(state, best)
        result = result_of(state, p)
        if not depth:
            return result
        missing = depth - (self.spent if self.spent > before else before)
        return (total + missing * result) / tail


class Searcher:
    """A chooser of moves by search; `nodes` counts decisions of the evaluator (all moves of a position judged once).

    `depth` is the number of decisions after the move, `tail` the number of the last of them that are judged. At most
    `width` moves are candidates, and none is more than `margin` below the best. The evaluator's own value counts as
    much as `prior` samples. `opponent` is an evaluator that plays the other seat's decisions, by default the same. A
    candidate is dropped when it is more than `race` standard errors behind the best; 0 turns that off.
    """

    def __init__(
        self,
        evaluator: Evaluator,
        depth: int = 6,
        width: int = 8,
        margin: float = 0.12,
        prior: float = 2.0,
        opponent: Evaluator | None = None,
        race: float = 2.0,
        tail: int = 3,
    ) -> None:
        if evaluator is None:
            raise TypeError("a searcher needs an evaluator")
        if not 1 <= tail <= depth or width < 1 or not race >= 0.0:
            raise ValueError("tail must be from 1 to depth, width at least 1 and race at least 0")
        self.evaluator = evaluator
        self.playout = Playout(evaluator, opponent)
        self.depth = depth
        self.tail = tail
        self.width = width
        self.margin = margin
        self.prior = prior
        self.race = race
        self.sample = State.__new__(State)
        self.spent = 0
        self.worth = 0.0

    @property
    def nodes(self) -> int:
        """The number of decisions spent on the last choice."""
        return self.spent

    @property
    def value(self) -> float:
        """The chance to win after the last choice, as searched; meaningless after a draw or a return."""
        return self.worth

    def choose(self, view: View, moves: list[Move], rng: Rng, nodes: int = 1000, seconds: float = 0.0) -> Move:
        """Return the best of the legal `moves`, found within about `nodes` decisions, and `seconds` if not 0.

        With `nodes` alone, the choice depends only on the view and the generator. Draws, including the recruiter's, and
        returns are chosen by the evaluator's rules, without a search. Raises ValueError for impossible limits.
        """
        if nodes < 1 or seconds < 0.0:
            raise ValueError(f"nodes must be at least 1 and seconds at least 0, not {nodes!r} and {seconds!r}")
        end = perf_counter() + seconds if seconds > 0.0 else 0.0
        evaluator = self.evaluator
        values = evaluator.values(view, moves)
        self.spent = 1
        most = max(values)
        self.worth = most
        order = sorted(range(len(moves)), key=lambda i: (-values[i], i))
        kept = [i for i in order[: self.width] if values[i] > most - self.margin]
        if len(kept) < 2 or view.phase not in ("play", "take", "put") or most >= 1.0:
            return moves[order[0]]
        if rng is None:
            raise TypeError("a search needs a generator: view.rng, or Rng(seed)")
        totals = [values[i] * self.prior for i in kept]
        products = [[0.0] * len(kept) for _ in kept]
        samples = 0
        while len(kept) > 1:
            rounds = (len(kept) - 1).bit_length()
            tries = (nodes - self.spent) // (rounds * len(kept) * self.depth)
            if tries < 1:
                break
            now = perf_counter()
            until = now + (end - now) / rounds
            codes = [moves[i].index for i in kept]
            stay = list(range(len(kept)))
            while tries and len(stay) == len(kept):
                self.try_all(view, rng, codes, totals, products)
                samples += 1
                tries -= 1
                if not tries or (end and perf_counter() >= until):
                    stay = sorted(stay, key=lambda at: (-totals[at], at))[: (len(kept) + 1) // 2]
                elif samples % LOOK == 0:
                    stay = self.close(totals, products, samples)
            kept = [kept[at] for at in stay]
            totals = [totals[at] for at in stay]
            products = [[products[at][other] for other in stay] for at in stay]
            if end and perf_counter() >= end:
                break
        best = max(range(len(kept)), key=lambda at: (totals[at], -at))
        self.worth = totals[best] / (self.prior + samples) if samples else values[kept[best]]
        return moves[kept[best]]

    def close(self, totals: list[float], products: list[list[float]], samples: int) -> list[int]:
        """Return the candidates not far behind the best, by the errors of the differences in the common samples."""
        best = max(range(len(totals)), key=lambda at: (totals[at], -at))
        stay = []
        for at in range(len(totals)):
            gap = totals[best] - totals[at]
            squares = products[best][best] - 2.0 * products[best][at] + products[at][at]
            variance = max(squares - gap * gap / samples, 0.0) * samples / (samples - 1)
            if not self.race or at == best or gap * gap <= self.race * self.race * variance:
                stay.append(at)
        return stay

    @cython.final
    def try_all(self, view: View, rng: Rng, codes: list[int], totals: list[float], products: list[list[float]]) -> None:
        """Play on after each of the moves in one sample of the hidden cards.

        Each move's result is added to `totals`, its products with the results of all moves to `products`.
        """
        view.sample_into(self.sample, rng)
        row = []
        for at in range(len(codes)):
            self.playout.begin(self.sample)
            perform(self.playout.work, codes[at])
            row.append(self.playout.run(self.depth, self.tail, view.seat))
            self.spent += self.playout.spent
        for at in range(len(codes)):
            totals[at] += row[at]
            for other in range(len(codes)):
                products[at][other] += row[at] * row[other]


def copy_decks(target: State, source: State) -> None:
    """Copy both decks."""
    for i in range(64):
        target.clan_deck[i] = source.clan_deck[i]
    for i in range(32):
        target.tactic_deck[i] = source.tactic_deck[i]
