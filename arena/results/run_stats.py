"""Everything that a run says besides its ranking, as tidy tables: `arena stats`, and the frames of a notebook."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pandas as pd

from arena.results.ratings import ratings_frame
from arena.results.reading.run import RunData
from arena.results.standings import LARGE_FIELD, is_large, rate_run
from arena.results.standings_report import cut, heading
from arena.results.table import Report, Table, figures, table_of
from arena.stats.field import (
    crosstable,
    endings,
    first_player_score,
    forfeits,
    game_length,
    length_histogram,
    scores,
    seats_kept,
    stones_and_points,
    terminations,
    thinking_time,
)
from arena.stats.frames import StatsError
from arena.stats.pairs import HeadToHead, counts_between, heads_to_heads, units_needed
from arena.stats.ratings import DEFAULT_PRIOR, Ratings
from arena.tournament.store.losses import RunLosses, sorted_bots

TITLES = {
    "ratings": "Ratings",
    "scores": "Score by bot, 95 % interval clustered by deal",
    "pairings": "Bot against opponent",
    "los": "How much stronger, and how surely (from the ratings)",
    "first_player": "Score of whoever moves first",
    "first_player_by_bot": "Score of each bot in the games it began",
    "length": "Length of games",
    "length_by_bot": "Length of games by bot",
    "length_by_opponent": "Length of games by bot and opponent",
    "length_histogram": "How many games took how many turns",
    "points_by_bot": "Stones and match points a game (5 for a win, else the stones)",
    "points_by_opponent": "Stones and match points a game by opponent",
    "endings": "How games ended",
    "endings_by_bot": "How each bot won",
    "endings_by_opponent": "How each bot won against each opponent",
    "terminations": "Games that each bot ended itself, by forfeit",
    "forfeits": "Forfeits by bot and opponent",
    "time": "Thinking time in ms a decision",
    "time_by_opponent": "Thinking time in ms a decision, by opponent (quantiles over games)",
}
"""The tables of a run in their order, by the name of their CSV file."""
ONLY_IN_FILES = (
    "length_by_opponent",
    "length_histogram",
    "points_by_opponent",
    "endings_by_opponent",
    "time_by_opponent",
    "first_player_by_bot",
    "length_by_bot",
)
"""Tables too long for a terminal: in CSV and JSON only."""

_LENGTHS = (
    "games",
    "turns_mean",
    "turns_sd",
    "turns_min",
    "turns_p10",
    "turns_p50",
    "turns_p90",
    "turns_max",
    "plies_mean",
)
_SHOWN = {
    "scores": (
        "bot",
        "games",
        "wins",
        "draws",
        "losses",
        "score",
        "score_low",
        "score_high",
        "score_first",
        "score_second",
    ),
    "length": _LENGTHS,
    "pairings": (
        "bot",
        "opponent",
        "games",
        "wins",
        "draws",
        "losses",
        "score",
        "elo",
        "elo_low",
        "elo_high",
        "los",
        "unit",
        "units",
        "units_needed",
    ),
}


BY_OPPONENT = ("pairings", "los", "length_by_opponent", "points_by_opponent", "endings_by_opponent", "time_by_opponent")
"""Tables with a row for each two bots: of a large field only when they are asked for."""


def run_frames(run: RunData, error: float, prior: float = DEFAULT_PRIOR, whole: bool = True) -> dict[str, pd.DataFrame]:
    """The frames of all TITLES, without BY_OPPONENT for a large field that is not wanted `whole`.

    StatsError if the run has no games.

    `error` is the 95 % error in Elo for which `pairings` says how many pairs are still needed.
    """
    games = run.games
    if not len(games):
        raise StatsError(f"{run.name}: no games yet")
    small = games.filter(["pairing", "first", "second", "score", "deal"])
    rated = rate_run(small, prior, run.joint)
    makers: dict[str, Callable[[], pd.DataFrame]] = {
        "ratings": lambda: ratings_frame(rated),
        "scores": lambda: scores(games),
        "pairings": lambda: pairings_frame(small, error),
        "los": lambda: superiority_frame(rated),
        "first_player": lambda: first_player_score(games),
        "first_player_by_bot": lambda: first_player_score(games, by=["bot"]),
        "length": lambda: game_length(games),
        "length_by_bot": lambda: game_length(games, by=["bot"]),
        "length_by_opponent": lambda: game_length(games, by=["bot", "opponent"]),
        "length_histogram": lambda: length_histogram(games),
        "points_by_bot": lambda: stones_and_points(games),
        "points_by_opponent": lambda: stones_and_points(games, by=["bot", "opponent"]),
        "endings": lambda: endings(games),
        "endings_by_bot": lambda: endings(games, by=["bot"]),
        "endings_by_opponent": lambda: endings(games, by=["bot", "opponent"]),
        "terminations": lambda: terminations(games),
        "forfeits": lambda: forfeits(games),
        "time": lambda: time_frame(run),
        "time_by_opponent": lambda: thinking_time(games, by=["bot", "opponent"]),
    }
    rank = {bot: at for at, bot in enumerate(rated.bots)}
    left_out = () if whole or not is_large(run) else BY_OPPONENT
    with seats_kept(games):
        return {name: _by_rank(make(), rank) for name, make in makers.items() if name not in left_out}


def _by_rank(frame: pd.DataFrame, rank: dict[str, int]) -> pd.DataFrame:
    """Rows in the order of the ratings; names as plain strings."""
    names = [column for column in ("bot", "opponent") if column in frame.columns]
    if not names:
        return frame
    frame = frame.astype(dict.fromkeys(names, object))
    places = pd.DataFrame({name: frame[name].map(rank) for name in names})
    return frame.loc[places.sort_values(names, kind="stable").index].reset_index(drop=True)


def pairings_frame(games: pd.DataFrame, error: float) -> pd.DataFrame:
    """A row for each bot and opponent that met: the score, and what their pairs say.

    Columns: bot, opponent, games, wins, draws, losses, score, unit ("pairs", or "games" where there are no pairs),
    units, flag, elo, elo_error95, elo_low, elo_high, normalized_elo, los, units_needed: how many more pairs (games)
    bring elo_error95 down to `error`, missing where that is unknown. Where every game was won (flag '>') or lost
    ('<') there is only the bound, in elo_low or elo_high.
    """
    table = crosstable(games)
    all_counts = []
    seen: dict[tuple[str, str], tuple[int, ...]] = {}
    for bot, opponent in zip(table["bot"].astype(str), table["opponent"].astype(str)):
        if (opponent, bot) in seen:
            all_counts.append(seen[opponent, bot][::-1])
            continue
        met = games[
            ((games["first"] == bot) & (games["second"] == opponent))
            | ((games["first"] == opponent) & (games["second"] == bot))
        ]
        seen[bot, opponent] = counts_between(met, bot, opponent)
        all_counts.append(seen[bot, opponent])
    by_counts: dict[tuple[int, ...], HeadToHead] = {}
    for cells in (3, 5):
        alike = [counts for counts in all_counts if len(counts) == cells]
        by_counts |= dict(zip(alike, heads_to_heads(alike), strict=True))
    needed_by_counts = {counts: units_needed(counts, error) for counts in by_counts}
    rows = [_estimate(by_counts[counts]) for counts in all_counts]
    needed = [needed_by_counts[counts] for counts in all_counts]
    found = pd.concat([table.reset_index(drop=True), pd.DataFrame(rows)], axis=1)
    found["units_needed"] = pd.array(needed, dtype="Int64")
    return found


def _estimate(head: HeadToHead) -> dict[str, Any]:
    """Missing instead of infinite: a shut-out has a bound at one end, and no estimate."""
    names = ("elo", "elo_error95", "elo_low", "elo_high", "normalized_elo", "los")
    figures = {name: float(getattr(head, name)) for name in names}
    known = {name: value if math.isfinite(value) else math.nan for name, value in figures.items()}
    return {"unit": head.unit, "units": head.units, "flag": head.flag, **known}


def superiority_frame(rated: Ratings) -> pd.DataFrame:
    """A row for each bot and opponent: elo_difference, elo_difference_error95 and los, from the ratings.

    los is the likelihood that `bot` is stronger; what moves both ratings together cancels out.
    """
    likely = rated.los().to_numpy()
    rows = []
    for i, bot in enumerate(rated.bots):
        for j, opponent in enumerate(rated.bots):
            if i != j:
                gap, error = rated.difference(bot, opponent)
                rows.append((bot, opponent, gap, error, float(likely[i, j])))
    return pd.DataFrame(rows, columns=["bot", "opponent", "elo_difference", "elo_difference_error95", "los"])


def time_frame(run: RunData) -> pd.DataFrame:
    """Thinking time of each bot in ms a decision: bot, decisions, ms_mean, ms_p50, ms_p99, ms_max, ms_total."""
    rows = [
        (
            time.bot,
            time.decisions,
            *(_known(ms, time.decisions) for ms in (time.mean_ms, time.p50_ms, time.p99_ms, time.max_ms)),
            time.total_ms,
        )
        for time in run.times
    ]
    return pd.DataFrame(rows, columns=["bot", "decisions", "ms_mean", "ms_p50", "ms_p99", "ms_max", "ms_total"])


def losses_table(found: RunLosses, games: int) -> Table:
    """What the moves of each bot lost on average, out of so many games of the run."""
    heads = ["bot", "games", "decisions", "loss_percent", "loss_percent_error95", "blunders_a_game"]
    rows = [
        (bot, one.games, one.decisions, 100 * one.mean, 100 * one.error95, one.blunders / max(one.games, 1))
        for bot, one in sorted_bots(found).items()
    ]
    some = f" From {found.games:,} of {games:,} games: 'arena analyse' reads the others."
    part = "" if found.games >= games else some
    note = (
        f"Parts of the chance to win, in %, that a move gave away, judged by {found.judge}; a blunder gives away 10 or"
        f" more.{part}"
    )
    return table_of("losses", "Average loss a move", pd.DataFrame(rows, columns=heads), note)


def _known(value: float, decisions: int) -> float:
    return value if decisions else math.nan


def stats_report(run: RunData, error: float, prior: float = DEFAULT_PRIOR, whole: bool = False) -> Report:
    """The frames as tables, those without rows left out. `whole` as in run_frames.

    StatsError if the run has no games.
    """
    notes = {
        "pairings": "Units needed: how many more pairs (or games, where there are none) bring the 95 % error down to"
        f" {error:g} Elo, if they fall as those so far; '-' where all fell alike."
        " Elo with its 95 % interval; where every game was won or lost there is only a bound.",
        "endings_by_bot": "Shares of a bot's wins (and of games that nobody won).",
        "terminations": "normal: games that this bot did not forfeit.",
    }
    tables = [
        table_of(name, TITLES[name], frame, notes.get(name, ""), people=_for_people(name, frame))
        for name, frame in run_frames(run, error, prior, whole).items()
        if len(frame)
    ]
    if run.losses is not None:
        tables.append(losses_table(run.losses, len(run.games)))
    values = {"name": run.name, "games_played": len(run.games), "error": error}
    remarks = ["More tables: --csv DIR or --json."]
    if is_large(run) and not whole:
        remarks.append(f"More than {LARGE_FIELD} bots: tables by opponent only with --all.")
    return Report(heading(run), cut(tables, run, whole), remarks, values=lambda: values | figures(tables))


def _for_people(name: str, frame: pd.DataFrame) -> pd.DataFrame:
    if name in ONLY_IN_FILES:
        return pd.DataFrame()
    return frame.filter(_SHOWN[name]) if name in _SHOWN else frame
