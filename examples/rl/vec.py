"""Plays the policy that `train_vec.py` has trained on many games at once, with only numpy. Base rules."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from arena import Bot, Move, Setup, View
from arena.adapters.spaces import spaces_of


def stones_of(seen: Any) -> Any:
    """Reshape observations in base (n x 1,119) to n x 9 x 223: what there is to know of each stone, hands and decks.

    One net looks at each of the nine stones, so whatever it learns about one, it knows about all.
    """
    n = len(seen)
    sides = seen[:, 108:1080].reshape(n, 2, 9, 54).swapaxes(1, 2).reshape(n, 9, 108)
    marks = seen[:, 1080:1116].reshape(n, 4, 9).swapaxes(1, 2)
    shared = np.concatenate([seen[:, :108], seen[:, 1116:]], axis=1)
    return np.concatenate([sides, marks, np.repeat(shared[:, None], 9, axis=1)], axis=2)


def logits_of(weights: Any, stones: Any, relu: Any) -> Any:
    """Return the policy's preference for each play: n x 486, a card and a stone, numbered as the actions are."""
    hidden = relu(stones @ weights["w0"] + weights["b0"])
    around = hidden.mean(axis=1, keepdims=True) @ weights["w1"]
    hidden = relu(hidden @ weights["w2"] + around + weights["b2"])
    return (hidden @ weights["w3"] + weights["b3"]).swapaxes(1, 2).reshape(len(stones), 486)


class Vec(Bot):
    def __init__(self) -> None:
        file = Path(__file__).with_suffix(".npz")
        if not file.exists():
            raise FileNotFoundError(f"{file.name} is not there yet: train the policy with train_vec.py")
        with np.load(file) as stored:
            self.weights = {name: stored[name].astype(np.float32) for name in stored.files}

    def begin(self, setup: Setup) -> None:
        self.actions, self.observer = spaces_of(setup.rules)
        if self.observer.size != 1119:
            raise ValueError(f"the policy was trained for the base rules, not for {setup.rules}")

    def act(self, view: View, moves: list[Move]) -> Move:
        seen = self.observer.observe(view)[None]
        logits = np.append(logits_of(self.weights, stones_of(seen), lambda x: np.maximum(x, 0))[0], -1e9)
        return moves[int(np.argmax(logits[self.actions.numbers(moves)]))]
