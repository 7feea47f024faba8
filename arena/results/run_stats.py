"""Make all statistics of a run: the tables of `arena standings --all`, and the frames of a notebook."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from arena.results.run_data import RunData
from arena.results.run_standings import LARGE_FIELD, is_large, rate_run
from arena.results.standings_report import cut, run_report
from arena.results.table import Report, Table, plain, table_of
from arena.results.words import fit_sentence, stop_line
from arena.stats.field import (
    endings,
    first_player_score,
    forfeits,
    game_length,
    scores,
    stones_and_points,
    terminations,
)
from arena.stats.frames import GameArrays, StatsError, by_seat, cross_columns
from arena.stats.pairs import HeadToHead, counts_between, heads_to_heads, units_needed
from arena.stats.ratings import Ratings, misfit_p_value

if TYPE_CHECKING:
    import pandas as pd


MANY_BOTS = 30
"""The number of bots from which on tables with a row for each two are in files only."""
MOST_OPPONENTS = 200
"""The most bots with tables that have a row for each two: they take half a minute, and a gigabyte in JSON."""


@dataclass(frozen=True)
class RatedRun:
    """A run with its games by seat and its ratings.

    error   the 95% error in Elo that `pairings` counts towards
    """

    run: RunData
    seats: pd.DataFrame
    games: GameArrays
    rated: Ratings
    error: float


@dataclass(frozen=True)
class Statistic:
    """A table of every run.

    name         its CSV file and its key in JSON
    make         makes its frame
    hidden       columns that are in CSV and JSON only
    by_opponent  it has a row for each two bots: for a large field it is made only on request
    note         a sentence below it
    fixed_size   it compares two bots as if the number of games had been fixed: a stopped test has no such table
    """

    name: str
    title: str
    make: Callable[[RatedRun], pd.DataFrame]
    hidden: tuple[str, ...] = ()
    by_opponent: bool = False
    note: str = ""
    fixed_size: bool = False


def _by(make: Callable[..., pd.DataFrame], *columns: str) -> Callable[[RatedRun], pd.DataFrame]:
    """Return a function that applies one of arena.stats.field to the games, grouped by columns."""
    return lambda of: make(of.seats, by=columns)


_PLIES = ("plies_sd", "plies_min", "plies_p10", "plies_p50", "plies_p90", "plies_max")
_PAIRINGS_NOTE = (
    "Units needed: how many more pairs (or games, if there are no pairs) bring the 95% error down to {error:g} Elo if"
    " they go like those so far; '-' if all went alike. Elo has its 95% interval; if every game was won or lost, there"
    " is only a bound."
)
_WINS_NOTE = "Shares of a bot's wins (and of games that nobody won)."
_POINTS = "Stones and match points per game"

STATISTICS = (
    Statistic("ratings", "Ratings", lambda of: of.rated.frame(), hidden=("elo_error95",)),
    Statistic("scores", "Score by bot, with 95% intervals clustered by deal", _by(scores, "bot")),
    Statistic(
        "pairings",
        "Bot against opponent",
        lambda of: pairings_frame(of.run.columns.games(), of.error),
        hidden=("flag", "elo_error95", "normalized_elo"),
        by_opponent=True,
        note=_PAIRINGS_NOTE,
        fixed_size=True,
    ),
    Statistic(
        "los",
        "How much stronger, and how surely (from the ratings)",
        lambda of: superiority_frame(of.rated),
        by_opponent=True,
        fixed_size=True,
    ),
    Statistic("first_player", "Score of the player who moves first", _by(first_player_score)),
    Statistic("length", "Length of games", _by(game_length), hidden=_PLIES),
    Statistic("points_by_bot", f"{_POINTS} (5 points for a win, otherwise the stones)", _by(stones_and_points, "bot")),
    Statistic("endings", "How games ended", _by(endings)),
    Statistic("endings_by_bot", "How each bot won", _by(endings, "bot"), note=_WINS_NOTE),
    Statistic(
        "terminations",
        "Games that each bot forfeited, by kind",
        lambda of: terminations(of.seats),
        note="normal: games that this bot did not forfeit.",
    ),
    Statistic("forfeits_by_opponent", "Forfeits by bot and opponent", lambda of: forfeits(of.seats)),
    Statistic("time", "Thinking time in ms per decision", lambda of: time_frame(of.run)),
)
"""The tables of a run in their order. A new one needs only an entry here."""


def run_frames(run: RunData, error: float, prior: float | None = None, whole: bool = True) -> dict[str, pd.DataFrame]:
    """Return the frames of all STATISTICS by name; for a large field those by opponent only if `whole`, if at all.

    `error` is the 95% error in Elo for which `pairings` says how many pairs are still needed. Raise StatsError if
    the run has no games.
    """
    return _frames(rated_run(run, error, prior), whole)


def rated_run(run: RunData, error: float, prior: float | None) -> RatedRun:
    """Rate a run. Raise StatsError if it has no games."""
    if not len(run.games):
        raise StatsError(f"{run.name}: no games yet")
    games = run.columns.games()
    return RatedRun(run, by_seat(run.games), games, rate_run(run, games, prior), error)


def _frames(rated: RatedRun, whole: bool) -> dict[str, pd.DataFrame]:
    rank = {bot: index for index, bot in enumerate(rated.rated.bots)}
    return {
        statistic.name: _by_rank(statistic.make(rated), rank)
        for statistic in STATISTICS
        if (not statistic.by_opponent or _has_opponents(rated.run, whole))
        and not (statistic.fixed_size and rated.run.is_stopped)
    }


def _has_opponents(run: RunData, whole: bool) -> bool:
    return len(run.bots) <= MOST_OPPONENTS if whole else not is_large(run)


def _by_rank(frame: pd.DataFrame, rank: dict[str, int]) -> pd.DataFrame:
    """Order rows as in the ratings, with names as plain strings."""
    import pandas as pd  # slow to load

    names = [column for column in ("bot", "opponent") if column in frame.columns]
    if not names:
        return frame
    frame = frame.astype(dict.fromkeys(names, object))
    ranks = pd.DataFrame({name: frame[name].map(rank) for name in names})
    return frame.loc[ranks.sort_values(names, kind="stable").index].reset_index(drop=True)


def pairings_frame(games: GameArrays, error: float) -> pd.DataFrame:
    """Return a row for each bot and opponent that met: the score, and the figures of their pairs.

    Columns: bot, opponent, games, wins, draws, losses, score, unit ("pairs", or "games" where there are no pairs),
    units, flag, elo, elo_error95, elo_low, elo_high, normalized_elo, los, units_needed: how many more pairs (games)
    bring elo_error95 down to `error`, missing if that is unknown. If every game was won (flag '>') or lost ('<'), there
    is only the bound, in elo_low or elo_high.
    """
    import pandas as pd  # slow to load

    table = pd.DataFrame(cross_columns(games))
    for name in ("bot", "opponent"):
        table[name] = np.array(games.bots, dtype=object)[table[name]]
    all_counts = []
    seen: dict[tuple[str, str], tuple[int, ...]] = {}
    for bot, opponent in zip(table["bot"], table["opponent"]):
        if (opponent, bot) in seen:
            all_counts.append(seen[opponent, bot][::-1])
            continue
        seen[bot, opponent] = counts_between(games, bot, opponent)
        all_counts.append(seen[bot, opponent])
    by_counts: dict[tuple[int, ...], HeadToHead] = {}
    for cells in (3, 5):
        alike = [counts for counts in all_counts if len(counts) == cells]
        by_counts |= dict(zip(alike, heads_to_heads(alike), strict=True))
    needed_by_counts = {counts: units_needed(counts, error) for counts in by_counts}
    rows = [_estimate(by_counts[counts]) for counts in all_counts]
    needed = [needed_by_counts[counts] for counts in all_counts]
    frame = pd.concat([table, pd.DataFrame(rows)], axis=1)
    frame["units_needed"] = pd.array(needed, dtype="Int64")
    return frame


def _estimate(head: HeadToHead) -> dict[str, Any]:
    """Return the figures of a pairing, missing instead of infinite: a shut-out has a bound at one end only."""
    names = ("elo", "elo_error95", "elo_low", "elo_high", "normalized_elo", "los")
    figures = {name: float(getattr(head, name)) for name in names}
    known = {name: value if math.isfinite(value) else math.nan for name, value in figures.items()}
    return {"unit": head.unit, "units": head.units, "flag": head.flag, **known}


SUPERIORITY_COLUMNS = ["bot", "opponent", "elo_difference", "elo_difference_plus", "elo_difference_minus", "los"]


def superiority_frame(rated: Ratings) -> pd.DataFrame:
    """Return a row for each bot and opponent: elo_difference, elo_difference_plus, ..._minus and los, from the ratings.

    los is the likelihood that `bot` is stronger; what moves both ratings together cancels out.
    """
    import pandas as pd  # slow to load

    likely = rated.los()
    rows = [
        (bot, opponent, gap.elo, gap.plus, gap.minus, likely.at[bot, opponent])
        for (bot, opponent), gap in rated.all_differences().items()
    ]
    return pd.DataFrame(rows, columns=SUPERIORITY_COLUMNS)


def time_frame(run: RunData) -> pd.DataFrame:
    """Return each bot's thinking time in ms per decision: bot, decisions, ms_mean, ms_p50, ms_p99, ms_max, ms_total."""
    import pandas as pd  # slow to load

    rows = []
    for time in run.columns.thinking:
        *figures, total = time.measures().values()
        rows.append((time.bot, time.decisions, *(ms if time.decisions else math.nan for ms in figures), total))
    return pd.DataFrame(rows, columns=["bot", "decisions", "ms_mean", "ms_p50", "ms_p99", "ms_max", "ms_total"])


