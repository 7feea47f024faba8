"""Generate positions to learn from, on all cores: with the results of games, or with the values of moves."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any, TypeAlias

import numpy as np

from arena import paths
from arena.bots.bot import Setup, hook_of
from arena.bots.loading import load_bot
from arena.bots.spec import find_bot
from arena.game.deals import make_deal
from arena.game.engine import State
from arena.game.moves import Move
from arena.game.rng import Rng, derive_seed
from arena.game.rules import Rules, load_rules
from arena.policy.evaluator import Evaluator
from arena.policy.inputs import NUMBERS, Recorder, features
from arena.policy.net import Net
from arena.policy.search import Playout
from arena.policy.selfplay import play_games
from arena.policy.weights import read_weights

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
#: Games in a chunk of self-play, and the most positions they can have; games in a chunk of searched decisions.
GAMES, MOST, SEARCHED = 250, 16000, 50
#: For a searched decision: the number of best moves, the largest distance to the best, samples of the hidden cards,
#: decisions of each playout, and the number of last decisions that count.
WIDTH, MARGIN, SAMPLES, DEPTH, TAIL = 5, 0.2, 3, 8, 6
#: The share of decisions to search.
SHARE = 0.35
#: The share of the first packaged net in the mean of two.
FIRST = 0.3
#: Variants of `odds` as opponents: optimistic and careful ones beside the usual, one that counts cards as `barca` does,
#: and one that keeps its tactic cards until they gain much, as `tactician` does; and these bots themselves.
TEMPERS = (
    "odds",
    "odds:hand=0.8,draw=0.8",
    "odds:hand=0.7,draw=0.4,theirs=0.5",
    "odds:hand=0.9,draw=0.7,theirs=0.9",
    "odds:hand=0.75,draw=0.95,theirs=0.95",
    "odds:tactic_price=0.2",
)
STRANGERS = ("barca", "tactician")
#: The shares of games against the net itself, and against strangers.
SELF, STRANGE = 0.55, 0.1


@dataclass(frozen=True)
class Positions:
    """Training data, with one entry per position.

    `x`: n x 955 features; `y`: n targets, the chance to win; `owned`: n x 9, 1 for stones owned in the end, 0 for the
    opponent's stones, -1 for stones that do not count (already owned, or owned by nobody in the end); `counts`: the
    numbers of rows that belong to one decision, one group after the other.
    """

    x: Array
    y: Array
    owned: Array
    counts: Array

    def __len__(self) -> int:
        return len(self.y)

    @property
    def starts(self) -> Array:
        """Return the first row of each group."""
        return np.cumsum(self.counts) - self.counts

    def cut(self, first: int, end: int) -> Positions:
        """Return groups `first` to `end - 1`."""
        counts = self.counts[first:end]
        begin = int(self.counts[:first].sum())
        rows = slice(begin, begin + int(counts.sum()))
        return Positions(self.x[rows], self.y[rows], self.owned[rows], counts)


def join(parts: Sequence[Positions]) -> Positions:
    """Join several sets of positions."""
    return Positions(
        *(np.concatenate([getattr(part, name) for part in parts]) for name in ("x", "y", "owned", "counts"))
    )


def player(name: str) -> Evaluator:
    """Return `odds`, with other settings `odds:hand=0.7,theirs=0.5`, or a net by the file of its weights."""
    kind, _, settings = name.partition(":")
    if kind == "odds":
        given = dict(part.split("=") for part in settings.split(",") if part)
        return Evaluator(**{key: float(value) for key, value in given.items()})
    return Net(np.load(name))


# ---- results of games ------------------------------------------------------------------------------------------


def ended(rules: str, players: tuple[str, str], seed: int, number: int, noise: float, keep: float) -> Positions:
    """Return a share `keep` of the positions of one chunk of games, with their results."""
    room = (
        np.zeros(NUMBERS * MOST, np.float32),
        np.zeros(MOST, np.intc),
        np.zeros(MOST, np.int8),
        np.zeros(MOST, np.float32),
    )
    recorder = Recorder(*room)
    first = number * GAMES
    pair = player(players[0]), player(players[1])
    ends = np.array(play_games(load_rules(rules), pair, first, GAMES, seed, noise, keep, recorder))
    n = recorder.count
    x = room[0].reshape(MOST, NUMBERS)[:n].astype(np.float16)
    end, own = ends[room[1][:n] - first], room[2][:n].astype(np.intp)
    won = np.where(end[:, 0] == 2, 0.5, end[:, 0] == own).astype(np.float32)
    bits, rows = 1 << np.arange(9), np.arange(n)
    mine = end[rows, 1 + own][:, None] & bits != 0
    theirs = end[rows, 2 - own][:, None] & bits != 0
    stones = x[:, :900].reshape(-1, 9, 100)
    free = (stones[:, :, 0] == 0) & (stones[:, :, 1] == 0)
    owned = np.where(free & mine, 1, np.where(free & theirs, 0, -1)).astype(np.int8)
    return Positions(x, won, owned, np.ones(n, np.intp))


def play_out(
    rules: Sequence[str], players: Sequence[tuple[str, str]], games: int, seed: int, keep: float, workers: int | None
) -> Positions:
    """Return positions of `games` games, spread over the rule sets and pairs of players in turn, with their results."""
    jobs = [
        (rules[n % len(rules)], players[n // len(rules) % len(players)], seed, n, 0.25, keep)
        for n in range(max(1, games // GAMES))
    ]
    return join(each(ended, jobs, workers))


# ---- values of moves -------------------------------------------------------------------------------------------


class Opponents:
    """The opponents of a net in games whose decisions are searched."""

    def __init__(self, net: str) -> None:
        self.net = player(net)
        self.tempers = [player(name) for name in TEMPERS]
        self.bots = [load_bot(find_bot(name), capture=False).make() for name in STRANGERS]

    def pick(self, rng: np.random.Generator) -> Any:
        """Pick the net itself, another evaluator or a bot of the collection."""
        share = rng.random()
        if share < SELF:
            return self.net
        others = self.bots if share > 1 - STRANGE else self.tempers
        return others[rng.integers(len(others))]


def searched(rules_name: str, net: str, seed: int, number: int, mean: bool = False) -> Positions:
    """Return positions after several moves of some decisions in one chunk of games, with their values.

    The best moves, and one of the others, are tried in the same samples of the hidden cards and continued by the net.
    With `mean`, nothing is tried: a value is the mean of what the net and the first packaged one say (of the logits).
    """
    rules = load_rules(rules_name)
    judge, playout, opponents = player(net), Playout(player(net)), Opponents(net)
    averaged = [Net(numbers, tactic_price=0.0) for numbers in (np.load(net), first_weights(rules))] if mean else []
    x: list[Array] = []
    y: list[float] = []
    counts: list[int] = []
    for game in range(number * SEARCHED, (number + 1) * SEARCHED):
        rng, hidden = np.random.default_rng(derive_seed(seed, "moves", game)), Rng(derive_seed(seed, "samples", game))
        state, seat = State(rules, make_deal(rules, seed, game)), game % 2
        other, noise = opponents.pick(rng), rng.choice([0.05, 0.15, 0.3])
        begin = hook_of(other, "begin")
        if begin is not None and not isinstance(other, Evaluator):
            begin(Setup(1 - seat, state.to_move, rules, derive_seed(seed, "bot", game), None))
        while not state.is_over:
            moves = state.legal_moves()
            if state.phase in ("play", "take", "put") and len(moves) > 1 and rng.random() < SHARE:
                if mean:
                    rows, values = means(state, moves, averaged, rng)
                else:
                    rows, values = worths(state, moves, judge, playout, hidden, rng)
                x += rows
                y += values
                counts += [len(rows)] if rows else []
            mover = judge if state.to_move == seat else other
            state.apply(moves[0] if len(moves) == 1 else choice(mover, state, moves, noise, rng, hidden))
    return Positions(
        np.array(x, np.float16), np.array(y, np.float32), np.full((len(y), 9), -1, np.int8), np.array(counts)
    )


def first_weights(rules: Rules) -> Sequence[float]:
    """Return the weights of the first packaged net for a rule set."""
    return read_weights(paths.WEIGHTS_FOLDER / f"{'tactical' if rules.tactics else 'base'}-1.bin")


def worths(
    state: State, moves: list[Move], judge: Evaluator, playout: Playout, hidden: Rng, rng: np.random.Generator
) -> tuple[list[Array], list[float]]:
    """Return the features after some of the moves, and their mean values in samples; empty for a decided game."""
    view = state.view(state.to_move)
    tried = to_try(np.array(judge.values(view, moves)), rng)
    samples = [view.sample(hidden) for _ in range(SAMPLES if tried else 0)]
    rows, worth = [], []
    for i in tried:
        total = 0.0
        for sample in samples:
            after = sample.copy()
            after.apply(moves[i])
            if after.is_over or after.phase in ("take", "put"):
                break
            total += playout.play(after, DEPTH, state.to_move, TAIL)
        else:
            rows.append(features(view, [moves[i]], judge)[0].astype(np.float16))
            worth.append(total / SAMPLES)
    return rows, worth


def means(
    state: State, moves: list[Move], nets: list[Net], rng: np.random.Generator
) -> tuple[list[Array], list[float]]:
    """Return the features after some of the moves, and the means of two nets' values; empty for a decided game."""
    view = state.view(state.to_move)
    values = np.array([net.values(view, moves) for net in nets])
    kept = []
    for i in to_try(values[0], rng):
        after = state.copy()
        after.apply(moves[i])
        if after.phase not in ("take", "put") and 0 < values[0, i] < 1:  # 0 and 1: the next claims end the game
            kept.append(i)
    if not kept:
        return [], []
    chances = values[:, kept]
    worth = 1 / (1 + np.exp(-np.array([1 - FIRST, FIRST]) @ np.log(chances / (1 - chances))))
    return list(features(view, [moves[i] for i in kept], nets[0]).astype(np.float16)), worth.tolist()


