"""Positions of self-play, made on all cores, and fitting the weights of `arena.policy.Net` to them.

Fitting is numpy, Adam, and batches in a seeded order. The loss is the cross entropy of the result, and beside it,
weighted by `STONES`, that of who owns each stone in the end: a helper output on the stones' embeddings that only
training has.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from arena.bots.bot import Setup, hook_of
from arena.bots.loading import load_bot
from arena.bots.spec import find_bot
from arena.game.deals import make_deal
from arena.game.engine import State
from arena.game.rng import Rng, derive_seed
from arena.game.rules import load_rules
from arena.policy.evaluator import Evaluator
from arena.policy.inputs import NUMBERS as ALL
from arena.policy.inputs import Recorder, features
from arena.policy.net import SHAPES, Net
from arena.policy.selfplay import play_games

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
Weights: TypeAlias = dict[str, Array]
#: Weight of the helper output.
STONES = 0.45
#: Shapes of the helper output.
HELPER = {"wp": (16,), "bp": (1,)}


@dataclass(frozen=True)
class Positions:
    """`x`: n x 464 features; `y`: n targets, the chance to win; `owned`: n x 9, 1 for stones owned in the end, 0 for
    those of the opponent, -1 for those that count for nothing (owned already, or by nobody in the end)."""

    x: Array
    y: Array
    owned: Array

    def __len__(self) -> int:
        return len(self.y)


def start_weights(seed: int) -> Weights:
    """Random weights (He et al. 2015): normal with variance 2 / inputs; the biases 0."""
    rng = np.random.default_rng(seed)
    fan = {"w1": 48, "w2": 32, "w3": 9 * 16, "wg": 32, "w4": 32, "wp": 16}
    return {
        name: (rng.normal(0.0, (2.0 / fan[name]) ** 0.5, shape) if name in fan else np.zeros(shape)).astype(np.float32)
        for name, shape in (SHAPES | HELPER).items()
    }


def flat(weights: Weights) -> Array:
    """The weights as `Net` takes them."""
    return np.concatenate([weights[name].ravel() for name in SHAPES])


def weights_of(numbers: Array, seed: int) -> Weights:
    """The weights of a net to go on from; the helper output, which nets do without, starts from random weights."""
    found, at = start_weights(seed), 0
    for name, shape in SHAPES.items():
        size = int(np.prod(shape))
        found[name] = np.asarray(numbers[at : at + size], dtype=np.float32).reshape(shape)
        at += size
    return found


def forward(w: Weights, x: Array) -> tuple[Array, dict[str, Array]]:
    """The values of positions, and what the way back needs."""
    stones = x[:, :432].reshape(-1, 48)
    hand = x[:, 432:]
    h = np.maximum(stones @ w["w1"] + w["b1"], 0)
    e = np.maximum(h @ w["w2"] + w["b2"], 0)
    wide = e.reshape(len(x), 144)
    z = np.maximum(wide @ w["w3"].reshape(144, 32) + hand @ w["wg"] + w["b3"], 0)
    value = logistic(z @ w["w4"] + w["b4"][0])
    return value, {"stones": stones, "hand": hand, "h": h, "e": e, "wide": wide, "z": z}


def logistic(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def loss_of(w: Weights, data: Positions) -> float:
    """The mean cross entropy of the results."""
    total = 0.0
    for at in range(0, len(data), 8192):
        value, _ = forward(w, data.x[at : at + 8192].astype(np.float32))
        y = data.y[at : at + 8192]
        v = np.clip(value, 1e-6, 1 - 1e-6)
        total -= float(np.sum(y * np.log(v) + (1 - y) * np.log(1 - v)))
    return total / len(data)


def gradients(w: Weights, x: Array, y: Array, owned: Array) -> Weights:
    """The gradient of the mean loss of a batch."""
    n = len(y)
    value, kept = forward(w, x)
    g: Weights = {}
    out = (value - y) / n
    z, e, h, wide = kept["z"], kept["e"], kept["h"], kept["wide"]
    g["w4"] = z.T @ out
    g["b4"] = np.array([out.sum()], dtype=np.float32)
    dz = np.outer(out, w["w4"]) * (z > 0)
    g["b3"] = dz.sum(0)
    g["wg"] = kept["hand"].T @ dz
    g["w3"] = (wide.T @ dz).reshape(9, 16, 32)
    de = (dz @ w["w3"].reshape(144, 32).T).reshape(-1, 16)
    mark = owned.reshape(-1)
    guess = (logistic(e @ w["wp"] + w["bp"][0]) - mark) * (mark >= 0) * (STONES / 9 / n)
    g["wp"] = e.T @ guess
    g["bp"] = np.array([guess.sum()], dtype=np.float32)
    de = (de + np.outer(guess, w["wp"])) * (e > 0)
    g["b2"] = de.sum(0)
    g["w2"] = h.T @ de
    dh = (de @ w["w2"].T) * (h > 0)
    g["b1"] = dh.sum(0)
    g["w1"] = kept["stones"].T @ dh
    return g


def mirrored(x: Array) -> Array:
    """The positions seen in a mirror: stone 9 becomes stone 1."""
    return np.concatenate([x[:, :432].reshape(-1, 9, 48)[:, ::-1].reshape(-1, 432), x[:, 432:]], axis=1)


def fit(
    data: Positions,
    held: Positions,
    weights: Weights,
    epochs: int,
    seed: int,
    rate: float = 2e-3,
    batch: int = 512,
    tell: Callable[[int, float], None] = lambda epoch, loss: None,
) -> Weights:
    """Fit weights with Adam (Kingma and Ba 2015), a cosine-shaped rate and half the batches mirrored.

    `tell(epoch, loss)` hears the loss on the positions held back after each epoch.
    """
    rng = np.random.default_rng(seed)
    w = {name: array.copy() for name, array in weights.items()}
    first = {name: np.zeros_like(array) for name, array in w.items()}
    second = {name: np.zeros_like(array) for name, array in w.items()}
    steps = epochs * (len(data) // batch)
    step = 0
    for epoch in range(epochs):
        order = rng.permutation(len(data))
        for at in range(0, len(data) - batch + 1, batch):
            rows = np.sort(order[at : at + batch])
            x, owned = data.x[rows].astype(np.float32), data.owned[rows]
            if rng.random() < 0.5:
                x, owned = mirrored(x), owned[:, ::-1]
            g = gradients(w, x, data.y[rows], owned.astype(np.float32))
            step += 1
            now = rate * 0.5 * (1 + np.cos(np.pi * step / steps))
            for name in w:
                first[name] += (g[name] - first[name]) * 0.1
                second[name] += (g[name] ** 2 - second[name]) * 0.001
                scale = now * (1 - 0.999**step) ** 0.5 / (1 - 0.9**step)
                w[name] -= (scale * first[name] / (np.sqrt(second[name]) + 1e-8)).astype(np.float32)
        tell(epoch + 1, loss_of(w, held))
    return w


# ---- positions -------------------------------------------------------------------------------------------------

#: A chunk of games and the most positions that it can give.
GAMES, MOST = 500, 32000


def player(name: str) -> Evaluator:
    """`odds`, with other settings `odds:hand=0.7,theirs=0.5`, or a net by the file of its weights."""
    kind, _, settings = name.partition(":")
    if kind == "odds":
        given = dict(part.split("=") for part in settings.split(",") if part)
        return Evaluator(**{key: float(value) for key, value in given.items()})
    return Net(np.load(name))


def chunk(
    rules: str, players: tuple[str, str], seed: int, number: int, noise: float, keep: float, trust: float = 1.0
) -> Positions:
    """A share `keep` of the positions of one chunk of games; `trust` in results as in `returns`."""
    numbers, games, seats, values = (
        np.zeros(ALL * MOST, np.float32),
        np.zeros(MOST, np.intc),
        np.zeros(MOST, np.int8),
        np.zeros(MOST, np.float32),
    )
    recorder = Recorder(numbers, games, seats, values)
    first = number * GAMES
    pair = player(players[0]), player(players[1])
    ends = np.array(play_games(load_rules(rules), pair, first, GAMES, seed, noise, 1.0, recorder))
    n = recorder.count
    x = numbers.reshape(MOST, ALL)[:n].astype(np.float16)
    rng = np.random.default_rng(derive_seed(seed, "positions", number))
    found = positions(x, games[:n] - first, seats[:n], values[:n], ends, trust)
    kept = np.flatnonzero(rng.random(n) < keep)
    return Positions(found.x[kept], found.y[kept], found.owned[kept])


def positions(x: Array, games: Array, seats: Array, values: Array, ends: Array, trust: float) -> Positions:
    """Positions of games that ended as `ends` says: the winner (2: a draw) and both seats' stones as bits."""
    own = seats.astype(np.intp)
    end = ends[games]
    won = np.where(end[:, 0] == 2, 0.5, end[:, 0] == own)
    bits, rows = 1 << np.arange(9), np.arange(len(own))
    mine = end[rows, 1 + own][:, None] & bits != 0
    theirs = end[rows, 2 - own][:, None] & bits != 0
    stones = x[:, :432].reshape(-1, 9, 48)
    open_now = (stones[:, :, 0] == 0) & (stones[:, :, 1] == 0)
    owned = np.where(open_now & mine, 1, np.where(open_now & theirs, 0, -1)).astype(np.int8)
    return Positions(x, returns(games, seats, values, won, trust), owned)


