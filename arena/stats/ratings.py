"""Rate a field of bots: Bradley-Terry with a first-player advantage, errors clustered by deal.

The probability that `first` beats `second` is 1/(1 + 10^(-(elo_first + advantage - elo_second)/400)); a draw is half a
win and half a loss. Strengths and advantage are fitted together by Newton's method (arena.stats.bradley_terry), with
sandwich errors; docs/statistics.md has the definitions. Memory grows with the games and the square of the number of
bots, time with the games and its cube.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from arena.stats import bradley_terry as bt
from arena.stats.bradley_terry import GameCounts, tabulate
from arena.stats.distributions import Z95, normal_cdf, t_cdf, t_width
from arena.stats.frames import Floats, GameArrays, Ints, StatsError, games_of, require_bot
from arena.stats.intervals import FEWEST_DEALS
from arena.stats.pairs import ELO_SCALE, HeadToHead, adjusted_head_to_head, head_to_head
from arena.stats.score import other_side
from arena.text import counted

if TYPE_CHECKING:
    import pandas as pd

DEFAULT_PRIOR = 2.0
FEW_DEALS = 30
_MOST_LISTED = 3
MOST_ANCHOR = 1_000_000
NOISE = 11
"""Decimals of ratings and errors. Further ones are noise of the fit, which changes with the number of threads and must
not decide between equal bots."""


@dataclass(frozen=True)
class Ratings:
    """A rated field. Arrays are in the order of `bots`, best bot first; everything is in Elo.

    elo               rating, nan for a flagged bot
    bound             the rating that a flagged bot is above (">") or below ("<"); nan for others
    error95           half the 95% interval of the rating in its gauge: against the mean of the field (or of the
                      `centre` of `rate`), or against the anchor, whose own error is then 0; nan for a flagged bot and
                      for a bot seen on fewer than FEWEST_DEALS deals
    covariance        covariance of the ratings in the same gauge, Elo²
    flag              "" (a number), ">" or "<" (no more than a bound), "?" (no bound either)
    group             number of the connected group: ratings compare within a group only
    clusters          deals (and games without a deal) in which the bot played: the evidence behind its error
    deals             deals of the whole field, or its games if no deal is known
    first_advantage   Elo of moving first, `first_advantage_error95` half its interval (0 if it was given; nan if it
                      was not estimated or on fewer than FEWEST_DEALS deals)
    prior             virtual draws per bot
    anchors           bots whose rating was given; empty: the mean is zero
    duel              for a field of two rated by their pairs: the first of `bots` against the second; else None
    notes             sentences to show with the table
    advice            what to do about too few deals, "" if there are enough
    """

    bots: tuple[str, ...]
    elo: Floats
    bound: Floats
    error95: Floats
    covariance: Floats
    flag: tuple[str, ...]
    group: Ints
    games: Ints
    wins: Ints
    draws: Ints
    losses: Ints
    clusters: Ints
    deals: int
    first_advantage: float
    first_advantage_error95: float
    prior: float
    anchors: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    advice: str = ""
    duel: HeadToHead | None = None

    def frame(self) -> pd.DataFrame:
        """Return a row per bot, best first.

        Columns: bot, elo, elo_error95, flag, elo_bound, games, wins, draws, losses, score, group.
        """
        import pandas as pd  # slow to load

        return pd.DataFrame(
            {
                "bot": list(self.bots),
                "elo": self.elo,
                "elo_error95": self.error95,
                "flag": list(self.flag),
                "elo_bound": self.bound,
                "games": self.games,
                "wins": self.wins,
                "draws": self.draws,
                "losses": self.losses,
                "score": (self.wins + self.draws / 2) / self.games,
                "group": self.group,
            }
        )

    def los(self) -> pd.DataFrame:
        """Return the likelihood of superiority, row bot over column bot: Phi(difference / its standard deviation).

        For fewer than FEW_DEALS deals Student's t takes the place of Phi, as in the errors. For two bots rated by
        their pairs it is `HeadToHead.los`. Nan where it cannot be estimated: bots with only a bound, bots of different
        groups, fewer than FEWEST_DEALS deals. The diagonal is 0.5.
        """
        import pandas as pd  # slow to load

        delta = self.elo[:, None] - self.elo[None, :]
        variance = np.diag(self.covariance)
        spread = np.sqrt(np.maximum(variance[:, None] + variance[None, :] - 2 * self.covariance, 0.0))
        with np.errstate(divide="ignore", invalid="ignore"):
            few = np.minimum(self.clusters[:, None], self.clusters[None, :])
            likely = np.where(few < FEW_DEALS, t_cdf(np.maximum(few, 1), delta / spread), normal_cdf(delta / spread))
            chance = np.where(delta == 0, 0.5, likely)
        numbers = np.array([flag == "" for flag in self.flag])
        known = numbers[:, None] & numbers[None, :] & (self.group[:, None] == self.group[None, :])
        known &= few >= FEWEST_DEALS
        chance = np.where(known, chance, np.nan)
        np.fill_diagonal(chance, 0.5)
        if self.duel is not None:
            chance[0, 1], chance[1, 0] = self.duel.los, 1 - self.duel.los
        return pd.DataFrame(chance, index=pd.Index(self.bots, name="bot"), columns=list(self.bots))

    def shown_advantage(self) -> tuple[float, float]:
        """Return the first player's advantage and half its 95% interval; nan, nan without an error."""
        error = self.first_advantage_error95
        return (math.nan, math.nan) if math.isnan(error) else (self.first_advantage, error)

    def difference(self, bot: str, opponent: str) -> tuple[float, float]:
        """Return Elo of `bot` minus Elo of `opponent`, and half the 95% interval of that difference; nan if unknown.

        The interval is smaller than the two errors combined suggest: what moves both ratings together cancels out.
        """
        for name in (bot, opponent):
            require_bot(name, self.bots, "ratings")
        i, j = self.bots.index(bot), self.bots.index(opponent)
        if self.flag[i] or self.flag[j] or self.group[i] != self.group[j]:
            return math.nan, math.nan
        if self.duel is not None:
            return (self.duel.elo if i < j else -self.duel.elo), self.duel.elo_error95
        variance = self.covariance[i, i] + self.covariance[j, j] - 2 * self.covariance[i, j]
        width = float(_quantile(np.minimum(self.clusters[i], self.clusters[j])))
        gap = float(self.elo[i] - self.elo[j])
        if min(self.clusters[i], self.clusters[j]) < FEWEST_DEALS:
            return gap, math.nan
        return gap, width * math.sqrt(max(float(variance), 0.0))


