"""Fit the weights of `arena.policy.Net` to positions, with PyTorch: `pip install torch`.

The loss is the cross entropy of the chance to win, plus two weighted parts: with `spread`, the squared error of the
differences between the values of several moves of one decision, because these decide the choice; with `STONES`, the
cross entropy of the final owner of each stone, a helper output on the stones' embeddings that exists only in training.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import torch
from torch.nn.functional import binary_cross_entropy_with_logits as cross_entropy

from arena.policy.net import SHAPES
from tools.training.positions import Array, Positions

Weights: TypeAlias = dict[str, torch.Tensor]
#: The inputs of a stone, and of nine stones.
STONE, STONES_END = 100, 900
#: The weight of the owners in the loss.
STONES = 0.45
#: Shapes of the helper output.
HELPER = {"wp": (16,), "bp": (1,)}
#: The numbers of inputs of arrays that start with random weights, whose variance depends on them (He et al. 2015).
FAN = {"w1": 100, "wh": 100, "wr": 100, "w2": 64, "w3": 144, "wg": 55, "w4": 64, "wp": 16}


def start_weights(seed: int) -> Weights:
    """Return random weights: normal with variance 2 / inputs; the biases 0."""
    rng = np.random.default_rng(seed)
    return {
        name: torch.tensor(
            rng.normal(0.0, (2.0 / FAN[name]) ** 0.5, shape) if name in FAN else np.zeros(shape), dtype=torch.float32
        )
        for name, shape in (SHAPES | HELPER).items()
    }


def flat(weights: Weights) -> Array:
    """Return the weights in the form that `Net` takes."""
    return np.concatenate([weights[name].numpy().ravel() for name in SHAPES])


def weights_of(numbers: Array, seed: int) -> Weights:
    """Return a net's weights to start from, with random weights for the helper output, which nets do not store."""
    found, at = start_weights(seed), 0
    for name, shape in SHAPES.items():
        size = int(np.prod(shape))
        found[name] = torch.tensor(numbers[at : at + size].reshape(shape), dtype=torch.float32)
        at += size
    return found


def forward(w: Weights, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return logits of the values of n positions, and of the owners of n x 9 stones."""
    stones, hand = x[:, :STONES_END].reshape(-1, 9, STONE), x[:, STONES_END:]
    wants = (stones[:, :, 48:58].sum(2) > 0) & (stones[:, :, 2] == 0)
    free = (stones[:, :, 0] == 0) & (stones[:, :, 1] == 0)
    h = stones @ w["w1"] + w["b1"]
    h = h + wants[:, :, None] * (hand[:, 32:52] @ w["wh"])[:, None]
    h = h + free[:, :, None] * (hand[:, [31, 52, 53, 54]] @ w["wr"])[:, None]
    e = torch.relu(torch.relu(h) @ w["w2"] + w["b2"])
    z = torch.relu(e.reshape(len(x), -1) @ w["w3"].reshape(144, -1) + hand @ w["wg"] + w["b3"])
    return z @ w["w4"] + w["b4"], e @ w["wp"] + w["bp"]


def losses(w: Weights, x: torch.Tensor, y: torch.Tensor, groups: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Return the mean cross entropy, the mean squared error of differences in groups, and the stones of `forward`."""
    values, stones = forward(w, x)
    off = torch.sigmoid(values) - y
    n = int(groups.max()) + 1
    means = torch.zeros(n).index_add(0, groups, off) / torch.bincount(groups, minlength=n)
    return cross_entropy(values, y), ((off - means[groups]) ** 2).mean(), stones


def batch_of(data: Positions, chosen: Array) -> tuple[torch.Tensor, ...]:
    """Return numbers, targets, groups and owners of the positions in the chosen groups."""
    counts = data.counts[chosen]
    groups = np.repeat(np.arange(len(chosen)), counts)
    first = np.cumsum(counts) - counts
    rows = data.starts[chosen][groups] + np.arange(len(groups)) - first[groups]
    arrays = data.x[rows], data.y[rows], groups, data.owned[rows]
    x, y, group, owned = (torch.from_numpy(array) for array in arrays)
    return x.float(), y, group, owned.float()


def loss_of(w: Weights, data: Positions) -> tuple[float, float]:
    """Return the mean cross entropy and the mean squared error of differences over all positions."""
    entropy = spread = 0.0
    with torch.no_grad():
        for at in range(0, len(data.counts), 4096):
            x, y, groups, _ = batch_of(data, np.arange(at, min(at + 4096, len(data.counts))))
            parts = losses(w, x, y, groups)
            entropy += float(parts[0]) * len(y)
            spread += float(parts[1]) * len(y)
    return entropy / len(data), spread / len(data)


def mirrored(x: torch.Tensor) -> torch.Tensor:
    """Return the positions in a mirror: stone 9 becomes stone 1."""
    stones = x[:, :STONES_END].reshape(-1, 9, STONE).flip(1).reshape(-1, STONES_END)
    return torch.cat([stones, x[:, STONES_END:]], 1)


def fit(
    data: Positions,
    held: Positions,
    weights: Weights,
    epochs: int,
    seed: int,
    rate: float,
    spread: float = 40.0,
    batch: int = 1500,
    on_epoch: Callable[[int, float, float], None] = lambda epoch, entropy, differences: None,
) -> Weights:
    """Fit weights with Adam (Kingma and Ba 2015), a cosine-shaped rate and half the batches mirrored.

    A batch has about `batch` positions; `spread` is the weight of the differences. `on_epoch(epoch, entropy,
    differences)` gets the losses on the held-out positions.
    """
    rng = np.random.default_rng(seed)
    w = {name: array.clone().requires_grad_() for name, array in weights.items()}
    size = max(1, round(batch * len(data.counts) / len(data)))
    steps = max(1, len(data.counts) // size)
    adam = torch.optim.Adam(w.values(), rate)
    cosine = torch.optim.lr_scheduler.CosineAnnealingLR(adam, epochs * steps)
    for epoch in range(epochs):
        order = rng.permutation(len(data.counts))
        for at in range(steps):
            x, y, groups, owned = batch_of(data, np.sort(order[at * size : at * size + size]))
            if rng.random() < 0.5:
                x, owned = mirrored(x), owned.flip(1)
            entropy, differences, stones = losses(w, x, y, groups)
            known = owned >= 0
            whose = cross_entropy(stones, owned.clamp(0, 1), known.float(), reduction="sum") / owned.numel()
            adam.zero_grad()
            (entropy + spread * differences + STONES * whose).backward()
            adam.step()
            cosine.step()
        on_epoch(epoch + 1, *loss_of(w, held))
    return {name: array.detach() for name, array in w.items()}
