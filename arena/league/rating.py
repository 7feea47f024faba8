"""The joint rating of a league: one fit over all games that count, shown for the versions in the table.

All accepted versions are rated together, each as a player of its own, because the games of a replaced version still
say how strong its opponents are. The games of retired bots and refused versions do not count. The table shows the
active version of each bot; the mean of these ratings is 0 unless a bot is the anchor.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from arena.league import versions
from arena.league.store import League
from arena.league.versions import ACTIVE, REPLACED, Version
from arena.stats.distributions import t_width
from arena.stats.frames import Floats
from arena.stats.ratings import NOISE, Difference, Ratings, rate
from arena.stats.score import Score


@dataclass(frozen=True)
class StandingsRow:
    """A row of the table.

    elo           None for a bot without games
    minus, plus   how far its 95% interval reaches down and up (`arena.stats.ratings.Ratings`): infinite without an
                  end, None for a bot that is alone or was seen on too few deals
    width         half of a symmetric 95% interval, on any number of deals: by it a placement chooses its games
    """

    rank: int
    version: Version
    score: Score
    elo: float | None = None
    minus: float | None = None
    plus: float | None = None
    width: float | None = None

    @property
    def error95(self) -> float | None:
        """Return the longer side of the interval; None if it is not known or has no end."""
        if self.minus is None or self.plus is None or math.isinf(max(self.minus, self.plus)):
            return None
        return max(self.minus, self.plus)


@dataclass(frozen=True)
class Standings:
    """The table, best first, and what is needed to choose further games.

    elo, covariance   of the versions in the table that have games, in the order of `rated`, in Elo and Elo²
    group             connected group of each of `rated`: ratings compare within a group only
    others            the rows that accepted versions would have that are not in the table, by their number
    ratings           of all versions, by their labels; None without games
    """

    rows: tuple[StandingsRow, ...]
    total: int
    rated: tuple[Version, ...] = ()
    elo: Floats = field(default_factory=lambda: np.empty(0))
    covariance: Floats = field(default_factory=lambda: np.empty((0, 0)))
    group: tuple[int, ...] = ()
    others: dict[int, StandingsRow] = field(default_factory=dict)
    ratings: Ratings | None = None
    notes: tuple[str, ...] = ()

    @property
    def first_advantage(self) -> tuple[float, float]:
        """Return the first player's advantage and half its 95% interval; nan if it is not known."""
        return (math.nan, math.nan) if self.ratings is None else self.ratings.shown_advantage()

    def row_of(self, version: int) -> StandingsRow | None:
        """Return the row of a version; None if it is not in the table."""
        return next((row for row in self.rows if row.version.id == version), None)

    def difference(self, version: int, other: int) -> Difference | None:
        """Return the rating of a version minus that of another; None if one is not in the table or not comparable."""
        labels = {rated.id: rated.label for rated in self.rated}
        if self.ratings is None or not {version, other} <= labels.keys():
            return None
        found = self.ratings.difference(labels[version], labels[other])
        return None if math.isnan(found.elo) else found


def league_standings(league: League, candidate: Version | None = None, anchored: bool = True) -> Standings:
    """Return the standings that follow from the games stored now, as if a `candidate` were in the table already.

    If `anchored` is False, the mean is 0 in any case.
    """
    with league.snapshot():
        shown = versions.in_state(league, ACTIVE)
        if candidate is not None:
            shown = [version for version in shown if version.bot != candidate.bot] + [candidate]
        known = {version.id for version in shown}
        behind = [version for version in versions.in_state(league, ACTIVE, REPLACED) if version.id not in known]
        games = league.reader().arrays_of({version.id: version.label for version in (*shown, *behind)})
        total = league.count_games()
    if not len(games.score):
        return Standings(tuple(_unrated(shown, 1)), total)
    notes: list[str] = []
    anchors: dict[str, float] = {}
    if anchored and (anchor := league.settings.anchor) is not None:
        labels = {version.label for version in shown if version.name == anchor}
        anchors = dict.fromkeys(labels.intersection(games.bots), league.settings.anchor_elo)
        if not anchors:
            notes.append(f"the anchor '{anchor}' is not in the table or has no games, so the mean is 0")
    fit = rate(games, prior=league.settings.prior, anchors=anchors, centre=[version.label for version in shown])
    width = np.round(t_width(np.maximum(fit.clusters, 1)) * np.sqrt(np.maximum(np.diag(fit.covariance), 0.0)), NOISE)
    index = {name: i for i, name in enumerate(fit.bots)}
    rated = sorted((v for v in shown if v.label in index), key=lambda v: index[v.label])
    alone = len(rated) == 1 and not anchors

    def row(rank: int, version: Version) -> StandingsRow:
        i = index[version.label]
        score = Score(*(int(column[i]) for column in (fit.wins, fit.draws, fit.losses)))
        if alone:
            return StandingsRow(rank, version, score, float(fit.elo[i]))
        minus, plus = (None if math.isnan(side[i]) else float(side[i]) for side in (fit.minus, fit.plus))
        return StandingsRow(rank, version, score, float(fit.elo[i]), minus, plus, float(width[i]))

    rows = [row(rank, version) for rank, version in enumerate(rated, start=1)]
    rows += _unrated([version for version in shown if version.label not in index], len(rated) + 1)
    order = np.array([index[version.label] for version in rated], dtype=np.int64)
    return Standings(
        rows=tuple(rows),
        total=total,
        rated=tuple(rated),
        elo=fit.elo[order],
        covariance=fit.covariance[np.ix_(order, order)],
        group=tuple(fit.group[order].tolist()),
        others={version.id: row(0, version) for version in behind if version.label in index},
        ratings=fit,
        notes=(*notes, *fit.notes),
    )


def _unrated(without_games: Sequence[Version], first_rank: int) -> list[StandingsRow]:
    return [StandingsRow(rank, version, Score()) for rank, version in enumerate(without_games, start=first_rank)]
