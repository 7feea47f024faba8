"""What the plots and squares of a report show: figures of the run, from the functions that `arena stats` uses."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from markupsafe import Markup

from arena.errors import ArenaError
from arena.game.rules import load_rules
from arena.match.results import bucket_ms
from arena.pages import plots
from arena.pages.words import PAGE
from arena.report.read_run import RunData
from arena.report.standings import RunStandings, rate_run
from arena.report.table import Report, Table, elo_text, likelihood, number, percent, table_of
from arena.sources import open_records
from arena.stats.field import scores
from arena.stats.frames import StatsError
from arena.stats.variants import card_effects
from arena.store.tactic_cards import plays_frame
from arena.text import one_line

LARGEST_SQUARE = 40
"""Bots beyond which a square could not be read."""
CARD_GAMES = 20_000
"""Games of which the records are read for the tactic cards."""
CHECKPOINTS = 10
MOST_LINES = 12
MOST_DOTS = 100
"""Bots of which the rating is plotted."""
MOST_PROGRESS = 200
"""Bots beyond which ratings are fitted once only."""
_PAIRED = ("round-robin", "gauntlet", "match")


@dataclass(frozen=True)
class Cell:
    """A figure of a square with its heat (0..8, 4: none), a smaller figure below it, and the same in words."""

    text: str
    small: str
    heat: int
    tip: str


@dataclass(frozen=True)
class Square:
    """A row and a column for each bot; None where two did not meet."""

    caption: str
    bots: Sequence[str]
    rows: Sequence[Sequence[Cell | None]]


def rating_plot(found: RunStandings) -> Markup:
    """Ratings with their 95 % errors, first place first."""
    rows = []
    for row in found.table.head(MOST_DOTS).to_dict("records"):
        elo, error, flag = float(row["elo"]), float(row["elo_error95"]), str(row["flag"])
        if math.isnan(elo):
            continue
        sure = not flag and math.isfinite(error)
        tip = f"{row['bot']}: {elo_text(elo, flag)}{f' ± {error:.0f}' if sure else ''} Elo, {row['games']} games"
        rows.append(plots.Dot(str(row["bot"]), elo, elo - error if sure else None, elo + error if sure else None, tip))
    return plots.dots(rows, PAGE["elo_axis"])


def rates_plot(report: Report) -> Markup:
    """Win rates by variant with their intervals."""
    frame = next(table.frame for table in report.tables if table.name == "win_rates")
    assert frame is not None
    rows = []
    for row in frame.to_dict("records"):
        score, low, high = (100 * float(row[name]) for name in ("score", "score_low", "score_high"))
        known = math.isfinite(low) and math.isfinite(high)
        between = f" ({percent(row['score_low'])} .. {percent(row['score_high'])})" if known else ""
        tip = f"{row['bot']}, {row['variant']}: {percent(row['score'])} %{between}, {row['games']} games"
        label = f"{row['bot']}, {row['variant']}"
        rows.append(plots.Dot(label, score, low if known else None, high if known else None, tip))
    return plots.dots(rows, "%")


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
        tip = f"{bot} against {other}: {percent(row['score'])} %{f' ({small})' if small else ''}, W-D-L {counts}"
        cells[bot, other] = Cell(percent(row["score"]), small, _heat(float(row["score"])), tip)
    return _square(PAGE["crosstable"], order, cells)


def los_square(frame: pd.DataFrame, order: Sequence[str]) -> Square:
    """How surely each bot is stronger than each other."""
    cells = {}
    for row in frame.to_dict("records"):
        bot, other, los = str(row["bot"]), str(row["opponent"]), float(row["los"])
        gap, error = float(row["elo_difference"]), float(row["elo_difference_error95"])
        small = "" if math.isnan(gap) else f"{gap:+z.0f} ± {number(error, 0, '?')}"
        tip = f"{bot} against {other}: stronger with {likelihood(los)} %, {small or '?'} Elo"
        cells[bot, other] = Cell(likelihood(los), small, 4 if math.isnan(los) else _heat(los), tip)
    return _square(PAGE["los"], order, cells)


def _square(caption: str, order: Sequence[str], cells: dict[tuple[str, str], Cell]) -> Square:
    return Square(caption, order, [[cells.get((bot, other)) for other in order] for bot in order])


def _heat(share: float) -> int:
    return min(max(round(8 * share), 0), 8)


def progress_plot(run: RunData, prior: float) -> list[Markup]:
    """Ratings after more and more games; of a format whose pairings share deals, in the order of the deals."""
    games = run.games.filter(["pairing", "first", "second", "score", "deal"])
    if len(run.bots) > MOST_PROGRESS:
        return []
    if run.config.get("format") in _PAIRED:
        games = games.sort_values("deal", kind="stable")
    at, found = [], []
    for part in range(1, CHECKPOINTS + 1):
        size = len(games) * part // CHECKPOINTS
        try:
            rated = rate_run(games.iloc[:size], prior).frame().set_index("bot")["elo"]
        except StatsError:
            continue
        at.append(size)
        found.append(rated)
    if len(at) < 2:
        return []
    names = list(found[-1].sort_values(ascending=False).index[:MOST_LINES])
    values = [[float(one.get(name, math.nan)) for one in found] for name in names]
    return [plots.lines([str(name) for name in names], at, values, PAGE["games_axis"], PAGE["elo_axis"])]


def length_plot(histogram: pd.DataFrame) -> Markup:
    """How many games took how many turns, in at most 60 bars."""
    turns, games = histogram["turns"].to_numpy(), histogram["games"].to_numpy()
    width = max(1, math.ceil((int(turns.max()) - int(turns.min()) + 1) / 60))
    low = int(turns.min()) // width * width
    counts = np.zeros((int(turns.max()) - low) // width + 1, np.int64)
    np.add.at(counts, (turns - low) // width, games)
    bars = []
    for place, count in enumerate(counts.tolist()):
        start = low + place * width
        label = str(start) if width == 1 else f"{start}-{start + width - 1}"
        bars.append(plots.Bar(str(start), count, f"{label} {PAGE['turns']}: {count} {PAGE['games_axis']}"))
    return plots.bars(bars, PAGE["turns"], PAGE["games_axis"])


def times_plots(run: RunData) -> list[Markup]:
    """Thinking times of each bot, a bar for each factor of two."""
    made = []
    for bot, counts in list(run.time_counts.items())[:LARGEST_SQUARE]:
        sums = np.add.reduceat(np.asarray(counts, np.int64), range(0, len(counts), 4))
        known = np.flatnonzero(sums)
        if not len(known):
            continue
        bars = []
        for place in range(int(known[0]), int(known[-1]) + 1):
            low, high, count = _edge(4 * place), _edge(4 * place + 4), int(sums[place])
            tip = f"{bot}: {count} {PAGE['decisions']}, {low:.2g} .. {high:.2g} ms"
            bars.append(plots.Bar(f"{low:.2g}", count, tip))
        made.append(plots.bars(bars, f"{one_line(bot, 40)}: {PAGE['time_axis']}", PAGE["decisions"], height=90))
    return made


def _edge(bucket: int) -> float:
    """Where a bucket begins, in milliseconds."""
    return bucket_ms(bucket) if bucket < 8 else bucket_ms(bucket) * 4 / 4.5


class _Spaced:
    """Records of some games of a run, evenly spaced."""

    def __init__(self, source: Any, step: int) -> None:
        self._source, self._step = source, step

    def records(self) -> Iterator[tuple[int, int, str]]:
        return islice(self._source.records(), 0, None, self._step)


def cards_table(kind: str, place: Path, run: RunData) -> tuple[Table | None, list[str]]:
    """How often tactic cards were played and won, and what was sampled; None without tactics."""
    try:
        rules = load_rules(str(run.config.get("rules")))
    except ArenaError:  # records of several rule sets
        return None, []
    if not rules.tactics:
        return None, []
    step = math.ceil(len(run.games) / CARD_GAMES)
    with open_records(kind, place) as source:
        frame = plays_frame(_Spaced(source, step), rules)
    effects = card_effects(frame.assign(variant="")).drop(columns="variant")
    note = PAGE["cards_sample"].format(read=math.ceil(len(run.games) / step), all=len(run.games))
    return table_of("cards", "", effects), [note] if step > 1 else []
