"""Compute the metrics (arena.stats.metrics) of the bots of a field, with errors."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from arena.stats.frames import Floats, Ints, by_seat, cluster_codes, deals_of
from arena.stats.intervals import mean_error, mean_interval
from arena.stats.metrics import FLAGS, NOTE, TEXTS, Metric

if TYPE_CHECKING:
    import pandas as pd

_GAME_OF_BOT = ["pairing", "deal", "game", "bot"]


class Estimate(NamedTuple):
    """A figure and half its 95% interval, clustered by deal; nan where it is not known."""

    value: float = math.nan
    error95: float = math.nan


def estimate(metric: Metric, values: Floats, deals: Ints) -> Estimate:
    """Estimate a metric from the figures of a bot, each with its deal; infinite figures and nan are left out."""
    known = np.isfinite(values)
    values, deals = values[known], deals[known]
    if not len(values):
        return Estimate()
    if metric.kind == "share":
        share = mean_interval(values, deals)
        return Estimate(share.mean, (share.high - share.low) / 2)
    if metric.kind == "mean":
        return Estimate(float(values.mean()), mean_error(values, deals))
    if metric.kind == "sum":
        clusters, number = cluster_codes(deals, len(values))
        sums = np.bincount(clusters, values)
        return Estimate(float(values.sum()), number * mean_error(sums, np.arange(number)))
    value = float(np.quantile(values, metric.quantile))
    # Woodruff's interval: the one for the share of figures up to the quantile, read as quantiles
    error = mean_error(values <= value, deals)
    low, high = metric.quantile - error, metric.quantile + error
    if not 0 <= low <= high <= 1:  # nor for nan, on too few deals
        return Estimate(value)
    return Estimate(value, float(np.quantile(values, high) - np.quantile(values, low)) / 2)


def bot_metrics(
    games: pd.DataFrame,
    metrics: Sequence[Metric],
    said: Callable[[], pd.DataFrame],
    timed: Callable[[], pd.DataFrame],
) -> dict[str, dict[str, Estimate]]:
    """Estimate the metrics of all bots of a games frame, by metric and bot.

    `said` makes the frame of notes (pairing, deal, game, bot, number, note, figure), `timed` the frame of decisions
    (pairing, deal, game, bot, move_ms); each is called only if a metric needs it. Bots without games, or without such
    notes, are missing.
    """
    seats = by_seat(games).astype(dict.fromkeys(("bot", "opponent", "ending", "forfeit_by"), object))
    seats = seats.assign(
        began=seats["seat"] == "first",
        forfeited=seats["forfeit_by"] == seats["bot"],
        ms=seats["ms"] / seats["decisions"].clip(lower=1),
    )
    notes = said() if any(metric.of_notes for metric in metrics) else None
    times = timed() if any(metric.of_decisions for metric in metrics) else None
    found = {}
    for metric in metrics:
        rows = seats
        if notes is not None and metric.of_notes:
            rows = _with_notes(seats, notes, metric.names)
        elif times is not None and metric.of_decisions:
            rows = times.merge(seats, on=_GAME_OF_BOT)
        facts: dict[str, Any] = {name: rows[name].to_numpy(_dtype(name)) for name in metric.names}
        figures, deals = metric.figures(facts, len(rows)), np.asarray(deals_of(rows), np.int64)
        found[metric.name] = {
            str(bot): estimate(metric, figures[own], deals[own])
            for bot, own in rows.groupby("bot", sort=False).indices.items()
        }
    return found


def _dtype(name: str) -> type:
    return bool if name in FLAGS else str if name in TEXTS else np.float64


def _with_notes(seats: pd.DataFrame, notes: pd.DataFrame, names: set[str]) -> pd.DataFrame:
    """Return a row for each move that has all these notes, with the facts of its game."""
    wanted = sorted(name for name in names if name.startswith(NOTE))
    index = [*_GAME_OF_BOT, "number"]
    spread = notes.assign(note=NOTE + notes["note"]).pivot(index=index, columns="note", values="figure")
    return spread.reindex(columns=wanted).dropna().reset_index().merge(seats, on=_GAME_OF_BOT)
