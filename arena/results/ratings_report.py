"""Show ratings of any list of games: the tables and the JSON of `arena rate`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from arena.results.run_standings import RATED_COLUMNS
from arena.results.table import (
    ALWAYS,
    COLUMNS,
    RATING,
    SIDES,
    TALLY,
    Column,
    Table,
    chance_text,
    columns_of,
    likelihood,
    rows_of,
)
from arena.results.words import FIELD_AVERAGE
from arena.stats.ratings import Ratings

if TYPE_CHECKING:
    import pandas as pd

WIDEST_LOS = 20

RATING_COLUMNS = ("rank", "bot", *RATED_COLUMNS, "group")
"""Columns of the ratings."""


def ratings_frame(ratings: Ratings) -> pd.DataFrame:
    """Return a row per bot, best first, with RATING_COLUMNS."""
    table = ratings.frame()
    table.insert(0, "rank", np.arange(1, len(table) + 1))
    return table[list(RATING_COLUMNS)]


def ratings_tables(ratings: Ratings, los: bool = False) -> list[Table]:
    """Return the ratings, the first player's advantage and, with `los`, how likely each bot is stronger than each."""
    advantage, error = ratings.shown_advantage()
    first = Table("first_player", "", [{"elo": advantage, "elo_error95": error}], files=("elo", "elo_error95"))
    return [_ratings_table(ratings), *(_los_tables(ratings) if los else ()), first]


def about_ratings(ratings: Ratings) -> dict[str, Any]:
    """Return how the ratings were made, for JSON."""
    return {"prior": ratings.prior, "anchors": dict(ratings.anchors), "games": int(ratings.games.sum()) // 2}


def _ratings_table(ratings: Ratings) -> Table:
    columns = [*columns_of(["rank", "bot"]), *RATING, COLUMNS["games"], TALLY, COLUMNS["score"]]
    if int(ratings.group.max()) > 0:
        columns.append(replace(COLUMNS["group"], where=ALWAYS))
    return Table("standings", "Ratings", rows_of(ratings_frame(ratings)), columns, RATING_COLUMNS)


def _los_tables(ratings: Ratings) -> list[Table]:
    title = "Likelihood that the bot of the row is stronger than the bot of the column, %"
    likely = ratings.los().to_numpy().tolist()
    rows = [{"bot": bot} | dict(zip(ratings.bots, values)) for bot, values in zip(ratings.bots, likely)]
    files = ("bot", *ratings.bots)
    extreme = _most_extreme(ratings.bots, likely)
    if len(ratings.bots) > WIDEST_LOS:
        note = f"{len(ratings.bots)} bots are too many for a table; --json has them all. {extreme}"
        return [Table("los", title, rows, files=files), Table("los", title, (), [Column("bot", "text")], note=note)]
    rank = {bot: number for number, bot in enumerate(ratings.bots, start=1)}

    def against(opponent: str) -> Column:
        return Column(
            str(rank[opponent]),
            cell=lambda row: "·" if row["bot"] == opponent else likelihood(row[opponent]),
        )

    columns = [Column("#", cell=lambda row: str(rank[row["bot"]])), Column("bot", "text")]
    return [Table("los", title, rows, (*columns, *map(against, ratings.bots)), files, note=extreme)]


def _most_extreme(bots: Sequence[str], likely: Sequence[Sequence[float]]) -> str:
    """Name the pair of bots whose order is most likely, and of how many pairs; "" for fewer than two."""
    pairs = [
        (max(chance, 1 - chance), (bot, other) if chance >= 0.5 else (other, bot))
        for row, (bot, chances) in enumerate(zip(bots, likely))
        for other, chance in zip(bots[row + 1 :], chances[row + 1 :])
        if not math.isnan(chance)
    ]
    if len(pairs) < 2:
        return ""
    chance, (bot, other) = max(pairs)
    return (
        f"The most extreme of {len(pairs):,} pairs, as one of them must be: {bot} over {other}, {chance_text(chance)}."
    )


def ratings_remarks(ratings: Ratings, zero: str = FIELD_AVERAGE) -> list[str]:
    """Return the sentences below the table; `zero` says what ratings are relative to."""
    lines = []
    advantage, error = ratings.shown_advantage()
    if math.isnan(error):
        lines.append("First player's advantage: not enough data to estimate.")
    elif error > 0:
        lines.append(f"First player's advantage: {advantage:+z.1f} ± {error:.1f} Elo.")
    else:
        lines.append(f"First player's advantage: {advantage:+z.1f} Elo, as given.")
    if ratings.anchors:
        fixed = ", ".join(f"{bot} = {elo:g}" for bot, elo in ratings.anchors.items())
        lines.append(f"Ratings are anchored at {fixed}; {SIDES}, relative to the anchor.")
    else:
        lines.append(f"Ratings are relative to {zero}; {SIDES}.")
    lines += [f"{note[0].upper()}{note[1:]}." for note in (*ratings.notes, ratings.advice) if note]
    return lines