def to_try(values: Array, rng: np.random.Generator) -> list[int]:
    """Return the places of the best moves and of one of the others; none if the game is decided."""
    best = float(values.max())
    if not 0.005 < best < 0.995:
        return []
    order = np.argsort(-values, kind="stable")
    tried = [int(i) for i in order[:WIDTH] if values[i] > best - MARGIN]
    if len(tried) < len(values):
        tried.append(int(order[rng.integers(len(tried), len(values))]))
    return tried


def choice(mover: Any, state: State, moves: list[Move], noise: float, rng: np.random.Generator, hidden: Rng) -> Move:
    """Return the move of a bot, or of an evaluator with some noise so that games differ."""
    if not isinstance(mover, Evaluator):
        move: Move = mover.act(state.view(state.to_move, hidden), moves)
        return move
    values = np.array(mover.values(state, moves))
    if state.phase not in ("play", "take", "put"):
        return moves[int(values.argmax())]
    chances = np.clip(values, 0.001, 0.999)
    marks = np.log(chances / (1 - chances)) + noise * rng.gumbel(size=len(moves)) + 20 * (values > 0.999)
    return moves[int(marks.argmax())]


def search_out(
    rules: Sequence[str], net: str, games: int, seed: int, workers: int | None, mean: bool = False
) -> Positions:
    """Return searched decisions of `games` games, spread over the rule sets; with `mean`, see `searched`."""
    jobs = [(rules[n % len(rules)], net, seed, n, mean) for n in range(max(1, games // SEARCHED))]
    return join(each(searched, jobs, workers))


def each(work: Callable[..., Positions], jobs: Sequence[tuple[Any, ...]], workers: int | None) -> list[Positions]:
    """Run jobs on all cores and return their results in order."""
    if workers == 1:
        return [work(*job) for job in jobs]
    with ProcessPoolExecutor(workers or os.cpu_count(), get_context("spawn")) as pool:
        return list(pool.map(work, *zip(*jobs)))
