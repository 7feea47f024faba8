"""Compute the standings of a run: ranks and all figures of its tables, unformatted.

Counts are sums of whole numbers and ratings are fitted to the games in schedule order, so equal games give
equal figures, whatever the order they were played in.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from arena.endings import AFTER, ENDINGS, FORFEITS, ForfeitKind
from arena.league.views import table_changes
from arena.results.run_data import RunData
from arena.results.table import RATED_COLUMNS
from arena.stats import other_side
from arena.stats.adjusted import AdjustedMeeting, adjusted_notes, take_luck_out
from arena.stats.frames import Floats, GameArrays, Ints, cross_columns
from arena.stats.intervals import MeanScore, clustered_interval
from arena.stats.pairs import HeadToHead, adjusted_head_to_head, counts_between, head_to_head
from arena.stats.ratings import Difference, Ratings, rate
from arena.tournament.store.columns import GameColumns

FORFEIT_COLUMNS = {kind.value: kind.column for kind in ForfeitKind}

STANDING_COLUMNS = (
    *("rank", "bot", *RATED_COLUMNS, "score_first", "points", "stones", "mean_turns", "forfeits"),
    *FORFEIT_COLUMNS.values(),
)
"""Columns of `RunStandings.rows`; LABELS follow if the run has versions of a bot; format_points, the tie-breaks of the
format (such as buchholz) and remark if the format has a ranking of its own, and end_faults (games after which the bot
failed in `end`: their results stand) if there are any."""
LABELS = ("commit", "subject", "date", "named")
"""Columns of the versions of bots in a run."""
CROSS_COLUMNS = ["bot", "opponent", "games", "wins", "draws", "losses", "score", "points", "points_against"]
COUNTS = ("games", "wins", "draws", "losses", "points", "stones", "forfeits", *FORFEIT_COLUMNS.values())


_UNKNOWN = MeanScore(math.nan, math.nan, math.nan)


@dataclass(frozen=True)
class RunStandings:
    """The figures of a run.

    rows              a row per bot, first place first, with STANDING_COLUMNS
    met               a row for every two bots that met, in both directions: bot, opponent, games, wins, draws, losses,
                      score, points, points_against; None: left out of a large field or a league, unless asked for
    first_player      score of the first player, as in the ratings: with luck taken out where that helps
    head_to_head      for two bots: the first named against the other, from pairs; with luck taken out if that helps
    ratings           the ratings of the rows, with their notes; None without games
    lead              how far the first bot is ahead of the second, by the ratings; None if one of them is not rated
    adjusted          the effect of taking luck out of the ratings, for each two bots; None: they are as counted
    """

    run: RunData
    rows: Sequence[Mapping[str, Any]]
    prior: float
    met: Sequence[Mapping[str, Any]] | None = ()
    first_player: MeanScore = _UNKNOWN
    head_to_head: HeadToHead | None = None
    ratings: Ratings | None = None
    lead: Difference | None = None
    adjusted: Sequence[AdjustedMeeting] | None = None

    @property
    def endings(self) -> dict[str, int]:
        """The number of games by the way they ended."""
        return dict(zip(ENDINGS, np.bincount(self.run.columns["ending"], minlength=len(ENDINGS)).tolist()))

    @property
    def mean_turns(self) -> float:
        """The mean length of games; nan without any."""
        return float(self.run.columns["turns"].mean()) if len(self.run.columns) else math.nan

    @property
    def first_advantage(self) -> tuple[float, float]:
        """Elo of moving first and half its 95% interval; nan if it cannot be estimated."""
        return (math.nan, math.nan) if self.ratings is None else self.ratings.shown_advantage()

    @property
    def always_forfeiting(self) -> list[str]:
        """The bots that forfeited every game they played: more games would not help."""
        return self.run.forfeit_summary.always

    @property
    def faults(self) -> int:
        """The number of games decided by a forfeit."""
        return sum(row["forfeits"] for row in self.rows)


LARGE_FIELD = 100
"""Larger fields get tables with a row or a column for each two bots only on request."""


def is_large(run: RunData) -> bool:
    """Return whether the run has a large field."""
    return len(run.bots) > LARGE_FIELD


def standings(
    run: RunData,
    prior: float | None = None,
    whole: bool = False,
    luck: Floats | None = None,
    first_advantage: float | None = None,
) -> RunStandings:
    """Compute the standings of a run; bots without games come last. `whole`: with the crosstable of a large field.

    `prior` is in virtual draws per bot; None: as the run has it.
    `luck`, of all games (arena.results.sources.run_luck), is taken out of the ratings.
    `first_advantage` is in Elo; None: it is estimated.
    """
    played = run.columns
    if not len(played):
        nothing: dict[str, Any] = dict.fromkeys(STANDING_COLUMNS, math.nan) | dict.fromkeys(COUNTS, 0)
        rows = _labelled([nothing | {"rank": rank, "bot": bot} for rank, bot in enumerate(run.bots, 1)], run)
        return RunStandings(run, rows, run.prior if prior is None else prior)
    games = played.games()
    without, adjusted = (games, None) if luck is None else take_luck_out(games, luck)
    ratings = rate_run(run, games, prior, without, adjusted, first_advantage)
    order = list(ratings.bots) + [bot for bot in run.bots if bot not in ratings.bots]
    if run.centre and not run.selection:
        order = [bot for bot in order if bot in run.centre]
    rows = _ranked(_rows(played, ratings), run, order)
    if after := {line.bot: line.games for line in run.forfeits if line.kind == AFTER}:
        rows = [row | {"end_faults": after.get(row["bot"], 0)} for row in rows]
    rows = _labelled(rows, run)
    best = [row["bot"] for row in rows[:2] if row["bot"] in ratings.bots]
    left_out = (is_large(run) or run.before is not None) and not whole
    return RunStandings(
        run=run,
        rows=rows,
        prior=ratings.prior,
        met=None if left_out else _met(games, played, [row["bot"] for row in rows]),
        first_player=clustered_interval(without.score, games.cluster, games.clusters),
        head_to_head=_duel(games, run.bots, adjusted) if len(run.bots) == 2 else None,
        ratings=ratings,
        lead=ratings.difference(*best) if len(best) == 2 else None,
        adjusted=adjusted,
    )


def rate_run(
    run: RunData,
    games: GameArrays,
    prior: float | None = None,
    without: GameArrays | None = None,
    adjusted: Sequence[AdjustedMeeting] | None = None,
    first_advantage: float | None = None,
) -> Ratings:
    """Rate games on the scale of a run (arena.stats.ratings.rate).

    `without` and `adjusted` are the results of `take_luck_out`. If that helps no pairing, ratings are as counted.
    """
    helped = any(met.helps for met in adjusted or ())
    ratings = rate(
        games,
        prior=run.prior if prior is None else prior,
        anchors={bot: elo for bot, elo in run.anchors.items() if bot in games.bots},
        centre=run.centre,
        first_advantage=first_advantage,
        adjusted=without.score if helped and without is not None else None,
    )
    return replace(ratings, notes=(*ratings.notes, *adjusted_notes(adjusted or ())))


def _duel(games: GameArrays, bots: Sequence[str], adjusted: Sequence[AdjustedMeeting] | None) -> HeadToHead:
    """Return the result of the first of two bots against the second, from pairs."""
    counts = counts_between(games, *bots)
    for met in adjusted or ():
        if met.helps:
            return adjusted_head_to_head(counts, *met.adjusted_for(bots[0]))
    return head_to_head(counts)


def _sums(games: GameColumns) -> dict[str, list[int]]:
    """Return sums by place in `games.bots`: whole numbers, so their order does not matter."""

    def both(name: str) -> Ints:
        return np.concatenate([games[f"{name}_first"], games[f"{name}_second"]])

    half_points = (games["score"] * 2).astype(np.int64)
    bot, own = (
        np.concatenate([games["first"], games["second"]]),
        np.concatenate([half_points, other_side(half_points, total=2)]),
    )
    begun = np.arange(len(bot)) < len(half_points)
    lost = bot == np.tile(games["forfeit_by"], 2)
    forfeit = np.where(lost, np.tile(games["forfeit"], 2), -1)
    values: dict[str, Any] = {
        "games": np.ones(len(bot)),
        "wins": own == 2,
        "draws": own == 1,
        "losses": own == 0,
        "half_points": own,
        "half_points_begun": own * begun,
        "begun": begun,
        "points": both("points"),
        "stones": both("stones"),
        "turns": np.tile(games["turns"], 2),
        "forfeits": lost,
        **{column: forfeit == FORFEITS.index(kind) for kind, column in FORFEIT_COLUMNS.items()},
    }
    return {name: np.bincount(bot, value, len(games.bots)).astype(np.int64).tolist() for name, value in values.items()}


def _rows(games: GameColumns, ratings: Ratings) -> dict[str, dict[str, Any]]:
    """Return the row of each bot, without its rank."""
    sums = _sums(games)
    rows: dict[str, dict[str, Any]] = {}
    for index, bot in enumerate(games.bots):
        own = {name: values[index] for name, values in sums.items()}
        rows[bot] = {name: own[name] for name in COUNTS} | {
            **rating_figures(ratings, bot),
            "score": own["half_points"] / 2 / own["games"] if own["games"] else math.nan,
            "score_first": own["half_points_begun"] / 2 / own["begun"] if own["begun"] else math.nan,
            "mean_turns": own["turns"] / own["games"] if own["games"] else math.nan,
        }
    return rows


def rating_figures(ratings: Ratings | None, bot: str) -> dict[str, float]:
    """Return a bot's rating and how far its interval reaches; nan for a bot that is not rated."""
    if ratings is None or bot not in ratings.bots:
        return dict.fromkeys(("elo", "elo_error95", "elo_plus", "elo_minus"), math.nan)
    at = ratings.bots.index(bot)
    minus, plus = float(ratings.minus[at]), float(ratings.plus[at])
    return {"elo": float(ratings.elo[at]), "elo_error95": max(minus, plus), "elo_plus": plus, "elo_minus": minus}


