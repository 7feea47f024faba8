"""The joint rating of a league: one fit over all games that count, shown for the versions in the table.

All accepted versions are rated together, each as a player of its own, because the games of a replaced version still
say how strong its opponents are. The games of retired bots and refused versions do not count. The table shows the
active version of each bot; the mean of these ratings is 0 unless a bot is the anchor.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from arena.league import versions
from arena.league.store import League
from arena.league.versions import ACTIVE, REPLACED, Version
from arena.stats import Score
from arena.stats.distributions import t_width
from arena.stats.ratings import NOISE, Difference, Ratings, rate


@dataclass(frozen=True)
class StandingsRow:
    """A row of the table.

    elo           None for a bot without games
    minus, plus   how far its 95% interval reaches down and up (`arena.stats.ratings.Ratings`): infinite without an
                  end, None for a bot that is alone or was seen on too few deals
    width         half of a symmetric 95% interval, on any number of deals: by it a placement chooses its games
    group         number of its connected group: ratings compare within a group only
    """

    rank: int
    version: Version
    score: Score
    elo: float | None = None
    minus: float | None = None
    plus: float | None = None
    width: float | None = None
    group: int | None = None

    @property
    def error95(self) -> float | None:
        """Return the longer side of the interval; None if it is not known or has no end."""
        if self.minus is None or self.plus is None or math.isinf(max(self.minus, self.plus)):
            return None
        return max(self.minus, self.plus)


@dataclass(frozen=True)
class Standings:
    """The table, best first.

    others    the rows that accepted versions would have that are not in the table
    ratings   of all versions, by their labels; None without games
    """

    rows: tuple[StandingsRow, ...]
    total: int
    others: tuple[StandingsRow, ...] = ()
    ratings: Ratings | None = None

    def row_of(self, version: int) -> StandingsRow | None:
        """Return the row of a version; None if it is not in the table."""
        return next((row for row in self.rows if row.version.id == version), None)

    def difference(self, version: int, other: int) -> Difference | None:
        """Return the rating of a version minus that of another; None if one is not in the table or not comparable."""
        rows = self.row_of(version), self.row_of(other)
        labels = [row.version.label for row in rows if row is not None and row.elo is not None]
        if self.ratings is None or len(labels) < 2:
            return None
        found = self.ratings.difference(*labels)
        return None if math.isnan(found.elo) else found


def league_standings(league: League, candidate: Version | None = None, anchored: bool = True) -> Standings:
    """Return the standings that follow from the games stored now, as if a `candidate` were in the table already.

    If `anchored` is False, the mean is 0 in any case.
    """
    with league.snapshot():
        accepted = versions.in_state(league, ACTIVE, REPLACED)
        shown = [version for version in accepted if version.state == ACTIVE]
        if candidate is not None:
            shown = [version for version in shown if version.bot != candidate.bot] + [candidate]
        games = league.reader().arrays_of({version.id: version.label for version in (*accepted, *shown)})
        total = league.count_games()
    if not len(games.score):
        return Standings(
            tuple(StandingsRow(rank, version, Score()) for rank, version in enumerate(shown, start=1)), total
        )
    anchors: dict[str, float] = {}
    if anchored and (anchor := league.settings.anchor) is not None:
        labels = {version.label for version in shown if version.name == anchor}
        anchors = dict.fromkeys(labels.intersection(games.bots), league.settings.anchor_elo)
    fit = rate(games, prior=league.settings.prior, anchors=anchors, centre=[version.label for version in shown])
    width = np.round(t_width(np.maximum(fit.clusters, 1)) * np.sqrt(np.maximum(np.diag(fit.covariance), 0.0)), NOISE)
    index = {name: i for i, name in enumerate(fit.bots)}
    order = sorted(shown, key=lambda version: index.get(version.label, len(index)))
    alone = sum(version.label in index for version in shown) == 1 and not anchors

    def row(rank: int, version: Version) -> StandingsRow:
        i = index.get(version.label)
        if i is None:
            return StandingsRow(rank, version, Score())
        score = Score(*(int(column[i]) for column in (fit.wins, fit.draws, fit.losses)))
        if alone:
            return StandingsRow(rank, version, score, float(fit.elo[i]))
        minus, plus = (None if math.isnan(side[i]) else float(side[i]) for side in (fit.minus, fit.plus))
        return StandingsRow(rank, version, score, float(fit.elo[i]), minus, plus, float(width[i]), int(fit.group[i]))

    known = {version.id for version in shown}
    return Standings(
        rows=tuple(row(rank, version) for rank, version in enumerate(order, start=1)),
        total=total,
        others=tuple(row(0, version) for version in accepted if version.id not in known),
        ratings=fit,
    )