def returns(games: Array, seats: Array, values: Array, won: Array, trust: float) -> Array:
    """What to learn for each position: the result, mixed with the values that its player saw later in the game.

    `trust` 1: the result alone. Less: lambda-returns (Sutton 1988), R_t = (1 - trust) V_{t+1} + trust R_{t+1} over the
    positions of one seat, from its last one, whose return is the result.
    """
    found = np.asarray(won, dtype=np.float32).copy()
    later: dict[tuple[int, int], int] = {}
    for at in range(len(found) - 1, -1, -1):
        key = int(games[at]), int(seats[at])
        after = later.get(key)
        if after is not None:
            found[at] = (1.0 - trust) * values[after] + trust * found[after]
        later[key] = at
    return found


def generate(
    rules: Sequence[str],
    players: Sequence[tuple[str, str]],
    games: int,
    seed: int,
    noise: float = 0.25,
    keep: float = 0.4,
    trust: float = 1.0,
    workers: int | None = None,
) -> Positions:
    """Positions of `games` games, shared out over the rule sets and pairs of players in turn."""
    jobs = [
        (rules[n % len(rules)], players[n // len(rules) % len(players)], seed, n, noise, keep, trust)
        for n in range(max(1, games // GAMES))
    ]
    return join(each(chunk, jobs, workers))


def generate_against(
    rules: Sequence[str], net: str, bots: Sequence[tuple[str, int]], seed: int, trust: float, workers: int | None
) -> list[Positions]:
    """Positions of a net's games against bots: for each bot and rule set so many games, in parts of at most 100."""
    jobs = []
    for bot, games in bots:
        for name in rules:
            for first in range(0, games, 100):
                jobs.append((net, bot, name, first, min(100, games - first), seed, trust))
    return each(against_bot, jobs, workers)


def each(work: Callable[..., Positions], jobs: Sequence[tuple[Any, ...]], workers: int | None) -> list[Positions]:
    """What jobs give, in their order, on all cores."""
    if workers == 1:
        return [work(*job) for job in jobs]
    with ProcessPoolExecutor(workers or os.cpu_count(), get_context("spawn")) as pool:
        return list(pool.map(work, *zip(*jobs)))


def against_bot(
    net: str, bot: str, rules: str, first: int, games: int, seed: int, trust: float, noise: float = 0.05
) -> Positions:
    """All positions after a net's own plays in games against a bot of the collection, which take 0.2 to 0.3 s each.

    The bot makes no mistakes for the sake of variety, so the net may make few, or all its positions would look bad.
    """
    evaluator, known = player(net), load_rules(rules)
    opponent = load_bot(find_bot(bot), capture=False).make()
    found: list[tuple[Array, int, int, float]] = []
    ends = []
    for game in range(first, first + games):
        state, seat = State(known, make_deal(known, seed, game)), game % 2
        begin = hook_of(opponent, "begin")
        if begin is not None:
            begin(Setup(1 - seat, state.turn, known, derive_seed(seed, bot, "setup", game), None))
        noises = np.random.default_rng(derive_seed(seed, bot, "noise", game))
        rng = Rng(derive_seed(seed, bot, game))
        while not state.is_over:
            moves = state.legal_moves()
            if state.turn != seat:
                state.apply(moves[0] if len(moves) == 1 else opponent.act(state.view(1 - seat, rng), moves))
                continue
            values = np.array(evaluator.values(state, moves))
            if state.phase not in ("play", "take", "put"):
                state.apply(moves[int(values.argmax())])
                continue
            chances = np.clip(values, 0.001, 0.999)
            marks = np.log(chances / (1 - chances)) + noise * noises.gumbel(size=len(moves)) + 20 * (values > 0.999)
            best = int(marks.argmax())
            x = features(state, [moves[best]], evaluator)[0].astype(np.float16)
            state.apply(moves[best])
            if not state.is_over and state.phase not in ("take", "put"):
                found.append((x, game - first, seat, values[best]))
        owned = [sum(1 << stone for stone, owner in enumerate(state.owners) if owner == side) for side in "ab"]
        ends.append([2 if state.winner is None else state.winner, *owned])
    x, numbers, seats, seen = zip(*found)
    return positions(np.stack(x), np.array(numbers), np.array(seats), np.array(seen), np.array(ends), trust)


def join(parts: Sequence[Positions]) -> Positions:
    """Several sets of positions as one."""
    return Positions(
        np.concatenate([part.x for part in parts]),
        np.concatenate([part.y for part in parts]),
        np.concatenate([part.owned for part in parts]),
    )


def write_weights(path: Path, weights: Array, made: dict[str, object]) -> None:
    """Write weights, and in `weights.json` beside them their hash and how they were made."""
    data = weights.astype("<f4").tobytes()
    path.write_bytes(data)
    log = path.parent / "weights.json"
    table = json.loads(log.read_text(encoding="utf-8")) if log.exists() else {}
    table[path.stem] = {"sha256": hashlib.sha256(data).hexdigest(), **made}
    log.write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")