def stats_report(run: RunData, error: float, prior: float | None = None, whole: bool = False) -> Report:
    """Return the frames with rows as tables. `whole` as in run_frames. Raise StatsError if the run has no games."""
    rated = rated_run(run, error, prior)
    frames = _frames(rated, whole)
    tables = [
        _table(statistic, frames[statistic.name], error, len(run.bots))
        for statistic in STATISTICS
        if statistic.name in frames and len(frames[statistic.name])
    ]
    p_value = misfit_p_value(rated.games, rated.rated)
    remarks = [] if p_value is None else [fit_sentence(p_value)]
    if run.is_stopped:
        remarks.insert(0, stop_line(run))
    remarks.append("More tables: --csv DIR or --json.")
    if len(run.bots) > MOST_OPPONENTS:
        remarks.append(f"With more than {MOST_OPPONENTS} bots there are no tables by opponent; --only chooses bots.")
    elif not _has_opponents(run, whole):
        remarks.append(f"With more than {LARGE_FIELD} bots, tables by opponent are made for files only.")
    return run_report(run, cut(tables, run), remarks, error=error, misfit_p_value=plain(p_value))


def _table(statistic: Statistic, frame: pd.DataFrame, error: float, bots: int) -> Table:
    is_hidden = statistic.by_opponent and bots >= MANY_BOTS
    shown = [] if is_hidden else [name for name in frame.columns if name not in statistic.hidden]
    return table_of(statistic.name, statistic.title, frame, statistic.note.format(error=error), columns=shown)
