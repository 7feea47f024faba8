"""A bot with a small net of its own. Copy the file to bots/, run it to train the net, then play with it.

The net learns from games what the toolkit's chances miss. It corrects the chance computed from the nine stones, so
before any training it plays like the evaluator. The weights are stored beside the file.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from arena import Bot, Move, Rng, State, View, load_rules, make_deal
from arena.policy import Evaluator

FILE = Path(__file__).with_suffix(".npz")
SEED = 1
NOISE = 0.03  # the random part of a move's value in the training games, which makes them differ


def numbers(evaluator: Evaluator, view: View) -> tuple[list[float], float]:
    """Return a position after the bot's move as 30 numbers, and the log odds of the chance that the stones give."""
    chance = min(max(evaluator.value(view), 0.001), 0.999)
    odds = evaluator.stone_odds(view)
    mine = [len(cards) / 3 for cards in view.mine]
    theirs = [len(cards) / 3 for cards in view.theirs]
    values = [int(card[1:]) for card in view.hand if card[1:].isdigit()] or [5]
    rest = [view.deck_counts[0] / 42, sum(values) / len(values) / 10, max(values) / 10]
    return [*odds, *mine, *theirs, *rest], float(np.log(chance / (1 - chance)))


def judged(weights: dict[str, np.ndarray], x: np.ndarray, base: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the chances to win in positions (one per row), and the hidden layer."""
    hidden = np.tanh(x @ weights["w1"] + weights["b1"])
    return 1 / (1 + np.exp(-(base + hidden @ weights["w2"]))), hidden


class Learned(Bot):
    """A bot that plays the move with the highest value of the net."""

    def __init__(self) -> None:
        self.evaluator = Evaluator(hand=0.8, draw=0.8)
        with np.load(FILE) as stored:
            self.weights = dict(stored)

    def act(self, view: View, moves: list[Move]) -> Move:
        if view.phase in ("draw", "scout"):
            return self.evaluator.choose(view, moves)
        rows = [numbers(self.evaluator, view.after(move)) for move in moves]
        chances, _ = judged(self.weights, np.array([x for x, _ in rows]), np.array([base for _, base in rows]))
        return moves[int(chances.argmax())]


def _positions(games: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Play the evaluator against itself; return numbers and log odds of positions, and the results of their games."""
    rules, evaluator = load_rules("base"), Evaluator(hand=0.8, draw=0.8)
    rows, bases, results = [], [], []
    for deal in range(games):
        state, rng, seats = State(rules, make_deal(rules, SEED, deal)), Rng(1000 + deal), []
        while not state.is_over:
            view, moves = state.view(state.to_move), state.legal_moves()
            noisy = [value + NOISE * rng.random() for value in evaluator.values(view, moves)]
            move = moves[noisy.index(max(noisy))]
            after = view.after(move)
            if not after.is_over and rng.random() < 0.5:
                x, base = numbers(evaluator, after)
                rows.append(x)
                bases.append(base)
                seats.append(view.seat)
            state.apply(move)
        results += [0.5 if state.winner is None else float(state.winner == seat) for seat in seats]
    return np.array(rows), np.array(bases), np.array(results)


def _train(games: int) -> None:
    x, base, y = _positions(games)
    held = len(x) // 5  # the positions of the first games are held out
    random = np.random.default_rng(SEED)
    weights = {"w1": random.normal(0, 0.3, (x.shape[1], 16)), "b1": np.zeros(16), "w2": np.zeros(16)}

    def loss() -> float:
        p, _ = judged(weights, x[:held], base[:held])
        return -float(np.mean(y[:held] * np.log(p) + (1 - y[:held]) * np.log(1 - p)))

    print(f"{len(x)} positions, loss {loss():.4f} before")
    for _ in range(20):
        for batch in np.array_split(random.permutation(np.arange(held, len(x))), max(len(x) // 256, 1)):
            p, hidden = judged(weights, x[batch], base[batch])
            error = (p - y[batch]) / len(batch)
            back = np.outer(error, weights["w2"]) * (1 - hidden**2)
            for name, gradient in (("w2", hidden.T @ error), ("w1", x[batch].T @ back), ("b1", back.sum(0))):
                weights[name] -= 0.1 * (gradient + 1e-4 * weights[name])
    print(f"loss {loss():.4f} after")
    np.savez(FILE, w1=weights["w1"], b1=weights["b1"], w2=weights["w2"])


if __name__ == "__main__":
    _train(int(sys.argv[1]) if len(sys.argv) > 1 else 60)
