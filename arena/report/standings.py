"""The standings of a run: ranks and all figures that the tables show, unformatted.

Counts are sums of whole numbers and ratings are fitted to the games in schedule order, so equal games give
equal figures, whatever the order they were played in.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from arena.endings import AFTER, ENDINGS, FORFEIT_KINDS
from arena.report.reading.run import RunData
from arena.stats.field import crosstable, first_player_score
from arena.stats.frames import Ints, StatsError, name_codes
from arena.stats.pairs import HeadToHead, counts_between, head_to_head
from arena.stats.ratings import DEFAULT_PRIOR, Ratings, by_pairs, rate

FORFEIT_COLUMNS = {kind.name: kind.column for kind in FORFEIT_KINDS}

COLUMNS: dict[str, str] = {
    "rank": "place; in swiss, knockout and series that of the format, else by Elo",
    "bot": "name of the bot",
    "elo": "rating in Elo, mean of the field 0; a bound X where flag is '>' or '<'",
    "elo_error95": "half the 95 % interval of the rating, clustered by deal",
    "flag": "'' for a number, '>' or '<' for a bound, '?' where nothing can be said",
    "games": "games played",
    "wins": "games won",
    "draws": "games drawn",
    "losses": "games lost",
    "score": "mean points of a game: 1 won, 1/2 drawn, 0 lost",
    "score_first": "the same in the games that the bot began",
    "points": "sum of match points: 5 for a game won, one a stone for a game lost or drawn",
    "stones": "sum of stones won",
    "mean_turns": "mean length of the bot's games in turns of both",
    "forfeits": "games that the bot lost by forfeit, in all and by kind",
} | {kind.column: kind.meaning for kind in FORFEIT_KINDS}
"""Columns of `RunStandings.table`; format_points, the tie-breaks of the format (such as buchholz) and remark follow
where the format has a ranking of its own, and end_faults (games after which the bot failed in `end`: their results
stand) if there are any."""
PAIR_COLUMNS = ["pairing", "deal", "first", "second", "score"]
CROSS_COLUMNS = ["bot", "opponent", "games", "wins", "draws", "losses", "score", "points", "points_against"]
COUNTS = ("games", "wins", "draws", "losses", "points", "stones", "forfeits", *FORFEIT_COLUMNS.values())


@dataclass(frozen=True)
class RunStandings:
    """Figures of a run.

    table             a row per bot, first place first, with COLUMNS
    crosstable        a row for every two bots that met, in both directions: bot, opponent, games, wins, draws, losses,
                      score, points, points_against
    first_player      games, score, score_low, score_high of whoever began
    first_advantage   Elo of moving first and half its 95 % interval; nan where the games do not tell
    endings           games by the way they ended
    head_to_head      for two bots: the first named against the other, from pairs
    """

    run: RunData
    table: pd.DataFrame
    crosstable: pd.DataFrame
    first_player: dict[str, float]
    first_advantage: tuple[float, float]
    endings: dict[str, int]
    mean_turns: float
    prior: float
    head_to_head: HeadToHead | None
    notes: tuple[str, ...]

    @property
    def faults(self) -> int:
        """Games decided by a forfeit."""
        return int(self.table["forfeits"].sum())


LARGE_FIELD = 100
"""Fields of more bots are large: what has a row or a column for each two bots is made only when it is asked for."""


def is_large(run: RunData) -> bool:
    """Has the run a large field?"""
    return len(run.bots) > LARGE_FIELD


def standings(run: RunData, prior: float = DEFAULT_PRIOR, whole: bool = False) -> RunStandings:
    """Compute the standings of a run; bots without games come last. `whole`: with the crosstable of a large field."""
    games = run.games
    if not len(games):
        return _nothing_played(run, prior)
    ratings = rate_run(games, prior)
    table = _sums(games).reindex(list(run.bots))
    for column in COUNTS:
        table[column] = table[column].fillna(0).astype(np.int64)
    rated = ratings.frame().set_index("bot").reindex(list(run.bots))
    table["elo"], table["elo_error95"] = rated["elo"], rated["elo_error95"]
    table["flag"] = rated["flag"].fillna("?")
    order = list(ratings.bots) + [bot for bot in run.bots if bot not in ratings.bots]
    table = _ranked(table, run, order)
    if after := {line.bot: line.games for line in run.forfeits if line.kind == AFTER}:
        table["end_faults"] = [after.get(bot, 0) for bot in table["bot"]]
    left_out = is_large(run) and not whole
    cross = pd.DataFrame(columns=CROSS_COLUMNS) if left_out else _crosstable(games, list(table["bot"]))
    counts = games["ending"].value_counts()
    first = first_player_score(games.filter(["first", "second", "score", "deal"]))
    return RunStandings(
        run=run,
        table=table,
        crosstable=cross,
        first_player={str(key): float(value) for key, value in first.iloc[0].items()},
        first_advantage=ratings.shown_advantage(),
        endings={ending: int(counts.get(ending, 0)) for ending in ENDINGS},
        mean_turns=float(games["turns"].mean()),
        prior=ratings.prior,
        head_to_head=_head_to_head(run),
        notes=ratings.notes,
    )


def rate_run(games: pd.DataFrame, prior: float = DEFAULT_PRIOR) -> Ratings:
    """Ratings of each connected group; two bots are rated by their pairs, and the prior plays no part."""
    found = _rate(games.filter(["first", "second", "score", "deal"]), prior)
    if len(found.bots) != 2:
        return found
    return by_pairs(found, counts_between(games.filter(PAIR_COLUMNS), *found.bots))


def _rate(games: pd.DataFrame, prior: float) -> Ratings:
    """Ratings without the first player's advantage if the games do not determine it."""
    try:
        return rate(games, prior=prior, disconnected="separate")
    except StatsError:
        # a handful of unpaired games may not separate moving first from strength
        found = rate(games, prior=prior, disconnected="separate", first_advantage=0.0)
        note = "too few games to tell the advantage of the first player; taken as 0"
        return replace(found, first_advantage_error95=math.nan, notes=(*found.notes, note))


