"""Select games of a run after they were played: `arena standings --where`."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from arena.errors import ArenaError
from arena.game.rules import load_rules
from arena.results.decisions import with_counts
from arena.results.run_data import RunData
from arena.stats.metrics import read_metric
from arena.stats.selection import ExpressionError, holds, names_of, parse
from arena.text import one_line


def selected(run: RunData, text: str) -> RunData:
    """Return the run with only the games for which an expression (arena.stats.selection) holds; ratings rank its bots.

    Raise ExpressionError for an invalid expression, one that is not a condition, an unknown name, or no games left.
    """
    metrics = [read_metric(name, metric) for name, metric in run.metrics.items()]
    run = with_counts(run, names_of(parse(text)).union(*(metric.names for metric in metrics)))
    held = np.array(holds(text, _facts(run), len(run.columns)), bool)
    if not held.any():
        raise ExpressionError(f"{one_line(run.name)} has no game where {one_line(text)}")
    columns = replace(run.columns, values={name: column[held] for name, column in run.columns.values.items()})
    return RunData(
        name=run.name,
        config=run.config,
        columns=replace(columns, thinking=()),
        sources=run.sources,
        folder=run.folder,
        metrics=run.metrics,
        selection=text,
    )


def _facts(run: RunData) -> dict[str, Any]:
    """Return the facts of games by name: a column each; `rules` and its options as single values.

    A forfeit that did not happen is an empty text.
    """
    facts: dict[str, Any] = {str(name): column for name, column in run.games.items()}
    for name in run.games.select_dtypes("category").columns:
        facts[name] = run.games[name].astype(object).fillna("")
    facts["rules"] = run.config["rules"]
    with suppress(ArenaError):  # a league or a file of records may have several rule sets
        facts |= {f"rules.{name}": value for name, value in load_rules(run.config["rules"]).options.items()}
    return facts
