"""Read the metrics that users define: `mean turns`, `share ending == 'stalemate'`, `quantile 0.99 ms`.

What follows the first words is an expression (arena.stats.selection) over the facts of a game as its bot sees it, with
a row for each game of the bot. If it names notes, the rows are the moves with which the bot noted them; with
`move_ms`, they are the decisions of the bot. arena.stats.estimates computes the figures.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from arena.endings import ENDINGS
from arena.errors import did_you_mean
from arena.stats.frames import Floats
from arena.stats.selection import ExpressionError, evaluate_rows, names_of, parse
from arena.text import quoted

FACTS: dict[str, str] = {
    "turns": "turns of both players",
    "plies": "decisions of both players",
    "decisions": "decisions of the bot",
    "ms": "milliseconds a decision of the bot, mean of the game",
    "move_ms": "milliseconds of a decision, within 10%; each decision counts",
    "score": "1, 0.5 or 0",
    "stones": "stones of the bot",
    "stones_against": "stones of its opponent",
    "points": "match points of the bot",
    "points_against": "match points of its opponent",
    "tactics": "tactic cards that the bot played",
    "early_claims": "stones that the bot claimed while its opponent's side was not full",
    "began": "whether the bot made the first move",
    "forfeited": "whether the bot forfeited",
    "ending": f"{', '.join(map(repr, ENDINGS[:-1]))} or {ENDINGS[-1]!r}",
    "opponent": "name of the opponent",
}
"""The facts of a game from the side of its bot; `note.NAME` is a figure that the bot noted with a move."""
FLAGS, TEXTS = ("began", "forfeited"), ("ending", "opponent")
"""The facts that are not numbers."""
NOTE, _DECISION = "note.", "move_ms"
_MEASURED = {"ms", _DECISION}
MOST_METRICS = 20
FORMS = "'mean turns', 'sum stones', 'share turns > 50' or 'quantile 0.99 note.depth'"
_KNOWN = f"{', '.join(FACTS)}, and {NOTE}NAME for what the bot noted"
_name = re.compile(r"[a-z][a-z0-9_]{0,19}")
_form = re.compile(r"(?:(mean|sum|share)|quantile\s+([0-9.]+))\s+(.+)", re.DOTALL)


@dataclass(frozen=True)
class Metric:
    """A figure about each bot: `kind` is mean, sum, share or quantile, of `expression`."""

    name: str
    kind: str
    expression: str
    quantile: float = math.nan

    @property
    def names(self) -> set[str]:
        """Return the names of facts in the expression."""
        return names_of(parse(self.expression))

    @property
    def of_notes(self) -> bool:
        """Return whether the rows are moves with notes, not games."""
        return any(name.startswith(NOTE) for name in self.names)

    @property
    def of_decisions(self) -> bool:
        """Return whether the rows are decisions with their times, not games."""
        return _DECISION in self.names

    @property
    def measured(self) -> bool:
        """Return whether the metric depends on a clock, so that equal games may give different figures."""
        return not _MEASURED.isdisjoint(self.names)

    def figures(self, facts: Mapping[str, Any], rows: int) -> Floats:
        """Return the figure of each row. ExpressionError if the expression has the wrong type for this kind."""
        values = evaluate_rows(self.expression, facts, rows)
        if not {type(value) for value in values} <= ({bool} if self.kind == "share" else {int, float}):
            wanted = "a condition, such as turns > 50" if self.kind == "share" else "a number, such as turns"
            raise ExpressionError(f"{self.kind} needs {wanted}; {quoted(self.expression)} is not one")
        return np.array(values, np.float64)


def read_metric(name: str, text: object) -> Metric:
    """Read a metric from its name and its definition. ExpressionError if it is invalid.

    >>> read_metric("slow", "quantile 0.99 ms")
    Metric(name='slow', kind='quantile', expression='ms', quantile=0.99)
    """
    if not _name.fullmatch(name):
        raise ExpressionError("a name has up to 20 small letters, digits and '_', and begins with a letter")
    if not isinstance(text, str) or (form := _form.fullmatch(text.strip())) is None:
        raise ExpressionError(f"expected {FORMS}, found {quoted(str(text))}")
    kind, quantile, expression = form.groups()
    try:
        share = math.nan if quantile is None else float(quantile)
    except ValueError:
        share = 0.0
    if not (quantile is None or 0 < share < 1):
        raise ExpressionError(f"expected a quantile between 0 and 1, found {quantile}")
    metric = Metric(name, kind or "quantile", expression, share)
    for fact in sorted(metric.names):
        if fact not in FACTS and not fact.startswith(NOTE):
            raise ExpressionError(f"unknown fact '{fact}'{did_you_mean(fact, FACTS)} (known: {_KNOWN})")
    if metric.of_notes and metric.of_decisions:
        raise ExpressionError(
            f"{_DECISION} covers all decisions, {NOTE}NAME only decisions with a note; name one of the two"
        )
    example = dict.fromkeys(metric.names, 1.0) | dict.fromkeys(FLAGS, True) | dict.fromkeys(TEXTS, "x")
    metric.figures(example, 1)
    return metric