def _sums(games: pd.DataFrame) -> pd.DataFrame:
    """Sums by bot: whole numbers, so their order does not matter."""
    words, *seats = name_codes(games)
    half_points = np.asarray(games["score"] * 2, dtype=np.int64)
    turns = np.asarray(games["turns"], dtype=np.int64)
    by, forfeit = (np.asarray(games[name].astype(object)) for name in ("forfeit_by", "forfeit"))
    forfeited = np.flatnonzero(games["forfeit_by"].notna())
    parts: dict[str, Ints] = {}

    def add(name: str, bot: Ints, values: Any = None) -> None:
        parts[name] = np.bincount(bot, values, len(words)).astype(np.int64) + parts.get(name, 0)

    for seat, bot in zip(("first", "second"), seats):
        own = half_points if seat == "first" else 2 - half_points
        add("games", bot)
        for name, value in (("wins", 2), ("draws", 1), ("losses", 0)):
            add(name, bot[own == value])
        add("half_points", bot, own)
        for name in ("points", "stones"):
            add(name, bot, games[f"{name}_{seat}"])
        add("turns", bot, turns)
        if seat == "first":
            add("begun", bot)
            add("half_points_begun", bot, own)
        lost = forfeited[np.array(words, dtype=object)[bot[forfeited]] == by[forfeited]]
        add("forfeits", bot[lost])
        for kind, column in FORFEIT_COLUMNS.items():
            add(column, bot[lost[forfeit[lost] == kind]])
    sums = pd.DataFrame(parts, index=pd.Index(words, name="bot"))
    sums["score"] = sums["half_points"] / 2 / sums["games"]
    sums["score_first"] = sums["half_points_begun"] / 2 / sums["begun"].where(sums["begun"] > 0)
    sums["mean_turns"] = sums["turns"] / sums["games"]
    return sums.drop(columns=["half_points", "half_points_begun", "begun", "turns"])


def _ranked(table: pd.DataFrame, run: RunData, order: list[str]) -> pd.DataFrame:
    columns = list(COLUMNS)
    if run.places is None:
        table = table.loc[order].rename_axis("bot").reset_index()
        table["rank"] = np.arange(1, len(table) + 1)
        return table[columns]
    places = sorted(run.places, key=lambda place: (place.rank, order.index(place.bot)))
    table = table.loc[[place.bot for place in places]].rename_axis("bot").reset_index()
    table["rank"] = [place.rank for place in places]
    table["format_points"] = [float(place.points) for place in places]
    for at, name in enumerate(run.tiebreaks):
        table[name] = [float(place.tiebreak[at]) for place in places]
        if (table[name] % 1 == 0).all():
            table[name] = table[name].astype(np.int64)
    table["remark"] = [place.remark for place in places]
    return table[[*columns, "format_points", *run.tiebreaks, "remark"]]


def _crosstable(games: pd.DataFrame, order: list[str]) -> pd.DataFrame:
    table = crosstable(games[["first", "second", "score", "points_first", "points_second"]])
    place = {bot: at for at, bot in enumerate(order)}
    keys = pd.DataFrame({"one": table["bot"].map(place), "two": table["opponent"].map(place)})
    return table.loc[keys.sort_values(["one", "two"]).index].reset_index(drop=True)


def _head_to_head(run: RunData) -> HeadToHead | None:
    if len(run.bots) != 2:
        return None
    return head_to_head(counts_between(run.games.filter(PAIR_COLUMNS), *run.bots))


def _nothing_played(run: RunData, prior: float) -> RunStandings:
    bots = list(run.bots)
    columns: dict[str, Any] = dict.fromkeys(COLUMNS, math.nan)
    columns |= {"rank": np.arange(1, len(bots) + 1), "bot": bots, "flag": "?"}
    columns |= dict.fromkeys(COUNTS, 0)
    return RunStandings(
        run=run,
        table=pd.DataFrame(columns, index=pd.RangeIndex(len(bots))),
        crosstable=pd.DataFrame(columns=CROSS_COLUMNS),
        first_player={"games": 0, "score": math.nan, "score_low": math.nan, "score_high": math.nan},
        first_advantage=(math.nan, math.nan),
        endings=dict.fromkeys(ENDINGS, 0),
        mean_turns=math.nan,
        prior=prior,
        head_to_head=None,
        notes=("no games yet",),
    )
