"""Simulate fields with known strengths and correlated games, to test the statistics against the truth.

A game's luck is a standard normal number; the first player wins if it lies below the quantile of its winning
probability. Each probability is thus exactly the one of the Bradley-Terry model, however strongly the games of a deal
are correlated. A deal brings two kinds of luck: one for the bot that moves first (the same in all pairings; the two
games of a pair then tend to be split) and one for a bot (in both seats; the two games tend to have the same winner).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import expit, gammaln, ndtr, ndtri, xlogy
from scipy.stats import multivariate_normal

from arena.stats.frames import Floats, Ints, StatsError
from arena.stats.pairs import ELO_SCALE
from arena.stats.sprt import AdjustedSprt, SprtTest

Interval = Callable[[Floats], tuple[Floats, Floats]]


@dataclass(frozen=True)
class Luck:
    """Shares (0..1, sum at most 1) of a game's luck that depend on the deal's first seat and on the deal's bot.

    The luck of the two games of a pair, seen by one bot, correlates with `bot - seat`.
    """

    seat: float = 0.0
    bot: float = 0.0

    def __post_init__(self) -> None:
        if not (self.seat >= 0 and self.bot >= 0 and self.seat + self.bot <= 1):
            raise StatsError(f"luck of {self.seat:g} (seat) and {self.bot:g} (bot): expected shares of 1")


def simulate_games(
    strength: Floats, deals: int, generator: np.random.Generator, advantage: float = 0.0, luck: Luck | None = None
) -> pd.DataFrame:
    """Return a round robin, with a pair of every pairing on each deal, as a games frame without draws.

    `strength` and `advantage` are in Elo; the bots are named b00, b01, ...
    """
    luck = luck or Luck()
    number = len(strength)
    lo, hi = np.triu_indices(number, 1)
    first = np.stack([lo, hi], axis=1)[:, None, :].repeat(deals, axis=1)
    second = first[..., ::-1]
    deal = np.broadcast_to(np.arange(deals)[None, :, None], first.shape)
    seat_luck = generator.standard_normal(deals)
    bot_luck = generator.standard_normal((deals, number))
    fate = (
        np.sqrt(luck.seat) * seat_luck[deal]
        + np.sqrt(luck.bot / 2) * (bot_luck[deal, first] - bot_luck[deal, second])
        + np.sqrt(1 - luck.seat - luck.bot) * generator.standard_normal(first.shape)
    )
    chance = expit((strength[first] - strength[second] + advantage) / ELO_SCALE)
    names = np.array([f"b{bot:02d}" for bot in range(number)], dtype=object)
    pairing = np.broadcast_to(np.arange(len(lo))[:, None, None], first.shape)
    game = np.broadcast_to(np.arange(2)[None, None, :], first.shape)
    return pd.DataFrame(
        {
            "pairing": pairing.ravel(),
            "deal": deal.ravel(),
            "game": game.ravel(),
            "first": names[first.ravel()],
            "second": names[second.ravel()],
            "score": (fate < ndtri(chance)).astype(np.float64).ravel(),
        }
    )


def simulate_cells(
    score: float, units: int, generator: np.random.Generator, luck: Luck | None = None, pairs: bool = True
) -> Ints:
    """Draw cells of drawless pairs (0, 2, 4) of a bot with this expected score, or of single games (0, 2)."""
    quantile = ndtri(score)
    if not pairs:
        return 2 * (generator.standard_normal(units) < quantile).astype(np.int64)
    luck = luck or Luck()
    game_luck = generator.standard_normal((2, units)) * np.sqrt(1 - luck.seat - luck.bot)
    seat = generator.standard_normal(units) * np.sqrt(luck.seat)
    bot = generator.standard_normal(units) * np.sqrt(luck.bot)
    wins: Ints = (game_luck[0] + bot + seat < quantile).astype(np.int64) + (game_luck[1] + bot - seat < quantile)
    return np.asarray(2 * wins, dtype=np.int64)


def lucky_pairs(
    generator: np.random.Generator, pairs: int, share: float, weight: float, score: float
) -> list[tuple[int, float]]:
    """Draw cells of pairs of a bot with a given winning probability, and the measured luck of each pair.

    `share` is the part of a game's luck that the judge sees; `weight` is the factor for it, best about 0.4.
    """
    visible = generator.normal(0, np.sqrt(share), (2, pairs))
    won = visible + generator.normal(0, np.sqrt(1 - share), (2, pairs)) + ndtri(score) > 0
    return list(zip((2 * won.sum(axis=0)).tolist(), (weight * visible.mean(axis=0)).tolist()))


def adjusted_test(
    test: SprtTest, generator: np.random.Generator, score: float, share: float = 0.5, weight: float = 0.4
) -> AdjustedSprt:
    """Play an adjusted test to its end, with the parameters of `lucky_pairs`."""
    state = AdjustedSprt(test)
    while state.verdict == "continue":
        state.extend(lucky_pairs(generator, 64, share, weight, score))
    return state


def pair_shares(score: float, luck: Luck) -> Floats:
    """Return the probabilities of LL, split and WW for pairs without draws, as drawn by `simulate_cells`."""
    won = _both_below(float(ndtri(score)), luck.bot - luck.seat)
    return np.array([1 - 2 * score + won, 2 * (score - won), won]).clip(0)


def _both_below(limit: float, correlation: float) -> float:
    """Return the probability that two standard normal numbers with this correlation both lie below `limit`."""
    if abs(correlation) > 1 - 1e-9:
        return float(ndtr(limit)) if correlation > 0 else max(0.0, 2 * float(ndtr(limit)) - 1)
    found = multivariate_normal.cdf([limit, limit], cov=[[1, correlation], [correlation, 1]])
    return float(found)


def head_to_head_coverage(pairs: int, luck: Luck, true_scores: Sequence[float], interval: Interval) -> list[float]:
    """Return the probability that an interval contains each true score, summed over all outcomes of `pairs` pairs.

    `interval` turns counts (outcomes, 5) into lower and upper ends (outcomes,) for the score.
    """
    lost, split = np.meshgrid(np.arange(pairs + 1), np.arange(pairs + 1), indexing="ij")
    valid = lost + split <= pairs
    outcomes = np.stack([lost[valid], split[valid], pairs - lost[valid] - split[valid]], axis=1).astype(np.float64)
    counts = np.zeros((len(outcomes), 5))
    counts[:, ::2] = outcomes
    low, high = interval(counts)
    ways = gammaln(pairs + 1) - gammaln(outcomes + 1).sum(axis=1)
    return [
        float(chance[(low <= score) & (score <= high)].sum())
        for score in true_scores
        for chance in [np.exp(ways + xlogy(outcomes, pair_shares(score, luck)).sum(axis=1))]
    ]