def _ranked(rows: Mapping[str, dict[str, Any]], run: RunData, order: list[str]) -> list[dict[str, Any]]:
    """Return the rows with STANDING_COLUMNS in order, followed by the format's own columns."""
    if run.places is None:
        return [_row(index, bot, rows[bot]) for index, bot in enumerate(order, 1)]
    rank = {bot: index for index, bot in enumerate(order)}
    places = sorted(run.places, key=lambda place: (place.rank, rank[place.bot]))
    whole = [all(place.tiebreak[index] % 1 == 0 for place in places) for index in range(len(run.tiebreaks))]
    return [
        _row(place.rank, place.bot, rows[place.bot])
        | {"format_points": float(place.points)}
        | {
            name: int(value) if is_whole else float(value)
            for name, value, is_whole in zip(run.tiebreaks, place.tiebreak, whole)
        }
        | {"remark": place.remark}
        for place in places
    ]


def _row(rank: int, bot: str, figures: Mapping[str, Any]) -> dict[str, Any]:
    known = {"rank": rank, "bot": bot, **figures}
    return {name: known[name] for name in STANDING_COLUMNS}


def _labelled(rows: Sequence[dict[str, Any]], run: RunData) -> list[dict[str, Any]]:
    """Return the rows with what is known of versions, and of a league with their changes since the table before."""
    keys = dict.fromkeys(key for labels in run.labels.values() for key in labels)
    rows = [row | dict.fromkeys(keys, "") | dict(run.labels.get(row["bot"], {})) for row in rows]
    if run.before is None:
        return rows
    now = {row["name"]: (None if math.isnan(row["elo"]) else row["elo"], row["rank"]) for row in rows}
    moved = table_changes(now, run.before, bool(run.anchors))
    return [row | moved[row["name"]] for row in rows]


def _met(games: GameArrays, played: GameColumns, order: list[str]) -> list[dict[str, Any]]:
    """Return the crosstable in the order of the table."""
    crosstable = cross_columns(games, (played["points_first"], played["points_second"]))
    rank = {bot: number for number, bot in enumerate(order)}
    rank_of_bot = np.array([rank[bot] for bot in games.bots])
    by = np.lexsort((rank_of_bot[crosstable["opponent"]], rank_of_bot[crosstable["bot"]]))
    columns = {name: values[by].tolist() for name, values in crosstable.items()}
    for name in ("bot", "opponent"):
        columns[name] = [games.bots[index] for index in columns[name]]
    return [dict(zip(columns, row)) for row in zip(*columns.values())]
