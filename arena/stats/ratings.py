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
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from arena.stats import DEFAULT_PRIOR, LEAST_PRIOR, other_side
from arena.stats import bradley_terry as bt
from arena.stats.bradley_terry import GameCounts, tabulate
from arena.stats.distributions import expit, normal_cdf, t_cdf, t_width
from arena.stats.frames import Bools, Floats, GameArrays, Ints, StatsError, games_of, numbered, require_bot
from arena.stats.intervals import FEWEST_DEALS, clustered_error
from arena.stats.pairs import ELO_SCALE, HeadToHead, adjusted_head_to_head, counts_between, head_to_head
from arena.text import counted

if TYPE_CHECKING:
    import pandas as pd

MOST_AWAY = 400
"""A bot further from the average of its field, in Elo, counts as this far away."""
FEW_DEALS = 30
_MANY = 1_000_000  # deals, on which Student's t is the normal distribution
_MOST_LISTED = 3
MOST_ANCHOR = 1_000_000
NOISE = 11
"""Decimals of ratings and errors. Further ones are noise of the fit, which changes with the number of threads and must
not decide between equal bots."""


class Difference(NamedTuple):
    """A rating, or a difference of ratings, in Elo: its 95% interval is elo - minus .. elo + plus.

    A side is infinite if it has no end; both are nan on fewer than FEWEST_DEALS deals.
    """

    elo: float
    minus: float
    plus: float

    @property
    def error95(self) -> float:
        """Return the longer side."""
        return max(self.minus, self.plus)


