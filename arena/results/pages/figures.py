"""Compute what the plots and squares of a report show, with the functions of `arena.stats`."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from statistics import mean
from typing import TYPE_CHECKING

import numpy as np

from arena.endings import ENDINGS
from arena.errors import ArenaError, did_you_mean
from arena.game.rules import load_rules
from arena.results import PLOT_KINDS
from arena.results.pages.plots import MOST_LINES, Bars, Cell, Dot, Dots, Lines, Plot, Square
from arena.results.positions import plays_frame
from arena.results.run_data import RunData
from arena.results.run_standings import RunStandings, rate_run, standings
from arena.results.sources import Source, StoredComparison
from arena.results.table import Report, percent, rating_text
from arena.results.variant_report import comparison, read_variants
from arena.results.words import heading
from arena.stats.field import first_player_score, length_histogram, scores
from arena.stats.frames import StatsError, games_of
from arena.stats.variants import card_effects, first_minus_second
from arena.text import one_line

if TYPE_CHECKING:
    import pandas as pd

LARGEST_SQUARE = 60
"""The most bots of a crosstable."""
CARD_GAMES = 20_000
"""The most games whose records are read for the tactic cards."""
CHECKPOINTS = 10
MOST_DOTS = 100
"""The most bots whose ratings are plotted."""
MOST_PROGRESS = 200
"""The most bots whose ratings are fitted repeatedly."""
_PAIRED = ("round-robin", "gauntlet", "match")
_NEEDS = {
    "crosstable": f"at most {LARGEST_SQUARE} bots; more would be unreadable",
    "progress": f"at most {MOST_PROGRESS} bots, and not for the first few games",
    "history": "versions of a bot, such as bots/mybot.py@last-8",
    "variants": "comparisons (arena compare); of a run: standings, crosstable, progress, lengths, history",
}
"""What a plot that cannot be made of a run is for."""


def panel_of(run: RunData, kind: str) -> dict[str, Plot]:
    """Plot a run by a name in KINDS, by title. Raise StatsError if there is nothing to show."""
    if kind not in PLOT_KINDS:
        raise StatsError(f"{run.name}: no plot '{kind}'{did_you_mean(kind, PLOT_KINDS)}")
    if not len(run.games):
        raise StatsError(f"{run.name}: no games yet")
    makers: dict[str, Callable[[], Plot | None]] = {
        "standings": lambda: rating_plot(standings(run)),
        "crosstable": lambda: heat(run.games, [row["bot"] for row in standings(run).rows]),
        "progress": lambda: progress_plot(run),
        "lengths": lambda: length_plot(length_histogram(run.games)),
        "history": lambda: history_plot(standings(run)),
    }
    plot = makers[kind]() if kind in makers else None
    if plot is None:
        raise StatsError(f"{run.name}: '{kind}' is for {_NEEDS[kind]}")
    return {f"{PLOT_KINDS[kind]}\n{heading(run)}": plot}


def panels_of(source: Source, kind: str) -> dict[str, Plot]:
    """Plot a source, by title; for a comparison, each variant, or all of them in one plot for `variants`."""
    parts = source.parts().values()
    if kind == "variants" and isinstance(source, StoredComparison):
        report = comparison(read_variants([part.path for part in parts], 0))
        return {f"{PLOT_KINDS[kind]}\n{report.heading}": rates_plot(report)}
    panels = [panel_of(part.data(), kind) for part in parts]
    return {title: plot for panel in panels for title, plot in panel.items()}


def history_plot(run_standings: RunStandings) -> Dots | None:
    """Plot ratings by commit, the oldest first and what is not committed last; None without versions."""
    labels = {bot: known for bot, known in run_standings.run.labels.items() if "commit" in known}
    order = sorted(labels, key=lambda bot: (not labels[bot]["commit"], labels[bot]["date"]))
    rows = {row["bot"]: row for row in run_standings.rows}
    named = [
        dict(rows[bot], bot=one_line(f"{labels[bot]['commit'][:7] or 'changed'} {labels[bot]['subject']}").rstrip())
        for bot in order
        if bot in rows
    ]
    return rating_plot(replace(run_standings, rows=named)) if len(named) > 1 else None


def rating_plot(run_standings: RunStandings) -> Dots:
    """Plot ratings with their 95% intervals, first place first."""
    rows = []
    for row in run_standings.rows[:MOST_DOTS]:
        elo, minus, plus = row["elo"], row["elo_minus"], row["elo_plus"]
        low, high = (end if math.isfinite(end) else None for end in (elo - minus, elo + plus))
        if not math.isnan(elo):
            tip = f"{row['bot']}: {rating_text(elo, plus, minus)} Elo, {row['games']} games"
            rows.append(Dot(row["bot"], elo, low, high, tip))
    return Dots(rows, _some("Elo", len(rows), len(run_standings.rows)), 0.0)


def _some(axis: str, drawn: int, every: int) -> str:
    """Return the name of an axis, with how many bots are drawn if they are not all.

    >>> _some("Elo", 5, 5), _some("Elo", 100, 250)
    ('Elo', 'Elo of the first 100 of 250 bots')
    """
    return axis if drawn == every else f"{axis} of the first {drawn} of {every} bots"


def rates_plot(report: Report) -> Dots:
    """Plot win rates by variant with their intervals."""
    rates = next(table.rows for table in report.tables if table.name == "win_rates")
    scores_by_bot: dict[str, list[float]] = {}
    for row in rates:
        scores_by_bot.setdefault(row["bot"], []).append(row["score"])
    best_first = sorted(rates, key=lambda row: -mean(scores_by_bot[row["bot"]]))
    dots = []
    for row in best_first:
        label, basis = f"{row['bot']}, {row['variant']}", f", {row['games']} games"
        dots.append(_dot(label, row["score"], row["score_low"], row["score_high"], percent, basis))
    return Dots(dots, "score in %", 50.0, len({row["variant"] for row in rates}))


def _dot(label: str, share: float, low: float, high: float, text: Callable[[float], str], basis: str = "") -> Dot:
    """Return a share with its interval, in %; `text` words each, and `basis` says what it is based on."""
    tip = f"{label}: {text(share)}%"
    if not (math.isfinite(low) and math.isfinite(high)):
        return Dot(label, 100 * share, None, None, tip + basis)
    tip += f" ({text(low)} .. {text(high)})"
    return Dot(label, 100 * share, 100 * low, 100 * high, tip + basis)


def heat(games: pd.DataFrame, order: Sequence[str]) -> Square | None:
    """Return the crosstable, None for too many bots."""
    if len(order) > LARGEST_SQUARE:
        return None
    met = scores(games.filter(["first", "second", "score", "deal_seed", "deal"]), by=["bot", "opponent"])
    cells: dict[tuple[str, str], Cell] = {}
    for row in met.to_dict("records"):
        bot, other = str(row["bot"]), str(row["opponent"])
        low, high = float(row["score_low"]), float(row["score_high"])
        small = "" if math.isnan(low) else f"{percent(low)} .. {percent(high)}"
        counts = f"{row['wins']}-{row['draws']}-{row['losses']}"
        between = f" ({small})" if small else ""
        tip = f"{bot} against {other}: {percent(row['score'])}%{between}, W-D-L {counts}"
        cells[bot, other] = Cell(percent(row["score"]), small, _heat(float(row["score"])), tip)
    return Square("Crosstable", order, [[cells.get((bot, other)) for other in order] for bot in order])


def _heat(share: float) -> int:
    return min(max(round(8 * share), 0), 8)


def progress_plot(run: RunData, prior: float | None = None) -> Lines | None:
    """Plot ratings after more and more games, in the order of the deals if pairings share them."""
    games = run.games.filter(["pairing", "first", "second", "score", "deal_seed", "deal"])
    if len(run.bots) > MOST_PROGRESS:
        return None
    if run.config.get("format") in _PAIRED:
        games = games.sort_values("deal", kind="stable")
    sizes, ratings = [], []
    for part in range(1, CHECKPOINTS + 1):
        size = len(games) * part // CHECKPOINTS
        try:
            rated = rate_run(run, games_of(games.iloc[:size]), prior).frame().set_index("bot")
        except StatsError:
            continue
        sizes.append(size)
        ratings.append(rated)
    if len(sizes) < 2:
        return None
    names = list(ratings[-1]["elo"].sort_values(ascending=False).index[:MOST_LINES])
    values, plus, minus = (
        [[float(rated[column].get(name, math.nan)) for rated in ratings] for name in names]
        for column in ("elo", "elo_plus", "elo_minus")
    )
    bands = [[(elo - down, elo + up) for elo, up, down in zip(*line, strict=True)] for line in zip(values, plus, minus)]
    axis = _some("Elo", len(names), len(ratings[-1]))
    return Lines([str(name) for name in names], sizes, values, "games", axis, bands)


def length_plot(histogram: pd.DataFrame) -> Bars:
    """Plot how many games took how many turns, in at most 60 bars."""
    turns, games = histogram["turns"].to_numpy(), histogram["games"].to_numpy()
    width = max(1, math.ceil((int(turns.max()) - int(turns.min()) + 1) / 60))
    low = int(turns.min()) // width * width
    counts = np.zeros((int(turns.max()) - low) // width + 1, np.int64)
    np.add.at(counts, (turns - low) // width, games)
    bars = []
    for start, count in zip(range(low, int(turns.max()) + 1, width), counts.tolist()):
        label = str(start) if width == 1 else f"{start}-{start + width - 1}"
        bars.append((str(start), count, f"{label} turns: {count} games"))
    return Bars(bars, "turns", "games")


def first_plot(games: pd.DataFrame, order: Sequence[str]) -> Dots:
    """Plot the score as first minus the score as second player, of all and of each bot."""
    used = games.filter(["first", "second", "score", "deal_seed", "deal"])
    (whole,) = first_player_score(used).to_dict("records")
    gap, low, high = (2 * whole[name] - 1 for name in ("score", "score_low", "score_high"))
    rows = [_dot("all", gap, low, high, _signed)]
    if len(order) <= MOST_DOTS:
        gaps = {str(row["bot"]): row for row in first_minus_second(used).to_dict("records")}
        for row in (gaps[bot] for bot in order if bot in gaps):
            rows.append(_dot(row["bot"], row["difference"], row["low"], row["high"], _signed))
    return Dots(rows, "score as first minus as second, in %", 0.0)


def _signed(share: float) -> str:
    return f"{100 * share:+z.1f}"


def endings_plot(games: pd.DataFrame) -> Bars:
    """Plot how many games ended in which way."""
    counts = games["ending"].value_counts()
    rows = [(name, int(counts[name])) for name in ENDINGS if counts.get(name)]
    return Bars(
        [(name, number, f"{name}: {percent(number / len(games))}%, {number} games") for name, number in rows],
        "ending",
        "games",
    )


def cards_plot(effects: pd.DataFrame) -> Dots:
    """Plot the score of the sides that played each card."""
    rows = []
    for row in effects.to_dict("records"):
        if not math.isnan(row["score"]):
            basis = f" for {row['sides']} sides that played it"
            rows.append(_dot(row["card"], row["score"], row["score_low"], row["score_high"], percent, basis))
    return Dots(rows, "score in %", 50.0)


def card_frames(source: Source, run: RunData) -> tuple[pd.DataFrame | None, list[str]]:
    """Return how often tactic cards were played and won, and notes about the sample; None without tactics."""
    try:
        rules = load_rules(str(run.config.get("rules")))
    except ArenaError:  # records of several rule sets
        return None, []
    if not rules.tactics:
        return None, []
    with source.games(counting=True) as games:
        sample, note = games.spaced(CARD_GAMES)
        frame = plays_frame(sample, rules)
    effects = card_effects(frame.assign(variant="")).drop(columns="variant")
    return effects, [note] if note else []
