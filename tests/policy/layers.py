"""The layers of a net, written in numpy for many positions at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from arena.policy.net import SHAPES


def random_weights(seed: int) -> np.ndarray[Any, Any]:
    """Return random weights of a net, in their order: normal with variance 2 / 32; the biases 0."""
    rng = np.random.default_rng(seed)
    parts = [
        np.zeros(shape) if name.startswith("b") else rng.normal(0.0, 0.25, shape).astype(np.float32)
        for name, shape in SHAPES.items()
    ]
    return np.concatenate([part.ravel() for part in parts])


def net_values(numbers: np.ndarray[Any, Any], x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return a net's chances to win, from the features of positions."""
    w, at = {}, 0
    for name, shape in SHAPES.items():
        w[name] = numbers[at : at + int(np.prod(shape))].reshape(shape)
        at += int(np.prod(shape))
    stones, hand = x[:, :900].reshape(-1, 9, 100), x[:, 900:]
    wants = (stones[:, :, 48:58].sum(2) > 0) & (stones[:, :, 2] == 0)
    free = (stones[:, :, 0] == 0) & (stones[:, :, 1] == 0)
    h = stones @ w["w1"] + w["b1"]
    h[wants] += (hand[:, 32:52] @ w["wh"])[np.nonzero(wants)[0]]
    h[free] += (hand[:, [31, 52, 53, 54]] @ w["wr"])[np.nonzero(free)[0]]
    e = np.maximum(np.maximum(h, 0) @ w["w2"] + w["b2"], 0)
    z = np.maximum(np.einsum("nsc,scm->nm", e, w["w3"]) + hand @ w["wg"] + w["b3"], 0)
    return 1 / (1 + np.exp(-(z @ w["w4"] + w["b4"][0])))