@dataclass(frozen=True)
class Ratings:
    """A rated field. Arrays are in the order of `bots`, best bot first; everything is in Elo.

    elo               rating
    minus, plus       how far its 95% interval reaches down and up: against the field's average (or that of the
                      `centre` of `rate`), or against the anchor, whose own are then 0. Infinite where there is no end:
                      without a single win (loss), nothing says how weak (strong) a bot is. Nan for a bot seen on
                      fewer than FEWEST_DEALS deals
    near              whether the bot is less than MOST_AWAY from the average: the others count as MOST_AWAY away
    differences       the intervals of differences, in logits
    group             number of the connected group: ratings compare within a group only
    clusters          deals (and games without a deal) in which the bot played: the evidence behind its error
    deals             deals of the whole field, or its games if no deal is known
    first_advantage   Elo of moving first, `first_advantage_error95` half its interval (0 if it was given; nan on
                      fewer than FEWEST_DEALS deals)
    prior             virtual draws per bot
    anchors           bots whose rating was given; empty: the average is zero
    duel              for a field of two rated by their pairs: the first of `bots` against the second; else None
    notes             sentences to show with the table
    advice            what to do about too few deals, "" if there are enough
    """

    bots: tuple[str, ...]
    elo: Floats
    minus: Floats
    plus: Floats
    near: Bools
    differences: bt.Differences
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

    @property
    def error95(self) -> Floats:
        """Return the longer sides of the intervals."""
        return np.maximum(self.minus, self.plus)

    @property
    def covariance(self) -> Floats:
        """Return the covariance of the ratings, Elo²."""
        return self.differences.covariance * ELO_SCALE**2

    def frame(self) -> pd.DataFrame:
        """Return a row per bot, best first.

        Columns: rank, bot, elo, elo_error95, elo_plus, elo_minus, games, wins, draws, losses, score, group.
        """
        import pandas as pd  # slow to load

        return pd.DataFrame(
            {
                "rank": range(1, len(self.bots) + 1),
                "bot": self.bots,
                "elo": self.elo,
                "elo_error95": self.error95,
                "elo_plus": self.plus,
                "elo_minus": self.minus,
                **{name: getattr(self, name) for name in ("games", "wins", "draws", "losses")},
                "score": (self.wins + self.draws / 2) / self.games,
                "group": self.group,
            }
        )

    def los(self) -> pd.DataFrame:
        """Return the likelihood of superiority, row bot over column bot.

        In a field of three and more it allows for the choice of the best among them (`superiority`), with
        wider errors on few deals. For two bots it is Phi(difference / deviation), with the side of the interval towards
        0 for the deviation, and Student's t in place of Phi for fewer than FEW_DEALS deals; for two bots rated by their
        pairs, `HeadToHead.los`. Nan where it cannot be estimated: bots of different groups, fewer than FEWEST_DEALS
        deals. The diagonal is 0.5.
        """
        import pandas as pd  # slow to load

        n = len(self.bots)
        one, other = np.triu_indices(n, 1)
        gap, minus, _, few = self._between(one, other)
        with np.errstate(divide="ignore", invalid="ignore"):
            x = gap / minus * t_width(np.maximum(few, 1))  # best bot first, so 0 is below
            likely = np.where(few < FEW_DEALS, t_cdf(np.maximum(few, 1), x), normal_cdf(x))
        likely = np.where(gap == 0, np.where(np.isnan(minus), np.nan, 0.5), likely)
        if self.duel is not None:
            likely = np.array([self.duel.los])
        chance = np.full((n, n), 0.5)
        chance[one, other], chance[other, one] = likely, 1 - likely
        wider = t_width(np.maximum(self.clusters, 1)) / t_width(np.array([_MANY]))
        covariance = self.covariance * np.outer(wider, wider)
        for number in sorted({*self.group.tolist()}):
            field = np.flatnonzero(self.group == number)
            if len(field) > 2:
                inside = np.ix_(field, field)
                chance[inside] = superiority(self.elo[field], covariance[inside])
        unknown = np.isnan(likely)
        chance[one[unknown], other[unknown]] = chance[other[unknown], one[unknown]] = np.nan
        return pd.DataFrame(chance, index=pd.Index(self.bots, name="bot"), columns=list(self.bots))

    def shown_advantage(self) -> tuple[float, float]:
        """Return the first player's advantage and half its 95% interval; nan, nan without an error."""
        error = self.first_advantage_error95
        return (math.nan, math.nan) if math.isnan(error) else (self.first_advantage, error)

    def _between(self, one: Ints, other: Ints) -> tuple[Floats, Floats, Floats, Ints]:
        """Return the differences elo[one] - elo[other], how far their intervals reach down and up, and their deals."""
        few = np.minimum(self.clusters[one], self.clusters[other])
        if self.duel is not None:
            return self.elo[one] - self.elo[other], 2 * self.minus[one], 2 * self.plus[one], few
        gap = np.where(self.group[one] == self.group[other], self.elo[one] - self.elo[other], np.nan)
        sides = self.differences.reach(one, other, t_width(np.maximum(few, 1)))
        hidden = np.isnan(gap) | (few < FEWEST_DEALS)
        minus, plus = (np.where(hidden, np.nan, side * ELO_SCALE) for side in sides)
        return gap, minus, plus, few

    def all_differences(self) -> dict[tuple[str, str], Difference]:
        """Return `difference` of each bot and each other."""
        n = len(self.bots)
        one, other = np.divmod(np.arange(n * n), n)
        one, other = one[one != other], other[one != other]
        lines = zip(one.tolist(), other.tolist(), *(part.tolist() for part in self._between(one, other)[:3]))
        return {(self.bots[i], self.bots[j]): Difference(*figures) for i, j, *figures in lines}

    def difference(self, bot: str, opponent: str) -> Difference:
        """Return Elo of `bot` minus Elo of `opponent`, with its interval; nan if it is not known.

        The interval is smaller than the two errors combined suggest: what moves both ratings together cancels out.
        """
        for name in (bot, opponent):
            require_bot(name, self.bots, "ratings")
        found = self._between(np.array([self.bots.index(bot)]), np.array([self.bots.index(opponent)]))[:3]
        return Difference(*(float(part[0]) for part in found))


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

    prior            virtual draws per bot, spread over its opponents by games played and over both seats: as if a bot
                     that won every game had drawn one more
    anchors          ratings to hold fixed, {bot: elo}; without any the average of the ratings is 0, in which a bot
                     more than MOST_AWAY from it counts as MOST_AWAY away
    centre           bots whose average is 0 in their group, if it has no anchor; empty: all bots
    first_advantage  None: estimated; a number of Elo: held fixed (0: there is none)
    adjusted         scores of the first players with luck taken out (arena.stats.adjusted), to which the ratings are
                     fitted; games won and lost are counted as they were

    Two bots are rated by their pairs, whose interval is exact, unless there is an anchor, another prior, a given
    advantage, or a `centre` without one of them. If no chain of games links all bots, each group is rated by itself,
    and `notes` say so. Raise StatsError for invalid frames (see check_games), unknown anchors and a prior below
    LEAST_PRIOR.

    >>> import pandas as pd
    >>> games = pd.DataFrame({"first": ["a", "b"] * 50, "second": ["b", "a"] * 50,
    ...                       "score": [1, 0, 1, 1, 0, 1, 1, 0, 0, 0] * 10})
    >>> rated = rate(games)
    >>> for bot, elo, up, down in zip(rated.bots, rated.elo, rated.plus, rated.minus):
    ...     print(f"{bot} {elo:+.1f} +{up:.0f} -{down:.0f}")
    a +35.2 +37 -36
    b -35.2 +36 -37
    """
    check_prior(prior)
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
    fit = bt.fit(data, component, prior, fixed, advantage)
    held = {int(component[bot]) for bot in fixed}
    among = np.array([not centre or bot in centre for bot in data.bots])
    strength, weights, near = _centred(fit.strength, component, among, held)
    elo = np.round(strength * ELO_SCALE, NOISE) + 0.0
    order = np.array(sorted(range(len(elo)), key=lambda bot: (component[bot], -elo[bot], data.bots[bot])))
    deals = data.clusters_of_bot[order]
    differences = fit.differences(weights).of(order)
    sides = differences.reach(np.arange(len(order)), np.full(len(order), differences.centre), t_width(deals))
    minus, plus = (np.round(side * ELO_SCALE, NOISE) for side in sides)
    elo, bots = elo[order], tuple(data.bots[bot] for bot in order)
    unseen = deals < FEWEST_DEALS
    minus[unseen] = plus[unseen] = np.nan
    for name, given in (anchors or {}).items():
        at = bots.index(name)
        elo[at] = given  # to the last bit
        minus[at] = plus[at] = 0.0
    notes.append(_evidence(data, [bot for bot, few in zip(bots, unseen) if few]))
    notes += _endless(bots, minus, plus)
    notes.append(f"prior: {counted_draws(prior)} per bot")
    rated = Ratings(
        bots=bots,
        elo=elo,
        minus=minus,
        plus=plus,
        near=near[order],
        differences=differences,
        group=component[order],
        games=data.games[order],
        wins=data.wins[order],
        draws=data.draws[order],
        losses=data.losses[order],
        clusters=deals,
        deals=data.clusters,
        first_advantage=round(fit.advantage * ELO_SCALE, NOISE) + 0.0,
        first_advantage_error95=_advantage_error(fit.advantage_variance, data.clusters),
        prior=prior,
        anchors=dict(anchors or {}),
        notes=tuple(notes),
        advice="play more games" if data.clusters < FEWEST_DEALS else "",
    )
    by_pairs = len(data.bots) == 2 and among.all() and prior == DEFAULT_PRIOR and not fixed and advantage is None
    return _by_pairs(rated, counted_games, adjusted) if by_pairs else rated


def _by_pairs(rated: Ratings, games: GameArrays, adjusted: Floats | None) -> Ratings:
    """Rate a field of two by their pairs: half of the Elo difference above and below 0.

    So a table of two bots agrees with their head to head, whose interval is exact however few or one-sided the pairs
    are. After a clean sweep the ratings stay, and the bound of the head to head is one end of their intervals.
    """

    def duel_of(bot: str, opponent: str) -> HeadToHead:
        counts = counts_between(games, bot, opponent)
        if adjusted is None:
            return head_to_head(counts)
        own = np.where(games.first == games.bots.index(bot), adjusted, other_side(adjusted))
        return adjusted_head_to_head(counts, float(own.mean()), clustered_error(own, games.cluster))

    order, duel = np.array([0, 1]), duel_of(*rated.bots)
    if duel.score < 0.5:
        order, duel = order[::-1], duel_of(*rated.bots[::-1])
    elo = float(abs(rated.elo[0])) if duel.flag else duel.elo / 2
    minus, plus = elo - duel.elo_low / 2, duel.elo_high / 2 - elo
    units = counted(duel.units, duel.unit.removesuffix("s"))
    return replace(
        rated,
        bots=tuple(rated.bots[index] for index in order),
        elo=np.array([elo, -elo]) + 0.0,
        minus=np.array([minus, plus]),
        plus=np.array([plus, minus]),
        differences=rated.differences.of(order),
        **{
            name: getattr(rated, name)[order]
            for name in ("games", "wins", "draws", "losses", "clusters", "group", "near")
        },
        notes=(f"from {units}; the difference of the two is twice the rating",),
        advice=f"only {units}: play more games" if duel.units < FEWEST_DEALS else "",
        duel=duel,
    )


def check_prior(prior: float) -> None:
    """Raise StatsError for a number of virtual draws with which a field cannot be rated."""
    if not (math.isfinite(prior) and prior >= LEAST_PRIOR):
        raise StatsError(
            f"prior {prior:g}: expected {LEAST_PRIOR:g} virtual draws per bot or more (without any, nothing bounds the"
            " rating of a bot that won or lost all its games)"
        )


def _centred(strength: Floats, component: Ints, among: Bools, held: Collection[int]) -> tuple[Floats, Floats, Bools]:
    """Shift each group without an anchor so that the average of its bots in `among` (without any: of all) is 0.

    Return the strengths, a row of weights for each bot that say what it is relative to (0: to the anchors), and which
    bots are near the average.
    """
    strength, weights = strength.copy(), np.zeros((len(component), len(component)))
    near = np.ones(len(component), dtype=bool)
    for group in {*component.tolist()} - {*held}:
        members = component == group
        chosen = np.flatnonzero(members & among if (members & among).any() else members)
        middle, close = bt.centre_of(strength[chosen], MOST_AWAY / ELO_SCALE)
        weights[np.ix_(members, chosen[close])] = 1 / int(close.sum())
        strength[members] -= middle
        near[members] = np.abs(strength[members]) < MOST_AWAY / ELO_SCALE
        near[chosen] = close
    return strength, weights, near


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


def _endless(bots: Sequence[str], minus: Floats, plus: Floats) -> list[str]:
    """Say whose intervals have no end."""
    lines = []
    for side, strong in ((minus, "weak"), (plus, "strong")):
        if endless := [bot for bot, reach in zip(bots, side) if math.isinf(reach)]:
            lines.append(f"the games do not show how {strong} {_listed(endless)} may be (∞)")
    return lines


def counted_draws(prior: float) -> str:
    """Return a number of virtual draws in words.

    >>> counted_draws(1.0), counted_draws(0.5)
    ('1 virtual draw', '0.5 virtual draws')
    """
    return f"{prior:g} virtual draw{'s' * (prior != 1)}"


def _advantage_error(variance: float, deals: int) -> float:
    """Return half the 95% interval of the first player's advantage: one parameter, so one degree fewer than deals."""
    if variance == 0:
        return 0.0
    if deals < FEWEST_DEALS:
        return math.nan
    spread = math.sqrt(max(variance, 0.0) * deals / (deals - 1))
    return round(float(t_width(np.int64(deals - 1))) * spread * ELO_SCALE, NOISE)


