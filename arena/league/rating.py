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
from arena.stats.intervals import FEWEST_DEALS
from arena.stats.pairs import counts_between
from arena.stats.ratings import NOISE, Ratings, by_pairs, rate
from arena.stats.score import Score
from arena.text import counted


@dataclass(frozen=True)
class StandingsRow:
    """A row of the table.

    `elo` is None for a bot without games; `error` (half the 95% interval) is also None for a bot that is alone. Both
    are on the table's scale. `shown` is what readers see instead: between two bots the ratings from their pairs, as in
    a run of the two, and no error for a bot that was seen on too few deals. A row from the history shows what was
    stored.
    """

    rank: int
    version: Version
    elo: float | None
    error: float | None
    score: Score
    shown: tuple[float | None, float | None] | None = None

    @property
    def shown_elo(self) -> float | None:
        """The rating that readers see; None if there is none."""
        return self.elo if self.shown is None else self.shown[0]

    @property
    def shown_error(self) -> float | None:
        """Half of the 95% interval that readers see; None if there is none."""
        return self.error if self.shown is None else self.shown[1]


@dataclass(frozen=True)
class Standings:
    """The table, best first, and what is needed to choose further games.

    elo, covariance   of the versions in the table that have games, in the order of `rated`, in Elo and Elo²
    group             connected group of each of `rated`: ratings compare within a group only
    others            ratings of accepted versions that are not in the table, by their number
    duel              in a league of two versions, the ratings from their pairs, with the versions' numbers as names
    """

    rows: tuple[StandingsRow, ...]
    total: int
    rated: tuple[Version, ...] = ()
    elo: Floats = field(default_factory=lambda: np.empty(0))
    covariance: Floats = field(default_factory=lambda: np.empty((0, 0)))
    group: tuple[int, ...] = ()
    first_advantage: tuple[float, float] = (math.nan, math.nan)
    others: dict[int, tuple[float, float]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    duel: Ratings | None = None

    def row_of(self, version: int) -> StandingsRow | None:
        """Return the row of a version; None if it is not in the table."""
        return next((row for row in self.rows if row.version.id == version), None)


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
        games = league.reader().arrays_of({version.id: str(version.id) for version in (*shown, *behind)})
        total = league.count_games()
    if not len(games.score):
        return Standings(tuple(_unrated(shown, 1)), total)
    notes: list[str] = []
    anchors: dict[str, float] = {}
    if anchored and (anchor := league.settings.anchor) is not None:
        numbers = {str(version.id) for version in shown if version.name == anchor}
        anchors = dict.fromkeys(numbers.intersection(games.bots), league.settings.anchor_elo)
        if not anchors:
            notes.append(f"the anchor '{anchor}' is not in the table or has no games, so the mean is 0")
    fit = rate(games, prior=league.settings.prior, anchors=anchors, centre=[str(version.id) for version in shown])
    index = {int(name): i for i, name in enumerate(fit.bots)}
    rated = [version for version in shown if version.id in index]
    spread = np.sqrt(np.maximum(np.diag(fit.covariance), 0.0))
    width = np.round(t_width(np.maximum(fit.clusters, 1)) * spread, NOISE)
    alone = len(rated) == 1 and not anchors
    rated.sort(key=lambda version: (int(fit.group[index[version.id]]), -fit.elo[index[version.id]], version.id))
    duel = None
    if len(fit.bots) == len(rated) == 2 and not anchors:
        duel = by_pairs(fit, counts_between(games, *fit.bots))
        if duel.flag[0]:
            notes.append("one bot has won every game, so neither has a rating yet")
    rows = []
    for rank, version in enumerate(rated, start=1):
        i = index[version.id]
        score = Score(*(int(column[i]) for column in (fit.wins, fit.draws, fit.losses)))
        error = None if alone else float(width[i])
        seen: tuple[float | None, float | None] = float(fit.elo[i]), None if fit.clusters[i] < FEWEST_DEALS else error
        if duel is not None:
            j = duel.bots.index(str(version.id))
            seen = _known(duel.elo[j]), _known(duel.error95[j])
        rows.append(StandingsRow(rank, version, float(fit.elo[i]), error, score, seen))
    rows += _unrated([version for version in shown if version.id not in index], len(rated) + 1)
    order = np.array([index[version.id] for version in rated], dtype=np.int64)
    if len({int(fit.group[i]) for i in order}) > 1:
        notes.append(
            "the bots fall into groups that have not met, so ratings cannot be compared between groups;"
            " 'arena league play' links them"
        )
    notes += [_evidence(fit)] if duel is None else duel.notes
    return Standings(
        rows=tuple(rows),
        total=total,
        rated=tuple(rated),
        elo=fit.elo[order],
        covariance=fit.covariance[np.ix_(order, order)],
        group=tuple(int(fit.group[i]) for i in order),
        first_advantage=(fit.first_advantage, fit.first_advantage_error95),
        others={
            int(name): (float(fit.elo[i]), float(width[i])) for i, name in enumerate(fit.bots) if int(name) not in known
        },
        notes=tuple(notes),
        duel=duel,
    )


def _known(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


def _evidence(fit: Ratings) -> str:
    note = f"error bars are based on {counted(fit.deals, 'deal')}"
    if int(fit.clusters.min()) < FEWEST_DEALS:
        note += f"; a bot with fewer than {FEWEST_DEALS} deals has none yet"
    return note


def _unrated(without_games: Sequence[Version], first_rank: int) -> list[StandingsRow]:
    return [
        StandingsRow(rank, version, None, None, Score()) for rank, version in enumerate(without_games, start=first_rank)
    ]
