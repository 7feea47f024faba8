"""Positions of self-play, made on all cores."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np

from arena.game.rng import derive_seed
from arena.game.rules import load_rules
from arena.policy.evaluator import Evaluator
from arena.policy.inputs import NUMBERS as ALL
from arena.policy.inputs import Recorder
from arena.policy.net import Net
from arena.policy.selfplay import play_games
from arena.policy.training.fit import Array, Positions

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
    results = np.array(play_games(load_rules(rules), pair, first, GAMES, seed, noise, 1.0, recorder))
    n = recorder.count
    rng = np.random.default_rng(derive_seed(seed, "positions", number))
    kept = np.flatnonzero(rng.random(n) < keep)
    ends = results[games[:n] - first]
    won = np.where(ends[:, 0] == 2, 0.5, ends[:, 0] == seats[:n])
    y = returns(games[:n], seats[:n], values[:n], won, trust)[kept]
    x = numbers.reshape(MOST, ALL)[kept].astype(np.float16)
    own = seats[kept].astype(np.intp)
    bits = 1 << np.arange(9)
    rows = np.arange(len(kept))
    mine = ends[kept][rows, 1 + own][:, None] & bits != 0
    theirs = ends[kept][rows, 2 - own][:, None] & bits != 0
    stones = x[:, :432].reshape(-1, 9, 48)
    open_now = (stones[:, :, 0] == 0) & (stones[:, :, 1] == 0)
    owned = np.where(open_now & mine, 1, np.where(open_now & theirs, 0, -1)).astype(np.int8)
    return Positions(x, y, owned)


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
    if workers == 1:
        return join([chunk(*job) for job in jobs])
    with ProcessPoolExecutor(workers or os.cpu_count(), get_context("spawn")) as pool:
        parts = list(pool.map(chunk, *zip(*jobs)))
    return join(parts)


def join(parts: Sequence[Positions]) -> Positions:
    """Several sets of positions as one."""
    return Positions(
        np.concatenate([part.x for part in parts]),
        np.concatenate([part.y for part in parts]),
        np.concatenate([part.owned for part in parts]),
    )