def _evidence(data: GameCounts, without_error: list[str]) -> str:
    """Say how many deals the errors are based on, or that these are too few."""
    unit = "deal" if (data.pair >= 0).any() else "game"
    if data.clusters < FEWEST_DEALS:
        return f"no interval yet: {counted(data.clusters, unit)} played, {FEWEST_DEALS} needed"
    note = f"intervals are based on {counted(data.clusters, unit)}"
    if without_error:
        note += f"; none is shown for {_listed(without_error)}, with fewer than {FEWEST_DEALS}"
    return note


# ---------------------------------------------------------------- how likely one bot of a field is stronger
#
# The leader of a field has been chosen for its results, so it looks better than it is: taken alone, its difference from
# another bot is too sure. Here the strengths of a field are draws from one normal distribution, whose spread is as
# unknown as they are (a hierarchical model: Gelman et al., Bayesian Data Analysis, 5.4). Where the results could be
# noise around one strength, the chance is near a half; where they are far apart, the model changes nothing.

_SPREADS = np.geomspace(1, 2000, 24)  # Elo
_LEAST = 1e-4  # less likely spreads do not count
_SCALE = 100.0
"""Elo. The prior of the spread is a half Cauchy distribution with this scale. In 4,000 fields of four, five or ten bots
each (`tests/stats/test_superiority.py`), what is said of the best two comes true within three points at spreads of 15,
40, 150 and 400; of three bots with a spread of 15 it says five points too much."""


