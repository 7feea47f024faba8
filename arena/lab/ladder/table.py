"""The ladder as tables, one for each rule set: rating, and how each rung does against the one below it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from arena.errors import ArenaError
from arena.lab.ladder.play import folder_name, matches
from arena.results.reading.run import RunData, read_run
from arena.results.standings_report import ms_text
from arena.results.table import Report, Table, likelihood, number, percent, records, table_of
from arena.stats.pairs import counts_between, head_to_head
from arena.stats.ratings import rate
from arena.tournament.config.tournament import TournamentConfig
from arena.tournament.store.folders import is_begun

COLUMNS = {
    "rung": "place on the ladder, 1 the lowest",
    "bot": "name of the bot",
    "elo": "rating from all matches of the rule set, mean of the field 0",
    "elo_error95": "half the 95 % interval of the rating, clustered by deal",
    "games": "games that the rating rests on",
    "below": "the next rung below that has been met",
    "below_score": "mean points of a game against it",
    "below_elo": "Elo difference to it, from the pairs of the two",
    "below_error95": "half the 95 % interval of the difference",
    "below_los": "likelihood of being stronger than it",
    "ms": "mean time of a decision in milliseconds, as a clock measured it",
}


def ladder_report(config: TournamentConfig, rules: Sequence[str], folder: Path) -> Report:
    """What is stored of a ladder, a table for each rule set. ArenaError if nothing is."""
    rated = {one: found for one in rules if (found := ladder_frame(config, one, folder)) is not None}
    if not rated:
        raise ArenaError(f"{folder}: no match of this ladder is stored there")
    remarks = [
        "Elo: mean of the field 0; 95 % errors, clustered by deal. LOS: likelihood to be stronger than that rung."
    ]
    frames = {one: frame for one, (frame, _) in rated.items()}
    remarks += [f"{one}: {notes}." for one, (_, notes) in rated.items() if notes]
    tables = [_table(one, frame) for one, frame in frames.items()]
    return Report("", tables, remarks, values=lambda: _values(config, frames))


def ladder_frame(config: TournamentConfig, rules: str, folder: Path) -> tuple[pd.DataFrame, str] | None:
    """A row for each rung that has played, the highest first, with COLUMNS, and what to mind; None without a game."""
    runs: dict[tuple[str, ...], RunData] = {}
    for name, match in matches(config, rules).items():
        place = folder / folder_name(rules) / name
        if is_begun(place) and len((found := read_run(place)).games):
            runs[match.bot_names] = found
    if not runs:
        return None
    columns = ["first", "second", "score", "deal"]
    games = pd.concat([run.games[columns].astype({"first": str, "second": str}) for run in runs.values()])
    ratings = rate(games.reset_index(drop=True), disconnected="separate")
    rated = ratings.frame().set_index("bot")
    bots = list(config.bot_names)
    rows = [_row(at, bots, rated.loc[bot].to_dict(), runs) for at, bot in enumerate(bots) if bot in rated.index]
    notes = "; ".join(ratings.notes if int(ratings.group.max()) else ratings.notes[:-1])  # the last: the usual prior
    return pd.DataFrame(rows[::-1], columns=list(COLUMNS)), notes


def _row(
    at: int, bots: Sequence[str], rated: Mapping[Any, Any], runs: Mapping[tuple[str, ...], RunData]
) -> dict[str, Any]:
    bot = bots[at]
    row: dict[str, Any] = dict.fromkeys(COLUMNS, math.nan)
    row |= {"rung": at + 1, "bot": bot, "games": int(rated["games"]), "below": ""}
    row |= {"elo": rated["elo"], "elo_error95": rated["elo_error95"], "ms": _mean_ms(bot, runs)}
    for lower in reversed(bots[:at]):
        if (run := runs.get((bot, lower))) is not None:
            found = head_to_head(counts_between(run.games, bot, lower))
            row |= {"below": lower, "below_score": found.score, "below_los": found.los}
            if not found.flag:
                row |= {"below_elo": found.elo, "below_error95": found.elo_error95}
            break
    return row


def _mean_ms(bot: str, runs: Mapping[tuple[str, ...], RunData]) -> float:
    times = [time for names, run in runs.items() if bot in names for time in run.times if time.bot == bot]
    decisions = sum(time.decisions for time in times)
    return sum(time.total_ms for time in times) / decisions if decisions else math.nan


def _table(rules: str, frame: pd.DataFrame) -> Table:
    rows = [
        {
            "#": int(row["rung"]),
            "bot": str(row["bot"]),
            "Elo": f"{row['elo']:+z.0f}",
            "±95%": number(row["elo_error95"], 0, "-"),
            "games": int(row["games"]),
            "score% against": f"{percent(row['below_score'])}  {row['below']}" if row["below"] else "",
            "LOS%": likelihood(row["below_los"]) if row["below"] else "",
            "ms/move": ms_text(row["ms"]),
        }
        for row in frame.to_dict("records")
    ]
    return table_of(folder_name(rules), rules, frame, people=pd.DataFrame(rows))


def _values(config: TournamentConfig, frames: Mapping[str, pd.DataFrame]) -> dict[str, Any]:
    return {"seed": config.seed, "rules": {rules: records(frame) for rules, frame in frames.items()}}