def by_pairs(rated: Ratings, counts: Sequence[float], adjusted: tuple[float, float] | None = None) -> Ratings:
    """Rate a field of two by their pairs instead: half of the Elo difference above and below 0.

    `counts` are of the first of `rated.bots` against the second. So a table of two bots agrees with their head to
    head. The first player's advantage stays; the prior no longer counts. `adjusted` is the score of the first with
    luck taken out, and half its 95% interval; None: as counted.
    """
    order = np.array([0, 1])
    if adjusted is None:
        duel = head_to_head(counts)
        if duel.score < 0.5:
            duel, order = head_to_head(counts[::-1]), order[::-1]
    else:
        score, error95 = adjusted
        duel = adjusted_head_to_head(counts, score, error95)
        if score < 0.5:
            duel, order = adjusted_head_to_head(counts[::-1], other_side(score), error95), order[::-1]
    half = np.array([0.5, -0.5])
    elo, bound, error = (math.nan, duel.bound, math.nan) if duel.flag else (duel.elo, math.nan, duel.elo_error95 / 2)
    units = counted(duel.units, duel.unit.removesuffix("s"))
    return replace(
        rated,
        bots=tuple(rated.bots[index] for index in order),
        elo=elo * half + 0.0,
        bound=bound * half + 0.0,
        error95=np.array([error, error]),
        covariance=np.array([[1.0, -1.0], [-1.0, 1.0]]) * (error / Z95) ** 2,
        flag=(duel.flag, "<" if duel.flag else ""),
        **{name: getattr(rated, name)[order] for name in ("games", "wins", "draws", "losses", "clusters", "group")},
        prior=0.0,
        notes=(f"from {units}; the difference of the two is twice the rating",),
        advice=f"only {units}: play more games" if duel.units < FEWEST_DEALS else "",
        duel=duel,
    )


def _quantile(clusters: Ints | np.int64) -> Floats:
    """Return the 97.5% quantile of Student's t for this many deals; 1.96 for many."""
    return t_width(np.maximum(clusters, 1))