def superiority(elo: Floats, covariance: Floats) -> Floats:
    """Return the chance that the bot of the row is stronger than the bot of the column, 0..1; the diagonal is 0.5.

    `elo` are the ratings of a field, `covariance` their covariance in Elo².

    >>> superiority(np.array([30.0, 0.0, -30.0]), np.eye(3) * 30.0**2).round(2).tolist()[0]
    [0.5, 0.67, 0.8]
    """
    values, vectors = np.linalg.eigh(covariance)  # the same vectors for each spread
    ratings, ones = vectors.T @ elo, vectors.T @ np.ones(len(elo))
    variances = np.maximum(values, 0.0) + _SPREADS[:, None] ** 2
    weights = (ones**2 / variances).sum(axis=1)
    aparts = ratings - np.outer((ones * ratings / variances).sum(axis=1) / weights, ones)
    fits = np.log(variances).sum(axis=1) + np.log(weights) + (aparts**2 / variances).sum(axis=1)
    logs = np.log(_SPREADS / (1 + (_SPREADS / _SCALE) ** 2)) - fits / 2  # the spreads are even in their logarithm
    likely = np.exp(logs - logs.max())
    likely[likely < _LEAST] = 0.0
    chance = np.zeros_like(covariance)
    for share, spread, variance, weight, apart in zip(likely / likely.sum(), _SPREADS, variances, weights, aparts):
        if share:
            mean = vectors @ (apart / variance) * spread**2
            common = vectors @ (ones / variance)
            left = np.outer(common, common) / weight - (vectors / variance) @ vectors.T
            posterior = spread**2 * np.eye(len(elo)) + spread**4 * left
            own = np.diag(posterior)
            deviation = np.sqrt(np.maximum(own[:, None] + own - 2 * posterior, np.finfo(float).tiny))
            chance += share * normal_cdf((mean[:, None] - mean) / deviation)
    np.fill_diagonal(chance, 0.5)
    return chance


