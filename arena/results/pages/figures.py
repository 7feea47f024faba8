"""What the plots and squares of a report show: figures of the run, from the functions of `arena.stats`."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from arena.endings import ENDINGS, FORFEITS
from arena.errors import ArenaError
from arena.game.rules import load_rules
from arena.results.compare import comparison, read_variants
from arena.results.comparison import variant_folders
from arena.results.moves import plays_frame, spaced
from arena.results.pages.plots import MOST_LINES, Bar, Bars, Cell, Dot, Dots, Lines, Plot, Square, Stacks
from arena.results.run import RunData
from arena.results.sources import COMPARISON, DATABASE, find, games_of, run_data
from arena.results.standings import RunStandings, rate_run, standings
from arena.results.table import Report, likelihood, number, percent, rating_text
from arena.stats.field import first_player_score, length_histogram, scores
from arena.stats.frames import StatsError
from arena.stats.ratings import DEFAULT_PRIOR
from arena.stats.variants import card_effects
from arena.text import one_line
from arena.tournament.games import bucket_ms

LARGEST_SQUARE = 40
"""Bots beyond which a square could not be read."""
CARD_GAMES = 20_000
"""Games of which the records are read for the tactic cards."""
CHECKPOINTS = 10
MOST_DOTS = 100
"""Bots of which the rating is plotted."""
MOST_PROGRESS = 200
"""Bots beyond which ratings are fitted once only."""
_PAIRED = ("round-robin", "gauntlet", "match")


def plot_of(run: RunData, kind: str, prior: float = DEFAULT_PRIOR) -> Plot:
    """A plot of a run by its name in KINDS. StatsError where there is nothing to show."""
    if not len(run.games):
        raise StatsError(f"{run.name}: no games yet")
    plot: Plot | None = None
    if kind == "standings":
        plot = rating_plot(standings(run, prior))
    elif kind == "crosstable":
        if (plot := heat(run.games, [str(bot) for bot in standings(run, prior).table["bot"]])) is None:
            raise StatsError(f"{run.name}: a crosstable of more than {LARGEST_SQUARE} bots could not be read")
    elif kind == "progress":
        if (plot := progress_plot(run, prior)) is None:
            raise StatsError(f"{run.name}: too few games, or too many bots, for a plot of {kind}")
    elif kind == "lengths":
        plot = length_plot(length_histogram(run.games))
    if plot is None:
        raise StatsError(
            f"{run.name}: '{kind}' is for comparisons (arena compare); of a run: standings, crosstable, "
            "progress, lengths"
        )
    return plot


def panels_of(source: str, kind: str, prior: float = DEFAULT_PRIOR) -> dict[str, Plot]:
    """A plot of what `source` names, by its title; of a comparison one for each variant, unless it is of them all."""
    stored, folder = find(source)
    if stored != COMPARISON:
        return {"": plot_of(run_data(stored, folder), kind, prior)}
    folders = variant_folders(folder)
    if kind == "variants":
        return {"": rates_plot(comparison(read_variants(list(folders.values()), 0)))}
    return {rules: plot_of(run_data(DATABASE, folder), kind, prior) for rules, folder in folders.items()}


def rating_plot(run_standings: RunStandings) -> Dots:
    """Ratings with their 95% errors, first place first; of a bot with no more than a bound an open interval."""
    rows = []
    for row in run_standings.rows[:MOST_DOTS]:
        elo, error, bound = row["elo"], row["elo_error95"], row["elo_bound"]
        low, high = {">": (bound, None), "<": (None, bound)}.get(
            row["flag"], (None, None) if math.isnan(error) else (elo - error, elo + error)
        )
        if row["flag"] != "?":
            rows.append(Dot(row["bot"], elo, low, high, f"{row['bot']}: {rating_text(row)} Elo, {row['games']} games"))
    return Dots(rows, "Elo", 0.0)


def rates_plot(report: Report) -> Dots:
    """Win rates by variant with their intervals."""
    frame = next(table.data for table in report.tables if table.name == "win_rates")
    best = frame.groupby("bot", sort=False)["score"].transform("mean")
    rows = []
    for row in frame.iloc[(-best).argsort(kind="stable")].to_dict("records"):
        rows.append(_score_dot(f"{row['bot']}, {row['variant']}", row, f", {row['games']} games"))
    return Dots(rows, "score in %", 50.0, frame["variant"].nunique())


def _score_dot(label: str, row: Mapping[Any, Any], basis: str) -> Dot:
    """A score with its interval, in %; `basis` says what it is of."""
    score, low, high = (float(row[name]) for name in ("score", "score_low", "score_high"))
    tip = f"{label}: {percent(score)}%"
    if not (math.isfinite(low) and math.isfinite(high)):
        return Dot(label, 100 * score, None, None, tip + basis)
    tip += f" ({percent(low)} .. {percent(high)})"
    return Dot(label, 100 * score, 100 * low, 100 * high, tip + basis)


def heat(games: pd.DataFrame, order: Sequence[str]) -> Square | None:
    """The crosstable; None with too many bots."""
    if len(order) > LARGEST_SQUARE:
        return None
    met = scores(games.filter(["first", "second", "score", "deal"]), by=["bot", "opponent"])
    cells: dict[tuple[str, str], Cell] = {}
    for row in met.to_dict("records"):
        bot, other = str(row["bot"]), str(row["opponent"])
        low, high = float(row["score_low"]), float(row["score_high"])
        small = "" if math.isnan(low) else f"{percent(low)} .. {percent(high)}"
        counts = f"{row['wins']}-{row['draws']}-{row['losses']}"
        between = f" ({small})" if small else ""
        tip = f"{bot} against {other}: {percent(row['score'])}%{between}, W-D-L {counts}"
        cells[bot, other] = Cell(percent(row["score"]), small, _heat(float(row["score"])), tip)
    return _square("Crosstable", order, cells)


def los_square(frame: pd.DataFrame, order: Sequence[str]) -> Square:
    """How surely each bot is stronger than each other."""
    cells = {}
    for row in frame.to_dict("records"):
        bot, other, los = str(row["bot"]), str(row["opponent"]), float(row["los"])
        gap, error = float(row["elo_difference"]), float(row["elo_difference_error95"])
        small = "" if math.isnan(gap) else f"{gap:+z.0f} ± {number(error, 0, '?')}"
        tip = f"{bot} against {other}: stronger with a likelihood of {likelihood(los)}%, {small or '?'} Elo"
        cells[bot, other] = Cell(likelihood(los), small, 4 if math.isnan(los) else _heat(los), tip)
    return _square("Head to head", order, cells)


def _square(caption: str, order: Sequence[str], cells: dict[tuple[str, str], Cell]) -> Square:
    return Square(caption, order, [[cells.get((bot, other)) for other in order] for bot in order])


def _heat(share: float) -> int:
    return min(max(round(8 * share), 0), 8)


def progress_plot(run: RunData, prior: float) -> Lines | None:
    """Ratings after more and more games; of a format whose pairings share deals, in the order of the deals."""
    games = run.games.filter(["pairing", "first", "second", "score", "deal"])
    if len(run.bots) > MOST_PROGRESS:
        return None
    if run.config.get("format") in _PAIRED:
        games = games.sort_values("deal", kind="stable")
    sizes, ratings = [], []
    for part in range(1, CHECKPOINTS + 1):
        size = len(games) * part // CHECKPOINTS
        try:
            rated = rate_run(games.iloc[:size], prior).frame().set_index("bot")["elo"]
        except StatsError:
            continue
        sizes.append(size)
        ratings.append(rated)
    if len(sizes) < 2:
        return None
    names = list(ratings[-1].sort_values(ascending=False).index[:MOST_LINES])
    values = [[float(rated.get(name, math.nan)) for rated in ratings] for name in names]
    if not any(math.isfinite(value) for line in values for value in line):  # one bot won every game
        return None
    return Lines([str(name) for name in names], sizes, values, "games", "Elo")


def length_plot(histogram: pd.DataFrame) -> Bars:
    """How many games took how many turns, in at most 60 bars."""
    turns, games = histogram["turns"].to_numpy(), histogram["games"].to_numpy()
    width = max(1, math.ceil((int(turns.max()) - int(turns.min()) + 1) / 60))
    low = int(turns.min()) // width * width
    counts = np.zeros((int(turns.max()) - low) // width + 1, np.int64)
    np.add.at(counts, (turns - low) // width, games)
    bars = []
    for start, count in zip(range(low, int(turns.max()) + 1, width), counts.tolist()):
        label = str(start) if width == 1 else f"{start}-{start + width - 1}"
        bars.append(Bar(str(start), count, f"{label} turns: {count} games"))
    return Bars(bars, "turns", "games")


def times_plots(run: RunData) -> list[Bars]:
    """Thinking times of each bot on one axis, a bar for each factor of two."""
    sums = {
        bot: np.add.reduceat(np.asarray(counts, np.int64), range(0, len(counts), 4))
        for bot, counts in [(time.bot, time.counts) for time in run.times[:LARGEST_SQUARE]]
    }
    sums = {bot: counts for bot, counts in sums.items() if counts.any()}
    known = np.flatnonzero(sum(sums.values()))
    made = []
    for bot, counts in sums.items():
        bars = []
        for octave in range(int(known[0]), int(known[-1]) + 1):
            low, high, count = duration(_edge(4 * octave)), duration(_edge(4 * octave + 4)), int(counts[octave])
            bars.append(Bar(low, count, f"{bot}: {count} decisions, {low} .. {high}"))
        made.append(Bars(bars, "time for a decision", "decisions", one_line(bot, 40)))
    return made


def first_plot(games: pd.DataFrame, order: Sequence[str]) -> Dots:
    """Score of whoever begins, over all and of each bot in the games that it began."""
    used = games.filter(["first", "second", "score", "deal"])
    frames = [first_player_score(used).assign(bot="all")]
    if len(order) <= MOST_DOTS:
        begun = first_player_score(used, by=["bot"]).astype({"bot": object}).set_index("bot")
        frames.append(begun.reindex([bot for bot in order if bot in begun.index]).reset_index())
    rows = []
    for row in pd.concat(frames).to_dict("records"):
        if not math.isnan(row["score"]):
            rows.append(_score_dot(str(row["bot"]), row, f" in the {int(row['games'])} games it began"))
    return Dots(rows, "score in % of the games begun", 50.0)


def endings_plot(games: pd.DataFrame, order: Sequence[str]) -> Stacks:
    """How games ended: all of them, and those that each bot won."""
    ending = games["ending"].astype(object)
    rows = [("all games", _counts(ending))]
    if len(order) <= LARGEST_SQUARE:
        first, second, score = games["first"].astype(object), games["second"].astype(object), games["score"]
        winner = first.where(score == 1, second.where(score == 0))
        won = {str(bot): part for bot, part in ending.groupby(winner)}
        rows += [(f"won by {bot}", _counts(won[bot])) for bot in order if bot in won]
    used = [index for index in range(len(ENDINGS)) if any(counts[index] for _, counts in rows)]
    return Stacks([ENDINGS[index] for index in used], [(label, [row[index] for index in used]) for label, row in rows])


def _counts(ending: pd.Series) -> list[int]:
    counts = ending.value_counts()
    return [int(counts.get(name, 0)) for name in ENDINGS]


def forfeits_plot(games: pd.DataFrame, order: Sequence[str]) -> Stacks | None:
    """Of the games that each bot forfeited, which kinds; None where all are of one kind."""
    lost = games[games["forfeit"].notna()]
    if not len(lost) or len(order) > LARGEST_SQUARE:
        return None
    counts = Counter(zip(lost["forfeit_by"].astype(object), lost["forfeit"].astype(object)))
    kinds = [kind for kind in FORFEITS if any(kind == known for _, known in counts)]
    if len(kinds) < 2:
        return None
    rows = [(bot, [counts[bot, kind] for kind in kinds]) for bot in order]
    return Stacks(kinds, [(f"{sum(row)} by {bot}", row) for bot, row in rows if any(row)])


def cards_plot(effects: pd.DataFrame) -> Dots:
    """Score of the sides that played each card."""
    rows = []
    for row in effects.to_dict("records"):
        if not math.isnan(row["score"]):
            rows.append(_score_dot(str(row["card"]), row, f" for {row['sides']} sides that played it"))
    return Dots(rows, "score in %", 50.0)


def duration(ms: float) -> str:
    """A time with two digits and its unit.

    >>> duration(0.000128), duration(0.066), duration(8.4), duration(537), duration(1074)
    ('0.13 µs', '66 µs', '8.4 ms', '540 ms', '1.1 s')
    """
    value, unit = (1000 * ms, "µs") if ms < 0.9995 else (ms, "ms") if ms < 999.5 else (ms / 1000, "s")
    return f"{value:.2g} {unit}" if value < 10 else f"{float(f'{value:.2g}'):.0f} {unit}"


def _edge(bucket: int) -> float:
    """Where a bucket begins, in milliseconds."""
    return bucket_ms(bucket) if bucket < 8 else bucket_ms(bucket) * 4 / 4.5


def card_frames(source: Path, run: RunData) -> tuple[pd.DataFrame | None, list[str]]:
    """How often tactic cards were played and won, and what was sampled; None without tactics."""
    try:
        rules = load_rules(str(run.config.get("rules")))
    except ArenaError:  # records of several rule sets
        return None, []
    if not rules.tactics:
        return None, []
    with games_of(str(source), counting=True) as games:
        sample, note = spaced(games, CARD_GAMES)
        frame = plays_frame(sample, rules)
    effects = card_effects(frame.assign(variant="")).drop(columns="variant")
    return effects, [note] if note else []
