"""Plays a policy trained by MaskablePPO of sb3-contrib (`train_ppo.py`), with only numpy. Base rules."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from arena import Bot, Move, Setup, View
from arena.adapters.spaces import spaces_of


class Ppo(Bot):
    def __init__(self) -> None:
        with np.load(Path(__file__).with_name("ppo.npz")) as stored:
            self.weights = [(stored[f"w{n}"].astype(float), stored[f"b{n}"].astype(float)) for n in range(3)]

    def begin(self, setup: Setup) -> None:
        self.actions, self.observer = spaces_of(setup.rules)
        if self.observer.size != len(self.weights[0][0]):
            raise ValueError(f"the policy was trained for the base rules, not for {setup.rules}")

    def act(self, view: View, moves: list[Move]) -> Move:
        x = self.observer.observe(view).astype(float)
        for weight, bias in self.weights[:-1]:
            x = np.tanh(x @ weight + bias)
        weight, bias = self.weights[-1]
        legal = [self.actions.number(move) for move in moves]
        return moves[int(np.argmax(x @ weight[:, legal] + bias[legal]))]