# ---------------------------------------------------------------- whether one line of ratings fits a field
#
# A residual is a game's score minus what the ratings expect of it. If strengths explain all, the residuals of each
# pairing sum to luck alone, whose size shows in the spread over deals: games on one deal are correlated.

MOST_CELLS = 20_000_000
"""Deals times pairings up to which the fit is tested."""


def misfit_p_value(games: GameArrays, ratings: Ratings) -> float | None:
    """Return the probability that luck alone leaves as much unexplained as the `ratings` of these games do.

    The test is Rao and Scott's of second order: Pearson's sum over pairings, whose mean and spread under luck alone are
    estimated from the deals. None if there is nothing to test: no three bots that all met, fewer than FEWEST_DEALS
    deals, deals that are all alike, or a field too large for it.
    """
    from scipy.special import fdtrc  # slow to load

    elo = dict(zip(ratings.bots, ratings.elo))
    level = np.array([elo[bot] for bot in games.bots]) / ELO_SCALE
    known = np.flatnonzero(np.isfinite(level[games.first] - level[games.second]))
    first, second = games.first[known], games.second[known]
    chance = expit(level[first] - level[second] + ratings.first_advantage / ELO_SCALE)
    n, straight = len(games.bots), first < second
    met, pairing = numbered(np.where(straight, first * n + second, second * n + first))
    deals, deal = numbered(games.cluster[known])
    if len(deals) < FEWEST_DEALS or len(deals) * len(met) > MOST_CELLS:
        return None
    low, high = met // n, met % n
    sign = np.where(straight, 1.0, -1.0)
    weight = np.bincount(pairing, chance * (1 - chance), len(met))
    residual = np.zeros((len(deals), len(met)))
    np.add.at(residual, (deal, pairing), sign * (games.score[known] - chance))
    # scaled by the expected deviation, what strengths can explain is a plane, and the rest is at right angles to it
    scaled = residual / np.sqrt(weight)
    steps = np.zeros((len(met), n))
    steps[np.arange(len(met)), low], steps[np.arange(len(met)), high] = 1.0, -1.0
    steps *= np.sqrt(weight)[:, None]
    bots_met = steps[:, np.bincount(np.concatenate([low, high]), minlength=n) > 0]
    basis, size, _ = np.linalg.svd(bots_met, full_matrices=False)
    basis = basis[:, size > 1e-9 * size[0]]
    if basis.shape[1] == len(met):
        return None
    left = scaled - scaled @ basis @ basis.T
    over = float((left.sum(axis=0) ** 2).sum())
    luck, freedom = _luck(left)
    if luck == 0:
        return None
    return float(fdtrc(freedom, freedom * (len(deals) - 1), over / luck))


def _luck(left: Floats) -> tuple[float, float]:
    """Return the mean of Pearson's sum under luck alone, and its degrees of freedom (Satterthwaite)."""
    deals = len(left)
    centred = left - left.mean(axis=0)
    own = (centred**2).sum(axis=1)
    mean = float(own.sum()) * deals / (deals - 1)
    inner = centred @ centred.T if deals < left.shape[1] else centred.T @ centred
    spread = (
        float((inner**2).sum() - (own**2).sum()) * deals / (deals - 1)
    )  # without the products of a deal with itself
    return mean, min(max(mean**2 / spread, 1.0), left.shape[1]) if spread > 0 else float(left.shape[1])