def rate(
    games: pd.DataFrame | GameArrays,
    *,
    prior: float = DEFAULT_PRIOR,
    anchors: Mapping[str, float] | None = None,
    centre: Collection[str] = (),
    first_advantage: float | None = None,
    adjusted: Floats | None = None,
) -> Ratings:
    """Rate all bots of `Games` or a games frame (columns first, second, score and, if the games share cards, deal).

    prior            virtual draws per bot, spread over its opponents by games played and over both seats. With
                     0 a bot that won (or lost) everything gets the bound of "> X" ("< X") for a rating.
    anchors          ratings to hold fixed, {bot: elo}; without any the mean of the (numbered) ratings is 0
    centre           bots whose mean is 0 in their group, if it has no anchor; empty: all bots
    first_advantage  None: estimated; a number of Elo: held fixed (0: there is none)
    adjusted         scores of the first players with luck taken out (arena.stats.adjusted), to which the ratings are
                     fitted; games won and lost are counted as they were

    If no chain of games links all bots, each group is rated by itself, and `notes` say so. Raise StatsError for invalid
    frames (see check_games), unknown anchors, a negative prior, and an advantage that the games cannot separate from
    strength.

    >>> import pandas as pd
    >>> games = pd.DataFrame({"first": ["a", "b"] * 50, "second": ["b", "a"] * 50,
    ...                       "score": [1, 0, 1, 1, 0, 1, 1, 0, 0, 0] * 10})
    >>> rated = rate(games, prior=0)
    >>> [f"{bot} {elo:+.1f}" for bot, elo in zip(rated.bots, rated.elo)]
    ['a +35.2', 'b -35.2']
    """
    if not (math.isfinite(prior) and prior >= 0):
        raise StatsError(f"prior {prior:g}: expected a number of virtual draws per bot, 0 or more")
    counted_games = games if isinstance(games, GameArrays) else games_of(games)
    data = tabulate(counted_games)
    if adjusted is not None:
        data = replace(data, score=adjusted, seats=tabulate(replace(counted_games, score=adjusted)).seats)
    fixed = _check_anchors(anchors or {}, data.bots)
    if first_advantage is not None and not math.isfinite(first_advantage):
        raise StatsError(f"first_advantage {first_advantage:g}: expected a number of Elo")
    advantage = None if first_advantage is None else first_advantage / ELO_SCALE

    notes: list[str] = []
    component = bt.components(data, np.array(sorted(fixed), dtype=np.int64))
    count = int(component.max()) + 1
    if count > 1:
        groups = [[bot for bot, number in zip(data.bots, component) if number == part] for part in range(count)]
        notes.append(_groups_note(groups))
    if prior > 0 and (apart := bt.apart(data, component, np.array(sorted(fixed), dtype=np.int64))):
        notes.append(
            f"all games of {_listed([data.bots[bot] for bot in apart])} against the others went one way: how far apart"
            " they are depends on the prior, and may be far more"
        )
    fit = bt.fit(data, component, prior, fixed, advantage)
    central = [data.bots.index(bot) for bot in data.bots if bot in centre]
    fit = _centred(fit, component, central, {int(component[bot]) for bot in fixed})
    return _result(data, fit, component, prior, anchors or {}, notes)


def _centred(fit: bt.Fit, component: Ints, central: Sequence[int], anchored: Collection[int]) -> bt.Fit:
    """Shift each group without an anchor so that the mean of its `central` bots is 0; without such a bot it stays."""
    share = np.zeros((len(component), len(component)))
    for group in {int(component[bot]) for bot in central} - {*anchored}:
        among = [bot for bot in central if component[bot] == group and not fit.flag[bot]]
        share[np.ix_(component == group, among)] = 1 / max(len(among), 1)
    if not share.any():
        return fit
    shift = np.eye(len(component)) - share
    covariance = shift @ np.nan_to_num(fit.covariance) @ shift.T
    return replace(
        fit,
        strength=fit.strength - share @ np.nan_to_num(fit.strength),
        covariance=np.where(np.isnan(fit.covariance), np.nan, covariance),
    )


def _check_anchors(anchors: Mapping[str, float], bots: tuple[str, ...]) -> dict[int, float]:
    fixed: dict[int, float] = {}
    for name, elo in anchors.items():
        require_bot(name, bots)
        if not abs(elo) <= MOST_ANCHOR:
            raise StatsError(f"anchor {name}={elo:g}: expected Elo from -{MOST_ANCHOR:,} to {MOST_ANCHOR:,}")
        fixed[bots.index(name)] = elo / ELO_SCALE
    return fixed


