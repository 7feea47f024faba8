"""Figures of one's own about bots: `mean turns`, `share ending == 'stalemate'`, `quantile 0.99 ms`.

What follows the first words is an expression (arena.stats.selection) over the facts of a game as its bot sees it, with
a row for each game of the bot. If there are notes in it, the rows are the moves with which the bot said them; with
`move_ms`, they are the decisions of the bot.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from arena.endings import ENDINGS
from arena.errors import did_you_mean
from arena.stats.frames import Floats, Ints, cluster_codes
from arena.stats.selection import ExpressionError, evaluate, names_of, parse
from arena.text import quoted

if TYPE_CHECKING:
    import pandas as pd

FACTS: dict[str, str] = {
    "turns": "turns of both players",
    "plies": "decisions of both players",
    "decisions": "decisions of the bot",
    "ms": "milliseconds a decision of the bot, mean of the game",
    "move_ms": "milliseconds of a decision, within 10%; each decision counts",
    "score": "1, 0.5 or 0",
    "stones": "stones of the bot",
    "stones_against": "those of its opponent",
    "points": "match points of the bot",
    "points_against": "those of its opponent",
    "tactics": "tactic cards that the bot played",
    "early_claims": "stones that the bot claimed while its opponent's side was not full",
    "began": "whether the bot made the first move",
    "forfeited": "whether the bot forfeited",
    "ending": f"{', '.join(map(repr, ENDINGS[:-1]))} or {ENDINGS[-1]!r}",
    "opponent": "name of the opponent",
}
"""What is known of a game as its bot sees it; `note.NAME` is what the bot noted with a move."""
NOTE, DECISION = "note.", "move_ms"
_MEASURED = {"ms", DECISION}
MOST_METRICS = 20
FORMS = "'mean turns', 'sum stones', 'share turns > 50' or 'quantile 0.99 note.depth'"
_GAME_OF_BOT = ["pairing", "deal", "game", "bot"]
_FLAGS, _TEXTS = ("began", "forfeited"), ("ending", "opponent")
_KNOWN = f"{', '.join(FACTS)}, and {NOTE}NAME for what the bot noted"
_name = re.compile(r"[a-z][a-z0-9_]{0,19}")
_form = re.compile(r"(?:(mean|sum|share)|quantile\s+([0-9.]+))\s+(.+)", re.DOTALL)


class Estimate(NamedTuple):
    """A figure and half its 95% interval, clustered by deal; nan where it is not known."""

    value: float
    error95: float


UNKNOWN = Estimate(math.nan, math.nan)


@dataclass(frozen=True)
class Metric:
    """A figure about each bot: `kind` is mean, sum, share or quantile, of `expression`."""

    name: str
    kind: str
    expression: str
    quantile: float = math.nan

    @property
    def names(self) -> set[str]:
        return names_of(parse(self.expression))

    @property
    def of_notes(self) -> bool:
        """Whether the rows are moves with notes, not games."""
        return any(name.startswith(NOTE) for name in self.names)

    @property
    def of_decisions(self) -> bool:
        """Whether the rows are decisions with their times, not games."""
        return DECISION in self.names

    @property
    def measured(self) -> bool:
        """Whether a clock has part in it, so that equal games may give other figures."""
        return not _MEASURED.isdisjoint(self.names)

    def figures(self, facts: Mapping[str, Any], rows: int) -> Floats:
        """The figure of each row. ExpressionError for what this kind is not of."""
        values = evaluate(parse(self.expression), facts, rows)
        if (values.dtype == bool) != (self.kind == "share") or values.dtype.kind not in "bif":
            wanted = "a condition, such as turns > 50" if self.kind == "share" else "a number, such as turns"
            raise ExpressionError(f"{self.kind} is of {wanted}, which {quoted(self.expression)} is not")
        return np.asarray(values, np.float64)

    def estimate(self, values: Floats, deals: Ints) -> Estimate:
        """The metric of the figures of a bot, each of a deal; figures that are no numbers are left out."""
        from arena.stats.intervals import mean_error, mean_interval  # scipy, which settings do without
        from arena.stats.ratings import FEWEST_DEALS

        known = np.isfinite(values)
        values, deals = values[known], deals[known]
        if not len(values):
            return UNKNOWN
        if self.kind == "share":
            share = mean_interval(values, deals)
            return Estimate(share.mean, (share.high - share.low) / 2)
        if self.kind == "mean":
            return Estimate(float(values.mean()), mean_error(values, deals))
        if self.kind == "sum":
            clusters, number = cluster_codes(deals, len(values))
            sums = np.bincount(clusters, values)
            return Estimate(float(values.sum()), number * mean_error(sums, np.arange(number)))
        value = float(np.quantile(values, self.quantile))
        # Woodruff's interval: that of the share of figures up to the quantile, read as quantiles
        error = mean_error(values <= value, deals)
        low, high = self.quantile - error, self.quantile + error
        if len(np.unique(deals)) < FEWEST_DEALS or not 0 <= low <= high <= 1:
            return Estimate(value, math.nan)
        return Estimate(value, float(np.quantile(values, high) - np.quantile(values, low)) / 2)


def read_metric(name: str, text: object) -> Metric:
    """A metric from its name and what it is of. ExpressionError says what is wrong, and what is possible.

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
            f"{DECISION} is of all decisions and {NOTE}NAME of those with a note; name one of the two"
        )
    example: dict[str, Any] = dict.fromkeys(FACTS, np.ones(1))
    example |= dict.fromkeys(_FLAGS, np.ones(1, bool)) | dict.fromkeys(_TEXTS, np.array(["x"]))
    metric.figures(example | {note: np.ones(1) for note in metric.names if note.startswith(NOTE)}, 1)
    return metric


def bot_metrics(
    games: pd.DataFrame,
    metrics: Sequence[Metric],
    said: Callable[[], pd.DataFrame],
    timed: Callable[[], pd.DataFrame],
) -> dict[str, dict[str, Estimate]]:
    """The metrics of all bots of a games frame, by metric and bot.

    `said` makes the frame of notes, with pairing, deal, game, bot, number, note and figure, `timed` that of decisions,
    with pairing, deal, game, bot and move_ms; they are asked for if a metric needs them. A bot without games, or
    without such notes, is missing.
    """
    from arena.stats.field import by_seat  # pandas, which settings do without

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
        figures, deals = metric.figures(facts, len(rows)), rows["deal"].to_numpy(np.int64)
        found[metric.name] = {
            str(bot): metric.estimate(figures[own], deals[own])
            for bot, own in rows.groupby("bot", sort=False).indices.items()
        }
    return found


def _dtype(name: str) -> type:
    return bool if name in _FLAGS else str if name in _TEXTS else np.float64


def _with_notes(seats: pd.DataFrame, notes: pd.DataFrame, names: set[str]) -> pd.DataFrame:
    """A row for each move with which all these notes were said, with the facts of its game."""
    wanted = sorted(name for name in names if name.startswith(NOTE))
    index = [*_GAME_OF_BOT, "number"]
    spread = notes.assign(note=NOTE + notes["note"]).pivot(index=index, columns="note", values="figure")
    return spread.reindex(columns=wanted).dropna().reset_index().merge(seats, on=_GAME_OF_BOT)
