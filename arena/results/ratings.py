"""Ratings of any list of games: the tables and the JSON of `arena ratings`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from arena.results.table import Report, Table, elo_text, likelihood, number, percent, plain, records, table_of
from arena.stats.ratings import Ratings

if TYPE_CHECKING:
    from arena.stats.nash import NashRatings

WIDEST_LOS = 20

COLUMNS = {
    "rank": "place by rating; a bot with '>' stands before, one with '<' behind the numbers",
    "bot": "name of the bot",
    "elo": "rating, or empty where there is none in numbers (see flag)",
    "elo_error95": "half the 95 % interval of the rating, clustered by deal; 0 for an anchor",
    "flag": "'' for a number; '>' or '<' for no more than a bound; '?' where nothing can be said",
    "elo_bound": "the bound of '>' or '<': the end of a one-sided 97.5 % interval, of two bots 95 %",
    "games": "games played",
    "wins": "games won",
    "draws": "games drawn",
    "losses": "games lost",
    "score": "mean points of a game: 1 won, 1/2 drawn, 0 lost",
    "group": "ratings compare within a group of bots linked by games; mostly there is one, number 0",
}
"""Columns of the ratings; with Nash averaging follow nash_weight (share, sum 1) and nash_elo (0 at best)."""


def ratings_frame(found: Ratings, nash: NashRatings | None = None) -> pd.DataFrame:
    """A row per bot, best first, with COLUMNS."""
    table = found.frame()
    bounded = table["flag"].isin((">", "<"))
    table["elo_bound"] = table["elo"].where(bounded, math.nan)
    table["elo"] = table["elo"].where(table["flag"] == "", math.nan)
    table.insert(0, "rank", np.arange(1, len(table) + 1))
    table = table[list(COLUMNS)]
    if nash is not None:
        table = table.merge(nash.frame(), on="bot", how="left", validate="one_to_one")
    return table


def ratings_values(found: Ratings, nash: NashRatings | None = None, los: bool = False) -> dict[str, Any]:
    """Everything for JSON; null for what is not known."""
    advantage, advantage_error = found.shown_advantage()
    groups = [
        [bot for bot, number in zip(found.bots, found.group) if number == group]
        for group in range(int(found.group.max()) + 1)
    ]
    values: dict[str, Any] = {
        "ratings": records(ratings_frame(found, nash)),
        "first_advantage": plain(advantage),
        "first_advantage_error95": plain(advantage_error),
        "prior": found.prior,
        "anchors": dict(found.anchors),
        "bots": len(found.bots),
        "games": int(found.games.sum()) // 2,
        "groups": groups,
        "notes": list(found.notes),
    }
    if nash is not None:
        values["nash_prior"] = nash.prior
    if los:
        table = found.los()
        values["los"] = {
            bot: {other: plain(value) for other, value in zip(table.columns, row)}
            for bot, row in zip(found.bots, table.to_numpy().tolist())
        }
    return values


def ratings_report(found: Ratings, nash: NashRatings | None = None, los: bool = False, heading: str = "") -> Report:
    """The ratings, and with `los` how likely each bot is the stronger one of each two."""
    full = ratings_frame(found, nash)
    tables = [table_of("ratings", "Ratings", full, people=_for_people(found, full))]
    if los:
        tables.append(_los_table(found))
    return Report(heading, tables, remarks(found, nash), values=lambda: ratings_values(found, nash, los))


def _for_people(found: Ratings, full: pd.DataFrame) -> pd.DataFrame:
    rows = []
    for at, row in enumerate(full.to_dict("records")):
        cells = {
            "#": int(row["rank"]),
            "bot": str(row["bot"]),
            "Elo": elo_text(float(found.elo[at]), str(row["flag"])),
            "±95%": number(float(row["elo_error95"]), 1, "-"),
            "games": int(row["games"]),
            "W-D-L": f"{row['wins']}-{row['draws']}-{row['losses']}",
            "score%": percent(float(row["score"])),
        }
        if int(found.group.max()) > 0:
            cells["group"] = int(row["group"])
        if "nash_weight" in row:
            cells["Nash weight%"] = percent(float(row["nash_weight"]))
            cells["Nash Elo"] = f"{float(row['nash_elo']):+z.0f}"
        rows.append(cells)
    return pd.DataFrame(rows)


def _los_table(found: Ratings) -> Table:
    title = "Likelihood that the bot of the row is stronger than the bot of the column, %"
    los = found.los()
    if len(found.bots) > WIDEST_LOS:
        note = f"{len(found.bots)} bots are too many for a table; --format csv or --json has them all."
        return table_of("los", title, los.reset_index(), note, people=pd.DataFrame({"bot": []}))
    rows = []
    for at, (bot, likely) in enumerate(zip(found.bots, los.to_numpy())):
        cells = {"#": at + 1, "bot": bot}
        for other, value in enumerate(likely):
            cells[str(other + 1)] = "·" if other == at else likelihood(float(value))
        rows.append(cells)
    return table_of("los", title, los.reset_index(), people=pd.DataFrame(rows))


def remarks(found: Ratings, nash: NashRatings | None = None) -> list[str]:
    """Sentences under the table."""
    lines = []
    advantage, error = found.shown_advantage()
    if math.isnan(error):
        lines.append("First player's advantage: the games do not tell.")
    elif error > 0:
        lines.append(f"First player's advantage: {advantage:+z.1f} ± {error:.1f} Elo.")
    else:
        lines.append(f"First player's advantage: {advantage:+z.1f} Elo, as given.")
    if found.anchors:
        fixed = ", ".join(f"{bot} = {elo:g}" for bot, elo in found.anchors.items())
        zero = f"anchored at {fixed}; errors are those of the difference to the anchor"
    else:
        zero = "mean of the field 0"
    lines.append(f"Elo: {zero}; 95 % errors, clustered by deal.")
    if nash is not None:
        lines.append(
            "Nash: weight of each bot in the best mixture of bots, and mean Elo against that mixture"
            f" ({nash.prior:g} virtual draws a pairing)."
        )
    lines += [f"{note[0].upper()}{note[1:]}." for note in found.notes]
    return lines