def _listed(bots: Sequence[str]) -> str:
    left = len(bots) - _MOST_LISTED
    return ", ".join(bots[:_MOST_LISTED]) + (f" and {left} more" if left > 0 else "")


def _groups_note(groups: Sequence[Sequence[str]]) -> str:
    shown = "; ".join(f"({_listed(group)})" for group in groups[:5])
    more = f"; and {len(groups) - 5} more groups" if len(groups) > 5 else ""
    return (
        f"the field falls into {len(groups)} groups without a game between them, so their ratings cannot be "
        f"compared: {shown}{more}"
    )


def _result(
    data: GameCounts,
    fit: bt.Fit,
    component: Ints,
    prior: float,
    anchors: Mapping[str, float],
    notes: list[str],
) -> Ratings:
    level = np.round(fit.strength * ELO_SCALE, NOISE) + 0.0
    ranks = [(number, *_rank(*line)) for number, *line in zip(component, fit.flag, level.tolist(), data.bots)]
    order = np.array(sorted(range(len(ranks)), key=ranks.__getitem__), dtype=np.int64)
    is_number = np.array([not flag for flag in fit.flag])
    elo, bound = np.where(is_number, level, np.nan), np.where(is_number, np.nan, level)
    variance = np.maximum(np.diag(fit.covariance), 0.0)
    error = np.round(_quantile(data.clusters_of_bot) * np.sqrt(variance) * ELO_SCALE, NOISE)
    unseen = data.clusters_of_bot < FEWEST_DEALS
    error[unseen] = np.nan
    for name, given in anchors.items():
        elo[data.bots.index(name)] = given  # to the last bit
        error[data.bots.index(name)] = 0.0
    advice = "play more games" if data.clusters < FEWEST_DEALS else ""
    notes.append(_evidence(data, [data.bots[i] for i in order if unseen[i]]))
    bounded = [data.bots[i] for i in order if fit.flag[i]]
    if bounded:
        notes.append(
            f"{_listed(bounded)} won or lost all games against the others, so there is no rating without a prior: '> X'"
            " means at least X and '< X' at most X (97.5% confident); 'won all' and 'lost all' replace an X of little"
            " use"
        )
    if prior > 0:
        notes.append(f"prior: {prior:g} virtual draws per bot")
    return Ratings(
        bots=tuple(data.bots[i] for i in order),
        elo=elo[order],
        bound=bound[order],
        error95=error[order],
        covariance=fit.covariance[np.ix_(order, order)] * ELO_SCALE**2,
        flag=tuple(fit.flag[i] for i in order),
        group=component[order],
        games=data.games[order],
        wins=data.wins[order],
        draws=data.draws[order],
        losses=data.losses[order],
        clusters=data.clusters_of_bot[order],
        deals=data.clusters,
        first_advantage=round(fit.advantage * ELO_SCALE, NOISE) + 0.0,
        first_advantage_error95=_advantage_error(fit.advantage_variance, data.clusters),
        prior=prior,
        anchors=dict(anchors),
        notes=tuple(notes),
        advice=advice,
    )


def _advantage_error(variance: float, deals: int) -> float:
    """Return half the 95% interval of the first player's advantage: one parameter, so one degree fewer than deals."""
    if variance == 0:
        return 0.0
    if deals < FEWEST_DEALS:
        return math.nan
    spread = math.sqrt(max(variance, 0.0) * deals / (deals - 1))
    return round(float(_quantile(np.int64(deals - 1))) * spread * ELO_SCALE, NOISE)


def _evidence(data: GameCounts, without_error: list[str]) -> str:
    """Say how many deals the errors are based on, or that these are too few."""
    unit = "deal" if (data.pair >= 0).any() else "game"
    if data.clusters < FEWEST_DEALS:
        return f"no ± yet: {counted(data.clusters, unit)} played, {FEWEST_DEALS} needed"
    note = f"error bars are based on {counted(data.clusters, unit)}"
    if without_error:
        note += f"; none is shown for {_listed(without_error)}, with fewer than {FEWEST_DEALS}"
    return note


def _rank(flag: str, elo: float, name: str) -> tuple[int, float, str]:
    """Return a sort key: '>' before numbers before '<' before '?', then the higher rating, then the name."""
    return {">": 0, "": 1, "<": 2, "?": 3}[flag], -elo if math.isfinite(elo) else 0.0, name
