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
from scipy.special import stdtrit

from arena.league import games, versions
from arena.league.store import League
from arena.league.versions import ACTIVE, REPLACED, Version
from arena.stats.frames import Floats, Ints
from arena.stats.ratings import NOISE, rate


@dataclass(frozen=True)
class StandingsRow:
    """A row of the table. `elo` is None for a bot without games, `error` (half the 95 % interval) also for a bot
    that is alone; both on the table's scale."""

    rank: int
    version: Version
    elo: float | None
    error: float | None
    games: int
    wins: int
    draws: int
    losses: int

    @property
    def score(self) -> float | None:
        """Mean points per game."""
        return (self.wins + self.draws / 2) / self.games if self.games else None


@dataclass(frozen=True)
class Standings:
    """The table, best first, and what is needed to choose further games.

    elo, covariance   of the versions in the table that have games (`rated`), in that order, Elo and Elo²
    group             connected group of each of `rated`: ratings compare within a group only
    others            ratings of accepted versions that are not in the table, by their number
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

    def row_of(self, version: int) -> StandingsRow | None:
        """The row of a version, None if it is not in the table."""
        return next((place for place in self.rows if place.version.id == version), None)


def standings(league: League, candidate: Version | None = None, anchored: bool = True) -> Standings:
    """The standings that follow from the games stored now; a `candidate` counts as in the table already.

    With `anchored` False the mean is 0 in any case.
    """
    with league.snapshot():
        shown = [one for one in versions.in_state(league, ACTIVE) if candidate is None or one.bot != candidate.bot]
        behind = [one for one in versions.in_state(league, ACTIVE, REPLACED) if one not in shown]
        if candidate is not None:
            shown.append(candidate)
            behind = [one for one in behind if one.id != candidate.id]
        frame = games.games_frame(league, [one.id for one in (*shown, *behind)])
        total = games.count(league)
    if not len(frame):
        places = tuple(StandingsRow(at, one, None, None, 0, 0, 0, 0) for at, one in enumerate(shown, start=1))
        return Standings(places, total)
    notes: list[str] = []
    playing = {*frame["first"].unique(), *frame["second"].unique()}
    anchors = _anchors(league, shown, playing, notes) if anchored else {}
    fit = rate(frame, prior=league.settings.prior, anchors=anchors, disconnected="separate")
    row = {int(name): at for at, name in enumerate(fit.bots)}
    rated = [one for one in shown if one.id in row]
    inside = np.array([row[one.id] for one in rated], dtype=np.int64)
    held = next((int(fit.group[row[int(name)]]) for name in anchors), None)
    elo, covariance = _gauged(fit.elo, fit.covariance, fit.group, inside, held)
    spread = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    width = np.round(stdtrit(np.maximum(fit.clusters, 1), 0.975) * spread, NOISE)
    alone = len(rated) == 1 and not anchors
    order = sorted(rated, key=lambda one: (int(fit.group[row[one.id]]), -elo[row[one.id]], one.id))
    lines = [
        StandingsRow(
            at,
            one,
            float(elo[i]),
            None if alone else float(width[i]),
            *(int(column[i]) for column in (fit.games, fit.wins, fit.draws, fit.losses)),
        )
        for at, one in enumerate(order, start=1)
        for i in (row[one.id],)
    ]
    without = [one for one in shown if one.id not in row]
    lines += [StandingsRow(at, one, None, None, 0, 0, 0, 0) for at, one in enumerate(without, start=len(order) + 1)]
    at = np.array([row[one.id] for one in order], dtype=np.int64)
    names = {str(one.id): one.label for one in (*shown, *behind)}
    if len({int(fit.group[i]) for i in inside}) > 1:
        notes.append(
            "the bots fall into groups without a game between them, so their ratings cannot be compared;"
            " 'arena league play' links them"
        )
    return Standings(
        rows=tuple(lines),
        total=total,
        rated=tuple(order),
        elo=elo[at],
        covariance=covariance[np.ix_(at, at)],
        group=tuple(int(fit.group[i]) for i in at),
        first_advantage=(fit.first_advantage, fit.first_advantage_error95),
        others={
            int(name): (float(elo[i]), float(width[i]))
            for i, name in enumerate(fit.bots)
            if names[name] and int(name) not in {one.id for one in shown}
        },
        notes=tuple(notes),
    )


def _anchors(league: League, shown: Sequence[Version], playing: set[str], notes: list[str]) -> dict[str, float]:
    """The rating to hold fixed, by the version's number as text."""
    name = league.settings.anchor
    if name is None:
        return {}
    for one in shown:
        if one.name == name and str(one.id) in playing:
            return {str(one.id): league.settings.anchor_elo}
    notes.append(f"the anchor '{name}' is not in the table or has no games, so the mean is 0")
    return {}


def _gauged(elo: Floats, covariance: Floats, group: Ints, inside: Ints, anchored: int | None) -> tuple[Floats, Floats]:
    """Ratings and covariance shifted so that the mean of those `inside` is 0 in each group but the anchor's."""
    project = np.eye(len(elo))
    shown = np.zeros(len(elo), dtype=bool)
    shown[inside] = True
    for number in np.unique(group[shown]).tolist():
        if number != anchored:
            members = group == number
            project[np.ix_(members, members & shown)] -= 1 / int((members & shown).sum())
    return project @ elo, project @ covariance @ project.T
