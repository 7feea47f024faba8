"""Take luck out of scores: control variates whose weights are fitted on other deals than the ones they are used for.

The gain that a game's draws gave the first player, beyond the mean over all possible draws, has mean zero for any
value function (Burch, Schmid, Moravcik, Bowling: AIVAT, 2016; arXiv 1612.06915). So a score minus a multiple of it has
the same mean as the score and, if the value function says much about the result, a smaller error.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from arena.stats import other_side
from arena.stats.frames import Floats, GameArrays, Ints, StatsError, by_appearance, numbered
from arena.stats.intervals import clustered_error

FOLDS = 10
WEIGHT_ONE = 20.0
"""Imagined deals at which the weight is 1, added to the deals that weights are fitted on."""
FEWEST_JUDGED = 50
"""With fewer deals the weights and their worth are too uncertain: scores stay as they are."""
LEAST_WORTH = 1.05
"""Where an adjusted deal is worth fewer than this many deals as counted, scores stay as they are."""


@dataclass(frozen=True)
class AdjustedMeeting:
    """The games of two bots with luck taken out, as `bot` sees them. Scores are points per game, 0..1.

    score, error95                     as counted, and half the 95% interval by deal
    adjusted_score, adjusted_error95   with luck taken out; as counted if that does not help
    worth                              how many deals as counted one adjusted deal is worth
    helps                              whether luck was taken out
    """

    bot: str
    opponent: str
    games: int
    deals: int
    score: float
    error95: float
    adjusted_score: float
    adjusted_error95: float
    worth: float
    helps: bool

    def adjusted_for(self, bot: str) -> tuple[float, float]:
        """Return the adjusted score of one of the two bots, and half its 95% interval."""
        score = self.adjusted_score if bot == self.bot else other_side(self.adjusted_score)
        return score, self.adjusted_error95


def take_luck_out(games: GameArrays, luck: Floats) -> tuple[GameArrays, list[AdjustedMeeting]]:
    """Return the games with adjusted scores, which may lie outside 0..1, and the effect on every two bots that met.

    `luck` has the shape (games, parts): the points that luck gave the first player, by game and part of the game.
    The deals of a fold get weights fitted on all other deals of the two bots.
    """
    if luck.ndim != 2 or len(luck) != len(games.score):
        raise StatsError(f"luck has the shape {luck.shape}; expected a row for each of {len(games.score)} games")
    n = len(games.bots)
    low, high = np.minimum(games.first, games.second), np.maximum(games.first, games.second)
    met, meeting = numbered(low * n + high)
    score, rows = games.score.copy(), []
    for number, key in enumerate(met.tolist()):
        own = np.flatnonzero(meeting == number)
        sign = np.where(games.first[own] == low[own], 1.0, -1.0)
        points = np.where(sign > 0, games.score[own], other_side(games.score[own]))
        deal, deals = by_appearance(games.cluster[own])
        gains = sign[:, None] * luck[own]
        taken = _taken(points, gains, deal, games.cluster[own] % FOLDS)
        plain, adjusted = ((float(had.mean()), clustered_error(had, deal)) for had in (points, points - taken))
        worth = (plain[1] / adjusted[1]) ** 2 if adjusted[1] > 0 else math.nan
        helps = deals >= FEWEST_JUDGED and worth >= LEAST_WORTH
        if helps:
            score[own] -= sign * taken
        shown = adjusted if helps else plain
        pair = games.bots[key // n], games.bots[key % n]
        rows.append(AdjustedMeeting(*pair, len(own), deals, *plain, *shown, worth, helps))
    return replace(games, score=score), rows


def adjusted_notes(meetings: Sequence[AdjustedMeeting]) -> tuple[str, ...]:
    """Write the sentences to show with ratings that luck was taken out of: that it was, and where it was not."""
    notes = []
    if any(met.helps for met in meetings):
        notes.append("luck of the draw is taken out of the ratings and their errors")
    idle = [met for met in meetings if not met.helps]
    few = [met for met in idle if met.deals < FEWEST_JUDGED]
    for kept, reason in (
        (few, f"fewer than {FEWEST_JUDGED} deals are too few to take luck out"),
        ([met for met in idle if met not in few], "taking luck out does not help"),
    ):
        names = [f"{met.bot} - {met.opponent}" for met in kept]
        if names:
            shown = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
            notes.append(f"{reason}, and scores are as counted, for {shown}")
    return tuple(notes)


def _taken(points: Floats, gains: Floats, deal: Ints, fold: Ints) -> Floats:
    """Return the points that luck gave in each game, by the weights of its fold."""
    parts = np.stack([np.bincount(deal, values) for values in (points, *gains.T)])
    deal_fold = np.zeros(parts.shape[1], dtype=np.int64)
    deal_fold[deal] = fold
    taken = np.zeros(len(points))
    for number in range(FOLDS):
        others = parts[:, deal_fold != number]
        if others.shape[1] < 2:
            weights = np.ones(len(gains.T))
        else:
            centred = others - others.mean(axis=1, keepdims=True)
            inner = centred[1:] @ centred[1:].T
            prior = WEIGHT_ONE * np.diag(np.diag(inner)) / others.shape[1] + 1e-12 * np.eye(len(inner))
            weights = np.linalg.solve(inner + prior, centred[1:] @ centred[0] + prior @ np.ones(len(inner)))
        there = fold == number
        taken[there] = gains[there] @ weights
    return taken
