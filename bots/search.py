"""Flat Monte Carlo: tries each move in games played on at random, and takes the one that won most often.

The opponent's cards are not known, so each trial begins with `view.sample(rng)`: a full state with the hidden cards in
random places that agree with all this seat knows. All moves are tried in turn on the same samples.
"""

from __future__ import annotations

from arena import Bot, Move, View


class Search(Bot):
    """A bot that spends `rollouts` trials on a decision, over all moves together."""

    def __init__(self, rollouts: int = 200) -> None:
        if rollouts < 1:
            raise ValueError(f"rollouts must be at least 1, not {rollouts}")
        self.rollouts = rollouts

    def act(self, view: View, moves: list[Move]) -> Move:
        wins = [0.0] * len(moves)
        for _ in range(max(1, self.rollouts // len(moves))):
            sample = view.sample(view.rng)
            for at, move in enumerate(moves):
                trial = sample.copy()
                trial.apply(move)
                winner = trial.rollout(view.rng)
                wins[at] += 1.0 if winner == view.seat else 0.5 if winner == 2 else 0.0
        return moves[wins.index(max(wins))]
