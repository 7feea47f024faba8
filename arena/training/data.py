"""Positions of self-play, made on all cores and kept in files of numpy."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from arena.game.rules import load_rules
from arena.policy.evaluator import Evaluator
from arena.policy.features import NUMBERS as ALL
from arena.policy.net import Net
from arena.policy.selfplay import Recorder, play_games
from arena.training.fit import Positions

#: A chunk of games and the most positions that it can give.
GAMES, MOST = 500, 20000


def player(name: str) -> Evaluator:
    """`odds`, or a net by the file of its weights."""
    return Evaluator() if name == "odds" else Net(np.load(name))


def chunk(rules: str, players: tuple[str, str], seed: int, number: int, noise: float, keep: float) -> Positions:
    """The positions of one chunk of games."""
    recorder_arrays: tuple[Any, ...] = (
        np.zeros(ALL * MOST, np.float32), np.zeros(MOST, np.intc), np.zeros(MOST, np.int8), np.zeros(MOST, np.float32),
    )  # fmt: skip
    recorder = Recorder(*recorder_arrays)
    first = number * GAMES
    pair = player(players[0]), player(players[1])
    results = play_games(load_rules(rules), pair, first, GAMES, seed, noise, keep, recorder)
    n = recorder.count
    x = recorder_arrays[0].reshape(MOST, ALL)[:n].astype(np.float16)
    seats = recorder_arrays[2][:n].astype(np.intp)
    ends = np.array(results)[recorder_arrays[1][:n] - first]
    y = np.where(ends[:, 0] == 2, 0.5, ends[:, 0] == seats).astype(np.float32)
    bits = 1 << np.arange(9)
    mine = ends[np.arange(n), 1 + seats][:, None] & bits != 0
    theirs = ends[np.arange(n), 2 - seats][:, None] & bits != 0
    stones = x[:, :432].reshape(n, 9, 48)
    open_now = (stones[:, :, 0] == 0) & (stones[:, :, 1] == 0)
    owned = np.where(open_now & mine, 1, np.where(open_now & theirs, 0, -1)).astype(np.int8)
    return Positions(x, y, owned)


def generate(
    rules: Sequence[str], players: Sequence[tuple[str, str]], games: int, seed: int, noise: float = 0.25,
    keep: float = 0.4, workers: int | None = None,
) -> Positions:  # fmt: skip
    """The positions of `games` games, shared out over the rule sets and pairs of players in turn."""
    jobs = [
        (rules[n % len(rules)], players[n // len(rules) % len(players)], seed, n, noise, keep)
        for n in range(max(1, games // GAMES))
    ]
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


def save(positions: Positions, path: Path) -> None:
    np.savez(path, x=positions.x, y=positions.y, owned=positions.owned)


def load(path: Path) -> Positions:
    with np.load(path) as file:
        return Positions(file["x"], file["y"], file["owned"])
